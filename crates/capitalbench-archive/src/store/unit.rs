//! Units: what has a head of its own in a store. A round is one, the log is one, and the files
//! beside them are one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use crate::disk::error::FileError;
use crate::disk::file_ops::TEMPORARY_PREFIX;
use crate::disk::layout;
use crate::round::round_folder::entries_in;

/// The folder of the heads of rounds.
pub const ROUND_HEADS: &str = "heads/rounds/";
/// The folder of all heads.
pub const HEADS: &str = "heads/";
const LOG: &str = "heads/log";
const BESIDE: &str = "heads/beside";

/// A part of a folder of rounds that changes as a whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    Round(String),
    Log,
    /// Comparison sets and whatever else lies in the folder of rounds, and the invented market.
    Beside,
}

/// A file by what the system says of it: size, times, number.
pub type Mark = [i64; 5];

/// What lies in a unit, without the bytes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub files: BTreeMap<String, Mark>,
    pub empty_folders: BTreeSet<String>,
}

impl Unit {
    /// The key of its head.
    pub fn key(&self) -> String {
        match self {
            Self::Round(name) => format!("{ROUND_HEADS}{name}"),
            Self::Log => LOG.to_owned(),
            Self::Beside => BESIDE.to_owned(),
        }
    }

    /// The unit whose head has this key; none for a key that names no plain folder.
    pub fn of_key(key: &str) -> Option<Self> {
        match key {
            LOG => Some(Self::Log),
            BESIDE => Some(Self::Beside),
            _ => Self::round(key.strip_prefix(ROUND_HEADS)?),
        }
    }

    /// The unit of a round; none for a name that is no plain folder.
    pub fn round(name: &str) -> Option<Self> {
        let is_plain = is_plain_path(name) && !name.contains('/') && !name.starts_with('.');
        (is_plain && name != layout::LOG).then(|| Self::Round(name.to_owned()))
    }

    /// Its name for people.
    pub fn name(&self) -> &str {
        match self {
            Self::Round(name) => name,
            Self::Log => "the log",
            Self::Beside => "the files beside the rounds",
        }
    }

    /// A file of it; none for a path that [`Self::look`] would never find: one that leads out of it, or
    /// to what this machine keeps for itself.
    pub fn file(&self, rounds: &Path, path: &str) -> Option<PathBuf> {
        let folder = match self {
            Self::Beside if path == layout::INVENTED_MARKET => return Some(rounds.join(path)),
            Self::Beside if path.contains('/') || path.starts_with('.') => return None,
            Self::Round(name) => rounds.join(name),
            Self::Log => rounds.join(layout::LOG),
            Self::Beside => rounds.to_owned(),
        };
        let (inside, name) = path.rsplit_once('/').unwrap_or(("", path));
        let is_own = is_plain_path(path) && !stays_here(inside, name);
        is_own.then(|| folder.join(path))
    }

    /// What is wrong with a path that no file of it can have.
    pub fn refusal(&self, path: &str) -> String {
        let name = self.name();
        format!("the store names the file {path:?} in {name}, where no push puts it")
    }

    /// Whether any file of it lies there; looks no further than the first one.
    pub fn has_files(&self, rounds: &Path) -> Result<bool, FileError> {
        match self.folder(rounds) {
            Some(folder) => has_file(&folder),
            None => Ok(!self.look(rounds)?.files.is_empty()),
        }
    }

    /// The folder that is its own; the files beside the rounds have none.
    pub fn folder(&self, rounds: &Path) -> Option<PathBuf> {
        match self {
            Self::Round(name) => Some(rounds.join(name)),
            Self::Log => Some(rounds.join(layout::LOG)),
            Self::Beside => None,
        }
    }

    /// What lies there now.
    pub fn look(&self, rounds: &Path) -> Result<Found, FileError> {
        let mut found = Found::default();
        if let Some(folder) = self.folder(rounds) {
            walk(&folder, "", &mut found)?;
            return Ok(found);
        }
        for (name, kind) in entries_in(rounds)? {
            if kind.is_file() && !name.starts_with('.') {
                let mark = mark(&rounds.join(&name))?;
                found.files.insert(name, mark);
            }
        }
        let market = rounds.join(layout::INVENTED_MARKET);
        if market.is_file() {
            let mark = mark(&market)?;
            found.files.insert(layout::INVENTED_MARKET.to_owned(), mark);
        }
        Ok(found)
    }
}

/// The units of a folder of rounds, in order.
pub fn units_of(rounds: &Path) -> Result<Vec<Unit>, FileError> {
    let mut units = Vec::new();
    for (name, kind) in entries_in(rounds)? {
        if kind.is_dir() {
            units.extend(Unit::round(&name));
        } else if kind.is_symlink() {
            return Err(link(&rounds.join(name)));
        }
    }
    if rounds.join(layout::LOG).is_dir() {
        units.push(Unit::Log);
    }
    units.push(Unit::Beside);
    Ok(units)
}

/// What the system says of a file.
pub fn mark(path: &Path) -> Result<Mark, FileError> {
    let found = fs::symlink_metadata(path).map_err(|error| FileError::folder(path, error))?;
    let seconds = [found.mtime(), found.ctime()];
    let rest = found.mtime_nsec() * 1_000_000_000 + found.ctime_nsec();
    let [size, number] = [found.size(), found.ino()].map(u64::cast_signed);
    Ok([size, seconds[0], seconds[1], rest, number])
}

fn walk(folder: &Path, inside: &str, found: &mut Found) -> Result<(), FileError> {
    let mut is_empty = true;
    for (name, kind) in entries_in(folder)? {
        if stays_here(inside, &name) {
            continue;
        }
        is_empty = false;
        let path = folder.join(&name);
        let inner = if inside.is_empty() {
            name
        } else {
            format!("{inside}/{name}")
        };
        if kind.is_dir() {
            walk(&path, &inner, found)?;
        } else if kind.is_file() {
            found.files.insert(inner, mark(&path)?);
        } else {
            return Err(link(&path));
        }
    }
    if is_empty && !inside.is_empty() {
        found.empty_folders.insert(inside.to_owned());
    }
    Ok(())
}

/// Leases and unfinished files are of this machine alone.
fn stays_here(inside: &str, name: &str) -> bool {
    let is_lease = inside == layout::AUTOMATION && name.starts_with("lease-");
    name.starts_with(TEMPORARY_PREFIX) || is_lease
}

fn has_file(folder: &Path) -> Result<bool, FileError> {
    for (name, kind) in entries_in(folder)? {
        if !kind.is_dir() || has_file(&folder.join(name))? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn link(path: &Path) -> FileError {
    let text = "is a link, a pipe or a device, and a store holds plain files only: put the file \
                itself in its place";
    FileError::folder(path, text)
}

fn is_plain_path(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    !path.is_empty()
        && parts.all(|part| matches!(part, Component::Normal(_)))
        && !path.contains('\0')
}

#[cfg(test)]
mod tests;
