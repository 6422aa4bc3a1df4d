//! The only writers of the project, and the reader with its limit.
//!
//! Every write goes to a temporary file beside its target, is flushed to the disk and only then
//! takes the target's name. A reader sees the old file, the new file or none, never a part of one.
//! A failed write leaves nothing behind; a killed one leaves a temporary file, which
//! [`remove_unfinished`] takes away. Frozen files are written with [`create_new`], which
//! never overwrites; [`replace`] is for what may change, such as a job's state.

use std::collections::BTreeSet;
use std::fs::{self, File, Permissions, TryLockError};
use std::io::ErrorKind::{DirectoryNotEmpty, InvalidInput, NotFound, Unsupported};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::NamedTempFile;

mod draft;
mod failure;
pub(crate) mod reads;
pub mod scratch;
pub mod spool;

pub use draft::{Draft, Drafts};
pub use failure::{Action, ReadError, ReadProblem, WriteError, WriteProblem};

/// Files larger than this are not read: 64 MiB, far above any real one.
pub const READ_LIMIT: u64 = 64 << 20;

/// How the names of temporary files start; one that is found later was left by a crash.
pub const TEMPORARY_PREFIX: &str = ".capitalbench-";

/// Flags for opening a file by its name: follow no link, and do not wait for the other end of a pipe.
const CAUTIOUS: i32 = libc::O_NOFOLLOW | libc::O_NONBLOCK;

/// Set when writes may stay in the system's cache.
static UNFLUSHED: AtomicBool = AtomicBool::new(false);

/// From now on this process does not wait for the disk. Only for files that anybody can make again,
/// such as those of a demo or a site; every other promise of this module stays.
pub fn stop_flushing() {
    UNFLUSHED.store(true, Ordering::Relaxed);
}

/// From now on this process waits for the disk again.
pub fn flush_again() {
    UNFLUSHED.store(false, Ordering::Relaxed);
}

/// Writes a file that must not exist yet.
pub fn create_new(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    create_with(path, bytes, 0o666)
}

/// Writes a file that must not exist yet and that only its owner may read.
pub fn create_private(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    create_with(path, bytes, 0o600)
}

fn create_with(path: &Path, bytes: &[u8], mode: u32) -> Result<(), WriteError> {
    let failed = |error: io::Error| WriteError::new(Action::Create, path, error.into());
    let file = temporary_with(path, bytes, mode).map_err(failed)?;
    file.persist_noclobber(path)
        .map_err(|error| failed(error.error))?;
    flush_folder_of(path)
}

/// Writes a file, replacing an existing one.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let failed = |error: io::Error| WriteError::new(Action::Replace, path, error.into());
    let file = temporary(path, bytes).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    flush_folder_of(path)
}

/// Writes several files, replacing existing ones.
///
/// Every file is on the disk under a temporary name before the first one takes its place, so a
/// full disk or a forbidden folder changes nothing. Names are taken one after the other: a process
/// that is killed between two of them leaves some files new and some old, each of them whole.
/// New folders are removed again when a write fails.
pub fn replace_all<B: AsRef<[u8]>>(files: &[(PathBuf, B)]) -> Result<(), WriteError> {
    let mut folders = NewFolders::default();
    let mut ready = Vec::with_capacity(files.len());
    for (path, bytes) in files {
        folders.create(folder_of(path))?;
        let failed = |error: io::Error| WriteError::new(Action::Replace, path, error.into());
        ready.push((
            path.clone(),
            temporary(path, bytes.as_ref()).map_err(failed)?,
        ));
    }
    take_names(ready, folders)
}

/// Gives every complete file its name and keeps the new folders.
fn take_names(files: Vec<(PathBuf, NamedTempFile)>, folders: NewFolders) -> Result<(), WriteError> {
    let mut changed = BTreeSet::new();
    for (path, file) in files {
        let failed = |error: io::Error| WriteError::new(Action::Replace, &path, error.into());
        file.persist(&path).map_err(|error| failed(error.error))?;
        changed.insert(folder_of(&path).to_owned());
    }
    folders.keep();
    changed.iter().try_for_each(|folder| flush_folder(folder))
}

/// Folders made for files whose writing may still fail; dropping it removes the empty ones.
#[derive(Debug, Default)]
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
            // A folder that holds a file stays; a missing one needs nothing.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Removes a file; a missing file is no error.
#[expect(
    clippy::disallowed_methods,
    reason = "this module is where files are removed"
)]
pub fn remove(path: &Path) -> Result<(), WriteError> {
    match fs::remove_file(path) {
        Ok(()) => flush_folder_of(path),
        Err(error) if error.kind() == NotFound => Ok(()),
        Err(error) => Err(WriteError::new(Action::Remove, path, error.into())),
    }
}

/// Removes a folder if it is empty; otherwise it stays.
pub fn remove_empty_folder(path: &Path) -> Result<(), WriteError> {
    match fs::remove_dir(path) {
        Ok(()) => flush_folder_of(path),
        Err(error) if matches!(error.kind(), NotFound | DirectoryNotEmpty) => Ok(()),
        Err(error) => Err(WriteError::new(Action::Remove, path, error.into())),
    }
}

/// A lock on a folder; dropping it, or the end of the process, releases it.
#[derive(Debug)]
pub struct Hold {
    _file: File,
}

/// Locks a folder by its lock file; none when another process has locked it.
pub fn hold(path: &Path) -> Result<Option<Hold>, WriteError> {
    let file = open_lock(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(Hold { _file: file })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(WriteError::new(Action::Create, path, error.into())),
    }
}

/// Locks a folder by its lock file; waits while another process has locked it.
pub fn hold_in_turn(path: &Path) -> Result<Hold, WriteError> {
    let file = open_lock(path)?;
    file.lock()
        .map_err(|error| WriteError::new(Action::Create, path, error.into()))?;
    Ok(Hold { _file: file })
}

/// Opens or creates a lock file. It refuses a link, which would lock or create a file elsewhere, and
/// a pipe, because opening one waits for its other end.
fn open_lock(path: &Path) -> Result<File, WriteError> {
    let failed = |problem: WriteProblem| WriteError::new(Action::Create, path, problem);
    if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(failed(WriteProblem::NotAFile));
    }
    // The file may have been exchanged since: then opening fails, or the check below does.
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .custom_flags(CAUTIOUS)
        .open(path)
        .map_err(|error| failed(error.into()))?;
    let opened = file.metadata().map_err(|error| failed(error.into()))?;
    if !opened.is_file() {
        return Err(failed(WriteProblem::NotAFile));
    }
    Ok(file)
}

/// Removes the temporary files and folders that a crash left in a folder.
pub fn remove_unfinished(folder: &Path) -> Result<(), WriteError> {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let path = entry.path();
        if !name.to_string_lossy().starts_with(TEMPORARY_PREFIX) {
        } else if path.is_dir() {
            let failed = |error: io::Error| WriteError::new(Action::Remove, &path, error.into());
            fs::remove_dir_all(&path).map_err(failed)?;
        } else {
            remove(&path)?;
        }
    }
    Ok(())
}

/// Whether a crash left a temporary file in a folder, or a process is writing one now.
pub fn has_unfinished(folder: &Path) -> bool {
    let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| {
        let name = entry.file_name();
        name.to_string_lossy().starts_with(TEMPORARY_PREFIX)
    })
}

/// Creates a folder and its parents; an existing one stays as it is.
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

/// The same; other users may not look into it.
pub fn create_private_folder(path: &Path) -> Result<(), WriteError> {
    create_folder(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o700))
        .map_err(|error| WriteError::new(Action::CreateFolder, path, error.into()))
}

/// The folder and its parents that do not exist, deepest first.
fn missing_folders(path: &Path) -> Vec<&Path> {
    path.ancestors()
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        .collect()
}

/// Creates a folder with files and subfolders in it; it appears complete or not at all.
#[expect(
    clippy::disallowed_methods,
    reason = "this module is where folders are created"
)]
pub fn create_folder_with(
    path: &Path,
    files: &[(&str, &[u8])],
    folders: &[&str],
) -> Result<(), WriteError> {
    let failed = |error: io::Error| WriteError::new(Action::CreateFolder, path, error.into());
    let draft = tempfile::Builder::new()
        .prefix(TEMPORARY_PREFIX)
        .permissions(Permissions::from_mode(0o777))
        .tempdir_in(folder_of(path))
        .map_err(failed)?;
    for folder in folders {
        fs::create_dir(draft.path().join(folder)).map_err(failed)?;
    }
    for (name, bytes) in files {
        create_new(&draft.path().join(name), bytes)?;
    }
    if path.exists() {
        let problem = WriteProblem::Exists;
        return Err(WriteError::new(Action::CreateFolder, path, problem));
    }
    fs::rename(draft.path(), path).map_err(failed)?;
    // The folder has its final name; there is nothing left to clean up.
    let _ = draft.keep();
    flush_folder_of(path)
}

/// Reads a whole file of at most [`READ_LIMIT`] bytes; refuses a link, because it may lead anywhere.
pub fn read(path: &Path) -> Result<Vec<u8>, ReadError> {
    reads::note(path);
    log::debug!("read {}", path.display());
    read_at_most(path, READ_LIMIT)
}

fn read_at_most(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let refused = |problem| ReadError {
        path: path.to_owned(),
        problem,
    };
    let failed = |error: io::Error| match error.kind() {
        NotFound => refused(ReadProblem::Missing),
        _ => refused(ReadProblem::Failed(error.to_string())),
    };
    // Opening a pipe would wait for its other end, so the kind of the file is checked first.
    let found = fs::symlink_metadata(path).map_err(failed)?;
    if found.is_symlink() {
        return Err(refused(ReadProblem::Link));
    }
    if !found.is_file() {
        return Err(refused(ReadProblem::NotAFile));
    }
    let size = usize::try_from(found.len().min(limit)).unwrap_or_default();
    let mut bytes = Vec::with_capacity(size + 1);
    let file = File::options().read(true).custom_flags(CAUTIOUS).open(path);
    let file = file.map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(refused(ReadProblem::NotAFile));
    }
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(refused(ReadProblem::TooLarge(limit)));
    }
    Ok(bytes)
}

/// A flushed file with these bytes in the folder of `path`; dropping it removes it.
fn temporary(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    temporary_with(path, bytes, 0o666)
}

fn temporary_with(path: &Path, bytes: &[u8], mode: u32) -> io::Result<NamedTempFile> {
    log::debug!("write {} ({} bytes)", path.display(), bytes.len());
    let mut file = temporary_file(path, mode)?;
    file.write_all(bytes)?;
    flush_open(file.as_file())?;
    Ok(file)
}

/// An empty file in the folder of `path`; dropping it removes it.
fn temporary_file(path: &Path, mode: u32) -> io::Result<NamedTempFile> {
    tempfile::Builder::new()
        .prefix(TEMPORARY_PREFIX)
        .suffix(".tmp")
        // The system subtracts the umask of the process.
        .permissions(Permissions::from_mode(mode))
        .tempfile_in(folder_of(path))
}

fn flush_open(file: &File) -> io::Result<()> {
    if UNFLUSHED.load(Ordering::Relaxed) {
        return Ok(());
    }
    file.sync_all()
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Flushes the folder, so that a power cut does not undo a new, changed or removed name.
fn flush_folder_of(path: &Path) -> Result<(), WriteError> {
    flush_folder(folder_of(path))
}

fn flush_folder(folder: &Path) -> Result<(), WriteError> {
    if UNFLUSHED.load(Ordering::Relaxed) {
        return Ok(());
    }
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Ok(()) => Ok(()),
        // Some file systems cannot flush a folder; nothing more can be done there.
        Err(error) if matches!(error.kind(), InvalidInput | Unsupported) => Ok(()),
        Err(error) => {
            let problem = WriteProblem::NotFlushed(error.to_string());
            Err(WriteError::new(Action::Flush, folder, problem))
        }
    }
}

#[cfg(test)]
mod tests;
