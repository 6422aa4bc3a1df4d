//! The only writers of the project, and the reader with its limit.
//!
//! Every write goes to a temporary file beside its target, is flushed to the disk and only then
//! takes the target's name. A reader sees the old file, the new file or none, never a part of one,
//! and a failed write leaves nothing behind. Frozen files are written with [`create_new`], which
//! never overwrites; [`replace`] is for what may change, such as a job's state.

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

/// Replaces several files: all are on the disk before the first takes its name.
pub fn replace_all<'a>(
    files: impl IntoIterator<Item = (&'a Path, &'a [u8])>,
) -> Result<(), WriteError> {
    let mut written = Vec::new();
    for (path, bytes) in files {
        let failed = |error: io::Error| WriteError::new(Action::Replace, path, error.into());
        written.push((path, temporary(path, bytes).map_err(failed)?));
    }
    let mut folders: Vec<&Path> = Vec::new();
    for (path, file) in written {
        let failed = |error: io::Error| WriteError::new(Action::Replace, path, error.into());
        file.persist(path).map_err(|error| failed(error.error))?;
        if !folders.contains(&folder_of(path)) {
            folders.push(folder_of(path));
        }
    }
    folders.into_iter().try_for_each(flush_folder)
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
    let missing: Vec<_> = path
        .ancestors()
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        .collect();
    fs::create_dir_all(path)
        .map_err(|error| WriteError::new(Action::CreateFolder, path, error.into()))?;
    missing.into_iter().rev().try_for_each(flush_folder_of)
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
    let file = File::open(path).map_err(failed)?;
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
    flush_folder(folder_of(path))
}

fn flush_folder(folder: &Path) -> Result<(), WriteError> {
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
    /// A link instead of a file.
    #[error("{} is a symbolic link; a round holds plain files only", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
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

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn create_new_writes_once() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("hashes.json");
        create_new(&path, b"one").unwrap();
        let error = create_new(&path, b"two").unwrap_err();
        assert_eq!(error.problem, WriteProblem::Exists);
        assert_eq!(
            error.to_string(),
            format!(
                "cannot create {}: it already exists and is never overwritten; \
                 move it away if it is not wanted",
                path.display()
            )
        );
        assert_eq!(read(&path), Ok(b"one".to_vec()));
        assert_eq!(names(folder.path()), ["hashes.json"]);
    }

    #[test]
    fn create_identical_confirms_or_refuses() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("reply.json");
        create_identical(&path, b"one").unwrap();
        create_identical(&path, b"one").unwrap();
        for other in [&b"two"[..], b"", b"one more"] {
            let error = create_identical(&path, other).unwrap_err();
            assert_eq!(error.problem, WriteProblem::Differs);
        }
        assert_eq!(read(&path), Ok(b"one".to_vec()));
        let error = create_identical(folder.path(), b"").unwrap_err();
        assert_eq!(error.problem, WriteProblem::Differs);
        assert_eq!(names(folder.path()), ["reply.json"]);
    }

    #[test]
    fn replace_takes_the_place_of_the_old_file() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("job.yaml");
        replace(&path, b"one").unwrap();
        replace(&path, b"two, longer").unwrap();
        assert_eq!(read(&path), Ok(b"two, longer".to_vec()));
        assert_eq!(names(folder.path()), ["job.yaml"]);
    }

    #[test]
    fn a_failed_rename_leaves_nothing_behind() {
        let folder = TempDir::new().unwrap();
        let taken = folder.path().join("taken");
        create_folder(&taken.join("inner")).unwrap();
        let error = replace(&taken, b"x").unwrap_err();
        assert_eq!(error.action, Action::Replace);
        assert!(matches!(error.problem, WriteProblem::Other(_)), "{error}");
        assert_eq!(
            create_new(&taken, b"x").unwrap_err().problem,
            WriteProblem::Exists
        );
        assert_eq!(names(folder.path()), ["taken"]);
    }

    #[test]
    fn a_missing_folder_or_a_file_in_its_place_is_named() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("none/a.json");
        for error in [create_new(&path, b"x"), replace(&path, b"x")] {
            let error = error.unwrap_err();
            assert_eq!(error.problem, WriteProblem::NoFolder);
            assert_eq!(error.path, path);
        }
        let file = folder.path().join("file");
        create_new(&file, b"x").unwrap();
        let below = file.join("a.json");
        assert!(create_new(&below, b"x").is_err());
        assert!(create_identical(&below, b"x").is_err());
        assert!(replace(&below, b"x").is_err());
        assert!(remove(&below).is_err());
        assert!(create_folder(&below).is_err());
        assert!(create_folder(&file).is_err());
        assert_eq!(names(folder.path()), ["file"]);
    }

    #[test]
    fn a_read_only_folder_is_explained() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.json");
        fs::set_permissions(folder.path(), Permissions::from_mode(0o555)).unwrap();
        let outcome = create_new(&path, b"x");
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        match outcome {
            Ok(()) => println!("skipped: the superuser may write to a read-only folder"),
            Err(error) => {
                assert_eq!(error.problem, WriteProblem::Denied);
                assert_eq!(names(folder.path()), [""; 0]);
            }
        }
    }

    #[test]
    fn system_errors_have_their_remedies() {
        for (kind, words) in [
            (io::ErrorKind::ReadOnlyFilesystem, "the disk is read-only"),
            (io::ErrorKind::PermissionDenied, "check the permissions"),
            (io::ErrorKind::StorageFull, "free some space and run again"),
            (io::ErrorKind::QuotaExceeded, "nothing was changed"),
            (io::ErrorKind::BrokenPipe, "broken pipe"),
        ] {
            let problem = WriteProblem::from(io::Error::from(kind));
            assert!(problem.to_string().contains(words), "{problem}");
        }
    }

    #[test]
    fn files_have_the_mode_of_ordinary_files() {
        let folder = TempDir::new().unwrap();
        let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));
        create_new(&ours, b"").unwrap();
        File::options()
            .write(true)
            .create_new(true)
            .open(&plain)
            .unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }

    #[test]
    fn remove_takes_missing_files_as_removed() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a");
        create_new(&path, b"x").unwrap();
        remove(&path).unwrap();
        remove(&path).unwrap();
        remove(&folder.path().join("none/a")).unwrap();
        assert!(remove(folder.path()).is_err());
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn create_folder_makes_all_levels_once() {
        let folder = TempDir::new().unwrap();
        let deep = folder.path().join("a/b/c");
        create_folder(&deep).unwrap();
        create_folder(&deep).unwrap();
        assert!(deep.is_dir());
    }

    #[test]
    fn read_names_what_it_refuses() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a");
        let missing = ReadError::Missing { path: path.clone() };
        assert_eq!(read(&path), Err(missing));
        let not_a_file = ReadError::NotAFile {
            path: folder.path().into(),
        };
        assert_eq!(read(folder.path()), Err(not_a_file));
        assert!(matches!(
            read(Path::new("/dev/null")),
            Err(ReadError::NotAFile { .. })
        ));
        create_new(&path, b"12345").unwrap();
        assert_eq!(read_at_most(&path, 5), Ok(b"12345".to_vec()));
        let error = read_at_most(&path, 4).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("{} is larger than 4 bytes", path.display())
        );
        assert!(matches!(
            read(&path.join("below")),
            Err(ReadError::Failed { .. })
        ));
    }

    #[test]
    fn a_name_alone_is_in_the_current_folder() {
        assert_eq!(folder_of(Path::new("a.json")), Path::new("."));
        assert_eq!(folder_of(Path::new("a/b.json")), Path::new("a"));
    }
}
