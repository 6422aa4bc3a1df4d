//! The only writers of the project, and the reader with its limit.
//!
//! Every write goes to a temporary file beside its target, is flushed to the disk and only then
//! takes the target's name. A reader sees the old file, the new file or none, never a part of one,
//! and a failed write leaves nothing behind. Frozen files are written with [`create_new`], which
//! never overwrites; [`replace`] is for what may change, such as a job's state.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Files larger than this are not read: 64 MiB, far above any real one.
pub const READ_LIMIT: u64 = 64 << 20;

/// Names of temporary files start so; one that is found later is the trace of a crash.
pub const TEMPORARY_PREFIX: &str = ".capitalbench-";

/// Writes a file that must not exist yet.
pub fn create_new(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let failed = |error: io::Error| WriteError::new(Action::Create, path, error.into());
    let file = temporary(path, bytes).map_err(failed)?;
    file.persist_noclobber(path)
        .map_err(|error| failed(error.error))?;
    flush_folder_of(path)
}

/// Writes a file, or confirms that it is there with the very same bytes.
pub fn create_identical(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    if !path.exists() {
        match create_new(path, bytes) {
            // Another process was faster; what it wrote is compared.
            Err(error) if error.problem == WriteProblem::Exists => {}
            done => return done,
        }
    }
    let (action, problem) = match holds(path, bytes) {
        Ok(true) => return Ok(()),
        Ok(false) => (Action::Create, WriteProblem::Differs),
        Err(error) => (Action::Compare, WriteProblem::Other(error.to_string())),
    };
    Err(WriteError::new(action, path, problem))
}

/// Writes a file, in place of the one that is there, if any.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let failed = |error: io::Error| WriteError::new(Action::Replace, path, error.into());
    let file = temporary(path, bytes).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    flush_folder_of(path)
}

/// Writes several files, in place of those that are there: all of them or none.
///
/// Every file is on the disk under a temporary name before the first one takes its place, so a
/// full disk or a forbidden folder changes nothing. Folders that were missing go away again.
pub fn replace_all(files: &[(PathBuf, Vec<u8>)]) -> Result<(), WriteError> {
    let mut folders = NewFolders::default();
    let mut ready = Vec::with_capacity(files.len());
    for (path, bytes) in files {
        folders.create(folder_of(path))?;
        let failed = |error: io::Error| WriteError::new(Action::Replace, path, error.into());
        ready.push((path, temporary(path, bytes).map_err(failed)?));
    }
    for (path, file) in ready {
        let failed = |error: io::Error| WriteError::new(Action::Replace, path, error.into());
        file.persist(path).map_err(|error| failed(error.error))?;
    }
    folders.keep();
    let paths = files.iter().map(|(path, _)| path.as_path());
    let by_folder: BTreeMap<&Path, &Path> = paths.map(|path| (folder_of(path), path)).collect();
    by_folder.into_values().try_for_each(flush_folder_of)
}

/// Folders made for files that may yet fail; dropping it removes those that are still empty.
#[derive(Default)]
struct NewFolders(Vec<PathBuf>);

impl NewFolders {
    fn create(&mut self, path: &Path) -> Result<(), WriteError> {
        let missing = missing_folders(path);
        self.0.extend(missing.iter().rev().map(PathBuf::from));
        create_folder(path)
    }

    fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for NewFolders {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // One that is not empty is wanted, and one that is not there needs nothing.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Removes a file; one that is not there is as good as removed.
#[expect(
    clippy::disallowed_methods,
    reason = "this module is where files are removed"
)]
pub fn remove(path: &Path) -> Result<(), WriteError> {
    match fs::remove_file(path) {
        Ok(()) => flush_folder_of(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(WriteError::new(Action::Remove, path, error.into())),
    }
}

/// Creates a folder and those above it; one that is there is left alone.
#[expect(
    clippy::disallowed_methods,
    reason = "this module is where folders are created"
)]
pub fn create_folder(path: &Path) -> Result<(), WriteError> {
    let missing = missing_folders(path);
    fs::create_dir_all(path)
        .map_err(|error| WriteError::new(Action::CreateFolder, path, error.into()))?;
    missing.into_iter().rev().try_for_each(flush_folder_of)
}

/// A folder and those above it that are not there, deepest first.
fn missing_folders(path: &Path) -> Vec<&Path> {
    path.ancestors()
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        .collect()
}

/// Reads a whole file of at most [`READ_LIMIT`] bytes.
pub fn read(path: &Path) -> Result<Vec<u8>, ReadError> {
    read_at_most(path, READ_LIMIT)
}

fn read_at_most(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => ReadError::Missing { path: path.into() },
        _ => ReadError::Failed {
            path: path.into(),
            reason: error.to_string(),
        },
    };
    // Opening a pipe would wait for its other end, so the kind is asked for first.
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(ReadError::NotAFile { path: path.into() });
    }
    let file = File::open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    let mut bytes = Vec::with_capacity(usize::try_from(size.min(limit)).unwrap_or_default());
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge {
            path: path.into(),
            limit,
        });
    }
    Ok(bytes)
}

/// A flushed file with these bytes in the folder of `path`; dropping it removes it.
fn temporary(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new()
        .prefix(TEMPORARY_PREFIX)
        .suffix(".tmp")
        // The umask of the process is taken off by the system.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder_of(path))?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Makes the new, changed or removed name survive a power cut.
fn flush_folder_of(path: &Path) -> Result<(), WriteError> {
    let folder = folder_of(path);
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Ok(()) => Ok(()),
        // Some file systems cannot flush a folder; they have no stronger promise to give.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        Err(error) => {
            let problem = WriteProblem::NotFlushed(error.to_string());
            Err(WriteError::new(Action::Flush, folder, problem))
        }
    }
}

fn holds(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let found = fs::metadata(path)?;
    Ok(found.is_file() && found.len() == bytes.len() as u64 && fs::read(path)? == bytes)
}

/// A write that did not happen: what was tried, where, why, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot {action} {}: {problem}", path.display())]
pub struct WriteError {
    /// What was tried.
    pub action: Action,
    /// The file or folder it was tried on.
    pub path: PathBuf,
    /// Why it failed.
    pub problem: WriteProblem,
}

impl WriteError {
    fn new(action: Action, path: &Path, problem: WriteProblem) -> Self {
        Self {
            action,
            path: path.to_path_buf(),
            problem,
        }
    }
}

/// What a writer was asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Write a file that must not be there.
    Create,
    /// Compare a file with what should be written.
    Compare,
    /// Write a file over another.
    Replace,
    /// Remove a file.
    Remove,
    /// Create a folder.
    CreateFolder,
    /// Flush a folder to the disk.
    Flush,
}

impl fmt::Display for Action {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Create => "create",
            Self::Compare => "compare",
            Self::Replace => "replace",
            Self::Remove => "remove",
            Self::CreateFolder => "create the folder",
            Self::Flush => "flush the folder",
        })
    }
}

/// Why a write failed, with a remedy in its text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteProblem {
    /// The user may not write there, or nobody may.
    #[error(
        "the disk is read-only or you may not write there; check the permissions of the folder"
    )]
    Denied,
    /// The disk or the user's share of it is full.
    #[error("no space left; free some space and run again; nothing was changed")]
    NoSpace,
    /// A file that must be new is there already.
    #[error("it already exists and is never overwritten; move it away if it is not wanted")]
    Exists,
    /// A file that is there has other bytes.
    #[error("it already exists with other contents; compare the two before going on")]
    Differs,
    /// A folder on the way is missing.
    #[error("its folder does not exist; create it or check the path")]
    NoFolder,
    /// The write is done, but a power cut could still undo it.
    #[error("the change is made but may not survive a power cut; check the disk ({0})")]
    NotFlushed(String),
    /// Anything else, in the system's words.
    #[error("{0}")]
    Other(String),
}

impl From<io::Error> for WriteProblem {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::Denied,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::NoSpace,
            io::ErrorKind::AlreadyExists => Self::Exists,
            io::ErrorKind::NotFound => Self::NoFolder,
            _ => Self::Other(error.to_string()),
        }
    }
}

/// A file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// There is no such file.
    #[error("{} does not exist", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The path names a folder, a pipe or a device.
    #[error("{} is not a regular file", path.display())]
    NotAFile {
        /// What was found.
        path: PathBuf,
    },
    /// The file is larger than the limit.
    #[error("{} is larger than {limit} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// The system refused.
    #[error("cannot read {}: {reason}", path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
}

impl ReadError {
    /// The file or what was found in its place.
    pub fn path(&self) -> &Path {
        match self {
            Self::Missing { path }
            | Self::NotAFile { path }
            | Self::TooLarge { path, .. }
            | Self::Failed { path, .. } => path,
        }
    }

    /// What is wrong with it, without its name.
    pub fn problem(&self) -> String {
        match self {
            Self::Missing { .. } => "does not exist".to_owned(),
            Self::NotAFile { .. } => "is not a regular file".to_owned(),
            Self::TooLarge { limit, .. } => format!("is larger than {limit} bytes"),
            Self::Failed { reason, .. } => format!("cannot be read: {reason}"),
        }
    }
}

#[cfg(test)]
mod tests;
