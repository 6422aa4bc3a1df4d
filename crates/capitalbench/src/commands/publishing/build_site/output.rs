//! The folder of a site while it is written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops;
use capitalbench_archive::disk::file_ops::scratch::{ScratchFolder, time_in};
use capitalbench_archive::public::fact_cache::SETTLED;
use capitalbench_archive::public::public_files::{Listing, files_below, mark_of};
use capitalbench_core::values::ids::{Digesting, RoundId};
use capitalbench_site::Files;

use super::kept::{Gathered, KeptRound};
use crate::error::Error;

/// The file that says that a folder is a site and what it holds.
pub(super) const LIST: &str = "site-files.txt";

/// How much was written.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Counts {
    pub(super) bytes: usize,
    pub(super) written: usize,
}

impl Counts {
    pub(super) fn add(&mut self, other: &Self) {
        self.bytes += other.bytes;
        self.written += other.written;
    }
}

/// Where a site goes.
pub(super) enum Output {
    /// A folder that takes its name when everything is in it.
    Fresh(ScratchFolder),
    /// A site whose files are replaced where they differ.
    Site {
        folder: PathBuf,
        /// What the last build wrote; other files belong to somebody else.
        before: Vec<String>,
    },
}

impl Output {
    /// Looks at a folder; a foreign one is left alone.
    pub(super) fn begin(folder: &Path) -> Result<Self, Error> {
        if !files_below(folder)?.is_empty() {
            let Ok(list) = file_ops::read(&folder.join(LIST)) else {
                let text = format!("{} is not empty and is no site", folder.display());
                return Err(Error::new(text).hint("name another folder with --output"));
            };
            let list = String::from_utf8_lossy(&list);
            let before = list.lines().filter(|path| is_inside(path));
            return Ok(Self::Site {
                folder: folder.to_owned(),
                before: before.map(str::to_owned).collect(),
            });
        }
        let named = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let (Some(parent), Some(name)) = (named.parent(), named.file_name()) else {
            let text = format!("{} cannot be a new folder", folder.display());
            return Err(Error::new(text).hint("name another folder with --output"));
        };
        file_ops::create_folder(parent)?;
        Ok(Self::Fresh(ScratchFolder::begin(
            parent,
            &name.to_string_lossy(),
        )?))
    }

    /// Where files are written.
    pub(super) fn folder(&self) -> &Path {
        match self {
            Self::Fresh(draft) => draft.path(),
            Self::Site { folder, .. } => folder,
        }
    }

    /// Writes files that are not there already, all of them or none.
    pub(super) fn put(&self, files: &Files) -> Result<Counts, Error> {
        let bytes = files.values().map(bytes::Bytes::len).sum();
        let written = match self {
            Self::Fresh(draft) => {
                for (path, bytes) in files {
                    draft.write(path, bytes)?;
                }
                files.len()
            }
            Self::Site { folder, .. } => {
                let differs = |(path, bytes): &(&String, &bytes::Bytes)| {
                    let there = file_ops::read(&folder.join(path));
                    there.ok().as_deref() != Some(bytes)
                };
                let changed: Vec<(PathBuf, &[u8])> = files
                    .iter()
                    .filter(differs)
                    .map(|(path, bytes)| (folder.join(path), bytes.as_ref()))
                    .collect();
                file_ops::replace_all(&changed)?;
                changed.len()
            }
        };
        Ok(Counts { bytes, written })
    }

    /// Reads a file that is there.
    pub(super) fn read(&self, path: &str) -> Result<bytes::Bytes, Error> {
        let found = file_ops::read(&self.folder().join(path)).map_err(FileError::from)?;
        Ok(found.into())
    }

    /// Whether the files of a round are there with the bytes they had.
    pub(super) fn holds(&self, round: &KeptRound) -> bool {
        let Self::Site { folder, .. } = self else {
            return false;
        };
        let mut found = Gathered::default();
        for path in &round.paths {
            let Ok(bytes) = file_ops::read(&folder.join(path)) else {
                return false;
            };
            found.add(path, &bytes);
        }
        found.digest() == round.outputs
    }

    /// Whether everything that the output has of a round is the file it was; nothing is read.
    pub(super) fn is_untouched(&self, round: &KeptRound) -> bool {
        let Self::Site { folder, .. } = self else {
            return false;
        };
        round.placed.is_some() && marks(folder, round).map(|marks| marks.digest) == round.placed
    }

    /// Ends the site: what an earlier one left is removed, or the new folder gets its name.
    pub(super) fn finish(self, paths: &BTreeSet<String>) -> Result<usize, Error> {
        match self {
            Self::Fresh(draft) => {
                draft.finish()?;
                Ok(0)
            }
            Self::Site { folder, before } => {
                let stale = before.iter().filter(|path| !paths.contains(*path));
                let stale = stale.map(|path| folder.join(path));
                let stale: Vec<PathBuf> = stale.filter(|file| file.is_file()).collect();
                for file in &stale {
                    file_ops::remove(file)?;
                }
                Ok(stale.len())
            }
        }
    }
}

/// Notes which files a finished site has of each round that was not found untouched. One that changed within
/// the last tick of the file system's clock could change again without a trace, so it is not believed.
pub(super) fn note_marks(folder: &Path, rounds: &mut BTreeMap<RoundId, KeptRound>) {
    let Ok(now) = time_in(folder) else { return };
    // Some file systems tell whole seconds only.
    let tick = if now % 1_000_000_000 == 0 {
        SETTLED
    } else {
        TICK
    };
    for round in rounds.values_mut().filter(|round| round.placed.is_none()) {
        let found = marks(folder, round).filter(|found| found.changed < now - tick);
        round.placed = found.map(|found| found.digest);
    }
}

/// Far more than a tick of the clock of Linux or macOS, in nanoseconds.
const TICK: i128 = 50_000_000;

fn marks(folder: &Path, round: &KeptRound) -> Option<Listing> {
    let mut told = Digesting::default();
    let mut changed = i128::MIN;
    for path in round.places() {
        let (mark, at) = mark_of(&folder.join(path))?;
        told.add(&mark.0);
        changed = changed.max(at);
    }
    Some(Listing {
        digest: told.finish(),
        changed,
    })
}

/// Whether a path of a list leads nowhere but into its folder.
fn is_inside(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    parts.all(|part| matches!(part, Component::Normal(_)))
}
