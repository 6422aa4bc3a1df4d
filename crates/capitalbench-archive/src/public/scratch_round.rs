//! A copy of a frozen round without its runs, in a temporary folder: what models are asked about again.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops::scratch::ScratchFolder;
use crate::disk::layout;
use crate::round::round_folder::RoundFolder;
use crate::verify::walk;

/// The copy; dropping it removes it.
#[derive(Debug)]
pub struct ScratchRound {
    folder: ScratchFolder,
    _temporary: TempDir,
    round: String,
}

impl ScratchRound {
    /// Copies inputs and prices; runs, jobs and the log stay where they are.
    pub fn copy_of(round: &RoundFolder) -> Result<Self, FileError> {
        let failed = |error: std::io::Error| Fault::new(error).in_file(round.path());
        let temporary = TempDir::new().map_err(failed)?;
        let folder = ScratchFolder::begin(temporary.path(), "rounds")?;
        let name = round.name();
        for path in walk(round.path())? {
            let first = path.split('/').next().unwrap_or_default();
            if ![layout::RUNS, layout::AUTOMATION].contains(&first) {
                folder.write(&format!("{name}/{path}"), &round.read(&path)?)?;
            }
        }
        Ok(Self {
            folder,
            _temporary: temporary,
            round: name,
        })
    }

    /// The folder of the copy.
    pub fn round(&self) -> PathBuf {
        self.folder.path().join(&self.round)
    }

    /// Writes a file beside the copy.
    pub fn write_beside(&self, name: &str, text: &str) -> Result<PathBuf, FileError> {
        self.folder.write(name, text.as_bytes())?;
        Ok(self.folder.path().join(Path::new(name)))
    }
}
