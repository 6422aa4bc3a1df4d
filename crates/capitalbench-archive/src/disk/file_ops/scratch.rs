//! Writers for files that can be made again at any time: complete or absent, but not flushed.
//!
//! A power cut may lose such files: rounds that a seed makes again, and the cache, which is checked
//! whenever it is read. Flushing a million of them would take hours. Decisions, fetched prices and
//! answers are never written here.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

use tempfile::TempDir;

use crate::public::public_files::changed_at;

use super::{Action, TEMPORARY_PREFIX, WriteError, folder_of, temporary_file};

/// A folder that has no name yet; dropping it removes it.
#[derive(Debug)]
pub struct ScratchFolder {
    draft: TempDir,
    inner: PathBuf,
}

impl ScratchFolder {
    /// Begins a folder that will lie in `parent` under this name.
    #[expect(
        clippy::disallowed_methods,
        reason = "this module is where folders are created"
    )]
    pub fn begin(parent: &Path, name: &str) -> Result<Self, WriteError> {
        let failed = |error: io::Error| WriteError::new(Action::CreateFolder, parent, error.into());
        let draft = tempfile::Builder::new()
            .prefix(TEMPORARY_PREFIX)
            .tempdir_in(parent)
            .map_err(failed)?;
        let inner = draft.path().join(name);
        fs::create_dir(&inner).map_err(failed)?;
        Ok(Self { draft, inner })
    }

    /// Where it is being written; the last part of the path is already its name.
    pub fn path(&self) -> &Path {
        &self.inner
    }

    /// Writes a file, and the folders above it, into the folder.
    #[expect(
        clippy::disallowed_methods,
        reason = "this module is where files are created"
    )]
    pub fn write(&self, relative: &str, bytes: &[u8]) -> Result<(), WriteError> {
        let path = self.inner.join(relative);
        let failed = |error: io::Error| WriteError::new(Action::Create, &path, error.into());
        let mut parts = Path::new(relative).components();
        if !parts.all(|part| matches!(part, Component::Normal(_))) {
            let error = io::Error::new(io::ErrorKind::InvalidInput, "leads out of the folder");
            return Err(failed(error));
        }
        match fs::write(&path, bytes) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(folder_of(&path)).map_err(failed)?;
                fs::write(&path, bytes).map_err(failed)
            }
            written => written.map_err(failed),
        }
    }

    /// Gives the folder its name; never replaces an existing one.
    #[expect(
        clippy::disallowed_methods,
        reason = "this module is where folders are named"
    )]
    pub fn finish(self) -> Result<(), WriteError> {
        let parent = folder_of(self.draft.path());
        let path = parent.join(self.inner.file_name().unwrap_or_default());
        let failed = |error: io::Error| WriteError::new(Action::CreateFolder, &path, error.into());
        fs::rename(&self.inner, &path).map_err(failed)
    }
}

/// Writes a file, replacing an existing one, without flushing it.
#[expect(
    clippy::disallowed_methods,
    reason = "this module is where folders are created"
)]
pub fn replace_unflushed(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let failed = |error: io::Error| WriteError::new(Action::Replace, path, error.into());
    let folder = folder_of(path);
    if !folder.is_dir() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut file = temporary_file(path, 0o666).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Removes a file that can be made again.
#[expect(
    clippy::disallowed_methods,
    reason = "this module is where files are removed"
)]
pub fn remove_unflushed(path: &Path) -> Result<(), WriteError> {
    let failed = |error: io::Error| WriteError::new(Action::Remove, path, error.into());
    fs::remove_file(path).map_err(failed)
}

/// The time by the clock of a folder's file system, in nanoseconds: when a file without a name was made in it.
pub fn time_in(folder: &Path) -> io::Result<i128> {
    Ok(changed_at(&tempfile::tempfile_in(folder)?.metadata()?))
}
