//! One round on disk: its files and its runs; its frozen inputs are in [`RoundInputs`].

use std::fs;
use std::path::{Component, Path, PathBuf};

use capitalbench_core::asking::run::{RecordRules, Run};
use capitalbench_core::market::prices::{PriceSheet, Side};
use capitalbench_core::values::ids::{Digest, RunId};
use capitalbench_core::values::similar::closest;

use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops::{self, ReadError, ReadProblem, TEMPORARY_PREFIX};
use crate::disk::layout;
use crate::format::round::hashes::Digests;
use crate::format::{prices::price_sheet, round::manifest};
use crate::run::replay_folder::refuse_replay;
use crate::run::run_folder::RunFolder;

mod inputs;
mod rounds;
mod universes;

pub use inputs::RoundInputs;
pub(crate) use rounds::found_rounds;
pub use rounds::list_rounds;
pub use universes::Universes;

use rounds::missing_round;

/// A folder that holds a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundFolder {
    path: PathBuf,
    name: String,
}

impl RoundFolder {
    /// Opens a round; the error for a wrong path names the most similar one.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        if !path.is_dir() {
            return Err(FileError::folder(path, missing_round(path)));
        }
        refuse_replay(path)?;
        if !Self::is_round(path) {
            let text = "is not a round: it has no manifest.yaml";
            return Err(FileError::folder(path, text));
        }
        let round = Self::at(path.to_owned());
        round.require_plain()?;
        refuse_links(path, &layout::FOLDERS)?;
        Ok(round)
    }

    /// Refuses a round that is a link, because a link may lead anywhere, and one whose manifest is a
    /// folder, a pipe or a device, because skipping it would hide the round.
    pub(crate) fn require_plain(&self) -> Result<(), FileError> {
        // With a slash at the end the system would follow the link.
        let bare: PathBuf = self.path.components().collect();
        if bare.is_symlink() {
            let text = "is a symbolic link; a round is a plain folder: name the folder itself, or \
                        remove the link";
            return Err(FileError::folder(&bare, text));
        }
        let path = self.file(layout::MANIFEST);
        match fs::symlink_metadata(&path) {
            Ok(found) if !found.is_file() && !found.is_symlink() => {
                let problem = ReadProblem::NotAFile;
                Err(ReadError { path, problem }.into())
            }
            _ => Ok(()),
        }
    }

    fn at(path: PathBuf) -> Self {
        // Only a path such as `.` or `..` does not end in the folder's own name.
        let named = match path.components().next_back() {
            Some(Component::Normal(_)) => path.clone(),
            _ => fs::canonicalize(&path).unwrap_or_else(|_| path.clone()),
        };
        let name = named.file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        Self { path, name }
    }

    /// A round for `verify`, which reports links as findings.
    pub(crate) fn unchecked(path: &Path) -> Self {
        Self::at(path.to_owned())
    }

    /// Whether a path is a round rather than a folder of rounds: anything has the manifest's name,
    /// even if it cannot be read.
    pub fn is_round(path: &Path) -> bool {
        path.join(layout::MANIFEST).symlink_metadata().is_ok()
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of rounds that contains it, also for a path such as `.` or `..`.
    pub fn rounds(&self) -> PathBuf {
        let named = self.path.file_name().is_some();
        match self.path.parent().filter(|_| named) {
            Some(parent) if parent.as_os_str().is_empty() => PathBuf::from("."),
            Some(parent) => parent.to_owned(),
            None => self.path.join(".."),
        }
    }

    /// The folder's own name, which should be the round id.
    pub fn name(&self) -> String {
        self.name.clone()
    }

    /// The path of a file of the round.
    pub fn file(&self, relative: &str) -> PathBuf {
        self.path.join(relative)
    }

    pub fn read(&self, relative: &str) -> Result<Vec<u8>, FileError> {
        Ok(file_ops::read(&self.file(relative))?)
    }

    /// Reads a file that may be absent.
    pub fn read_optional(&self, relative: &str) -> Result<Option<Vec<u8>>, FileError> {
        optional(self.read(relative))
    }

    /// Digests of those of the files that exist.
    pub(crate) fn digests<'a>(
        &self,
        files: impl IntoIterator<Item = &'a str>,
    ) -> Result<Digests, FileError> {
        let mut found = Digests::new();
        for file in files {
            if let Some(bytes) = self.read_optional(file)? {
                found.insert(file.to_owned(), Digest::of(&bytes));
            }
        }
        Ok(found)
    }

    /// Reads and parses a file of the round.
    pub fn parse<T>(
        &self,
        relative: &str,
        parse: impl FnOnce(&[u8]) -> Result<T, Fault>,
    ) -> Result<T, FileError> {
        let bytes = self.read(relative)?;
        parse(&bytes).map_err(|fault| fault.in_file(&self.file(relative)))
    }

    /// Reads and parses a file of the round that may be absent.
    pub fn parse_optional<T>(
        &self,
        relative: &str,
        parse: impl FnOnce(&[u8]) -> Result<T, Fault>,
    ) -> Result<Option<T>, FileError> {
        parse_file(&self.file(relative), parse)
    }

    /// Reads one side's prices, if they are there.
    pub fn sheet(&self, side: Side) -> Result<Option<PriceSheet>, FileError> {
        self.parse_optional(layout::price_sheet(side), price_sheet::parse)
    }

    /// What a run of the round must have to be the record.
    pub fn record_rules(&self) -> Result<RecordRules, FileError> {
        let manifest = self.parse(layout::MANIFEST, manifest::parse)?;
        Ok(manifest.record_rules())
    }

    /// The ids of all runs, in order.
    pub fn run_ids(&self) -> Result<Vec<RunId>, FileError> {
        let folder = self.file(layout::RUNS);
        let mut ids = Vec::new();
        for (name, kind) in entries_in(&folder)? {
            // A run that was killed while its folder was made leaves a temporary one.
            if kind.is_file() || name.starts_with(TEMPORARY_PREFIX) {
                continue;
            }
            let id = RunId::parse(&name)
                .map_err(|error| FileError::folder(&folder.join(&name), error))?;
            ids.push(id);
        }
        Ok(ids)
    }

    /// Every run from its manifest and its acceptance, in order of id.
    pub fn runs(&self) -> Result<Vec<Run>, FileError> {
        let ids = self.run_ids()?;
        let load = |id: &RunId| Ok(self.run(id)?.record()?.run);
        ids.iter().map(load).collect()
    }

    /// Opens a run; the error for a wrong id names the ids of the round.
    pub fn run(&self, run_id: &RunId) -> Result<RunFolder, FileError> {
        let folder = self.file(layout::RUNS).join(run_id.as_str());
        if folder.is_dir() {
            return RunFolder::open(&folder);
        }
        let ids = self.run_ids()?;
        let names: Vec<&str> = ids.iter().map(RunId::as_str).collect();
        let text = match closest(run_id.as_str(), names.iter().copied()) {
            Some(name) => format!("there is no such run; did you mean {name}?"),
            None if names.is_empty() => "there is no such run; the round has none".to_owned(),
            None => format!("there is no such run; the round has {}", names.join(", ")),
        };
        Err(FileError::folder(&folder, text))
    }

    /// Opens the named run, or the only one.
    pub fn run_or_only(&self, run_id: Option<&RunId>) -> Result<RunFolder, FileError> {
        if let Some(run_id) = run_id {
            return self.run(run_id);
        }
        let ids = self.run_ids()?;
        match ids.as_slice() {
            [id] => self.run(id),
            [] => Err(FileError::folder(&self.path, "the round has no run")),
            several => {
                let names: Vec<&str> = several.iter().map(RunId::as_str).collect();
                let text = format!("choose one run with --run-id: {}", names.join(", "));
                Err(FileError::folder(&self.path, text))
            }
        }
    }
}

/// Refuses folders that are links, because a link may lead anywhere.
pub(crate) fn refuse_links(root: &Path, folders: &[&str]) -> Result<(), FileError> {
    let is_link = |path: &PathBuf| path.is_symlink();
    match folders.iter().map(|name| root.join(name)).find(is_link) {
        None => Ok(()),
        Some(path) => {
            let text = "is a symbolic link; a round holds plain folders only: put the folder itself \
                        in its place";
            Err(FileError::folder(&path, text))
        }
    }
}

/// Turns the error of a missing file into none.
pub(crate) fn optional<T>(result: Result<T, FileError>) -> Result<Option<T>, FileError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads a file; none when it is not there.
pub(crate) fn read_file(file: &Path) -> Result<Option<Vec<u8>>, FileError> {
    optional(file_ops::read(file).map_err(FileError::from))
}

/// Reads and parses a file; none when it is not there.
pub(crate) fn parse_file<T>(
    file: &Path,
    parse: impl FnOnce(&[u8]) -> Result<T, Fault>,
) -> Result<Option<T>, FileError> {
    let bytes = read_file(file)?;
    let parsed = bytes.map(|bytes| parse(&bytes)).transpose();
    parsed.map_err(|fault| fault.in_file(file))
}

/// Names in a folder, in order; an absent folder is empty.
pub(crate) fn names_in(folder: &Path) -> Result<Vec<String>, FileError> {
    let entries = entries_in(folder)?;
    Ok(entries.into_iter().map(|(name, _)| name).collect())
}

/// The name of the next numbered folder inside this one.
pub(crate) fn next_number(folder: &Path) -> Result<String, FileError> {
    let names = names_in(folder)?;
    let last = names.iter().filter_map(|name| name.parse::<u32>().ok());
    Ok(format!("{:04}", last.max().unwrap_or(0).saturating_add(1)))
}

/// Names and kinds in a folder, in order; an absent folder is empty.
pub(crate) fn entries_in(folder: &Path) -> Result<Vec<(String, fs::FileType)>, FileError> {
    let failed = |error: std::io::Error| FileError::folder(folder, error);
    let found = match fs::read_dir(folder) {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut entries = Vec::new();
    for entry in found {
        let entry = entry.map_err(failed)?;
        let kind = entry.file_type().map_err(failed)?;
        let name = entry.file_name().into_string().map_err(|name| {
            let text = format!("the name {} is not UTF-8", name.to_string_lossy());
            FileError::folder(folder, text)
        })?;
        entries.push((name, kind));
    }
    entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    Ok(entries)
}

#[cfg(test)]
mod tests;
