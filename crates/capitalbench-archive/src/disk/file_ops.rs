//! The only writers of the project, and the reader with its limit.
//!
//! Every write goes to a temporary file beside its target, is flushed to the disk and only then
//! takes the target's name. A reader sees the old file, the new file or none, never a part of one.
//! A failed write leaves nothing behind; a killed one leaves a temporary file, which
//! [`remove_unfinished`] takes away. Frozen files are written with [`create_new`], which
//! never overwrites; [`replace`] is for what may change, such as a job's state.

use std::fs::{self, File, Permissions, TryLockError};
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
pub use failure::{Action, ReadError, WriteError, WriteProblem};

/// Files larger than this are not read: 64 MiB, far above any real one.
pub const READ_LIMIT: u64 = 64 << 20;

/// Names of temporary files start so; one that is found later is the trace of a crash.
pub const TEMPORARY_PREFIX: &str = ".capitalbench-";

/// Flags of every file that is opened by its name: no link is followed and no pipe waited for.
const CAUTIOUS: i32 = libc::O_NOFOLLOW | libc::O_NONBLOCK;

/// Whether writes are left to the system's cache.
static UNFLUSHED: AtomicBool = AtomicBool::new(false);

/// From now on this process does not wait for the disk; for files that anybody can make again, such
/// as those of a demo or a site. Every other promise of this module stays.
pub fn stop_flushing() {
    UNFLUSHED.store(true, Ordering::Relaxed);
}

/// Writes a file that must not exist yet.
pub fn create_new(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let failed = |error: io::Error| WriteError::new(Action::Create, path, error.into());
    let file = temporary(path, bytes).map_err(failed)?;
    file.persist_noclobber(path)
        .map_err(|error| failed(error.error))?;
    flush_folder_of(path)
}

/// Writes a file that must not exist yet and that nobody but its owner may read.
pub fn create_private(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let failed = |error: io::Error| WriteError::new(Action::Create, path, error.into());
    let file = temporary_with(path, bytes, 0o600).map_err(failed)?;
    file.persist_noclobber(path)
        .map_err(|error| failed(error.error))?;
    flush_folder_of(path)
}

/// Writes a file, in place of the one that is there, if any.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let failed = |error: io::Error| WriteError::new(Action::Replace, path, error.into());
    let file = temporary(path, bytes).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    flush_folder_of(path)
}

/// Writes several files, in place of those that are there.
///
/// Every file is on the disk under a temporary name before the first one takes its place, so a
/// full disk or a forbidden folder changes nothing. Names are taken one after the other: a process
/// that is killed between two of them leaves some files new and some old, each of them whole. Folders that were missing go away again.
pub fn replace_all<B: AsRef<[u8]>>(files: &[(PathBuf, B)]) -> Result<(), WriteError> {
    let mut folders = NewFolders::default();
    let mut ready = Vec::with_capacity(files.len());
    for (path, bytes) in files {
        folders.create(folder_of(path))?;
        let failed = |error: io::Error| WriteError::new(Action::Replace, path, error.into());
        ready.push((path, temporary(path, bytes.as_ref()).map_err(failed)?));
    }
    let mut changed: Vec<&Path> = Vec::new();
    for (path, file) in ready {
        let failed = |error: io::Error| WriteError::new(Action::Replace, path, error.into());
        file.persist(path).map_err(|error| failed(error.error))?;
        if !changed.contains(&folder_of(path)) {
            changed.push(folder_of(path));
        }
    }
    folders.keep();
    changed.into_iter().try_for_each(flush_folder)
}

/// Folders made for files that may yet fail; dropping it removes those that are still empty.
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

/// Removes a folder that holds nothing; one that holds something stays.
pub fn remove_empty_folder(path: &Path) -> Result<(), WriteError> {
    match fs::remove_dir(path) {
        Ok(()) => flush_folder_of(path),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::DirectoryNotEmpty
            ) =>
        {
            Ok(())
        }
        Err(error) => Err(WriteError::new(Action::Remove, path, error.into())),
    }
}

/// Holds a folder for one process until it is dropped; the system lets go when a process dies.
#[derive(Debug)]
pub struct Hold {
    _file: File,
}

/// Takes hold of a folder by its lock file; none when another process holds it.
pub fn hold(path: &Path) -> Result<Option<Hold>, WriteError> {
    let file = open_lock(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(Hold { _file: file })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(WriteError::new(Action::Create, path, error.into())),
    }
}

/// Takes hold of a folder by its lock file, after whoever holds it now.
pub fn hold_in_turn(path: &Path) -> Result<Hold, WriteError> {
    let file = open_lock(path)?;
    file.lock()
        .map_err(|error| WriteError::new(Action::Create, path, error.into()))?;
    Ok(Hold { _file: file })
}

/// Opens a lock file, or makes it. A link is not followed, for it would lock or create a file
/// elsewhere; a pipe is not opened, for that would wait for its other end.
fn open_lock(path: &Path) -> Result<File, WriteError> {
    let failed = |problem: WriteProblem| WriteError::new(Action::Create, path, problem);
    let is_plain = |found: &fs::Metadata| found.is_file();
    if fs::symlink_metadata(path).is_ok_and(|found| !is_plain(&found)) {
        return Err(failed(WriteProblem::NotAFile));
    }
    // What is put there after the look fails to open, or is no plain file when it is open.
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .custom_flags(CAUTIOUS)
        .open(path)
        .map_err(|error| failed(error.into()))?;
    let opened = file.metadata().map_err(|error| failed(error.into()))?;
    if !is_plain(&opened) {
        return Err(failed(WriteProblem::NotAFile));
    }
    Ok(file)
}

/// Removes what a crash left of unfinished writes in a folder; such a file never had a name.
pub fn remove_unfinished(folder: &Path) -> Result<(), WriteError> {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let path = entry.path();
        if !name.to_string_lossy().starts_with(TEMPORARY_PREFIX) {
        } else if path.is_dir() {
            fs::remove_dir_all(&path)
                .map_err(|error| WriteError::new(Action::Remove, &path, error.into()))?;
        } else {
            remove(&path)?;
        }
    }
    Ok(())
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
        return Err(WriteError::new(
            Action::CreateFolder,
            path,
            WriteProblem::Exists,
        ));
    }
    fs::rename(draft.path(), path).map_err(failed)?;
    // The folder has its final name; there is nothing left to clean up.
    let _ = draft.keep();
    flush_folder_of(path)
}

/// Reads a whole file of at most [`READ_LIMIT`] bytes; a link is refused, it may lead anywhere.
pub fn read(path: &Path) -> Result<Vec<u8>, ReadError> {
    reads::note(path);
    log::debug!("read {}", path.display());
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
    let found = fs::symlink_metadata(path).map_err(failed)?;
    if found.is_symlink() {
        return Err(ReadError::Link { path: path.into() });
    }
    if !found.is_file() {
        return Err(ReadError::NotAFile { path: path.into() });
    }
    let size = usize::try_from(found.len().min(limit)).unwrap_or_default();
    let mut bytes = Vec::with_capacity(size + 1);
    let file = File::options().read(true).custom_flags(CAUTIOUS).open(path);
    let file = file.map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(ReadError::NotAFile { path: path.into() });
    }
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
        // The umask of the process is taken off by the system.
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

/// Makes the new, changed or removed name survive a power cut.
fn flush_folder_of(path: &Path) -> Result<(), WriteError> {
    flush_folder(folder_of(path))
}

fn flush_folder(folder: &Path) -> Result<(), WriteError> {
    if UNFLUSHED.load(Ordering::Relaxed) {
        return Ok(());
    }
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

#[cfg(test)]
mod tests;
