//! What went wrong with a file, where, and what to do about it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A write that did not happen: what was tried, where, why, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot {action} {}: {problem}", path.display())]
pub struct WriteError {
    pub action: Action,
    pub path: PathBuf,
    pub problem: WriteProblem,
}

impl WriteError {
    pub(super) fn new(action: Action, path: &Path, problem: WriteProblem) -> Self {
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
    Replace,
    Remove,
    CreateFolder,
    /// Flush a folder to the disk, so that a power cut does not undo the write.
    Flush,
}

impl fmt::Display for Action {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Create => "create",
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
    #[error(
        "the disk is read-only or you may not write there; check the permissions of the folder"
    )]
    Denied,
    #[error("no space left; free some space and run again; nothing was changed")]
    NoSpace,
    #[error("it already exists and is never overwritten; move it away if it is not wanted")]
    Exists,
    /// Something other than a plain file has the name.
    #[error("it is a link, a folder, a pipe or a device; remove it and run again")]
    NotAFile,
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
#[error("{} {problem}", path.display())]
pub struct ReadError {
    pub path: PathBuf,
    pub problem: ReadProblem,
}

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadProblem {
    #[error("is a symbolic link; a round holds plain files only")]
    Link,
    #[error("does not exist")]
    Missing,
    /// A folder, a pipe or a device.
    #[error("is not a regular file")]
    NotAFile,
    #[error("is larger than {0} bytes")]
    TooLarge(u64),
    /// Anything else, in the system's words.
    #[error("cannot be read: {0}")]
    Failed(String),
}
