//! What went wrong with a file, where, and what to do about it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

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
    /// A link, a pipe or a device lies where a plain file must.
    #[error(
        "it is a link, a folder, a pipe or a device and no plain file; remove it and run again"
    )]
    NotAFile,
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

impl ReadError {
    /// The file or what was found in its place.
    pub fn path(&self) -> &Path {
        match self {
            Self::Link { path }
            | Self::Missing { path }
            | Self::NotAFile { path }
            | Self::TooLarge { path, .. }
            | Self::Failed { path, .. } => path,
        }
    }

    /// What is wrong with it, without its name.
    pub fn problem(&self) -> String {
        match self {
            Self::Link { .. } => "is a symbolic link; a round holds plain files only".to_owned(),
            Self::Missing { .. } => "does not exist".to_owned(),
            Self::NotAFile { .. } => "is not a regular file".to_owned(),
            Self::TooLarge { limit, .. } => format!("is larger than {limit} bytes"),
            Self::Failed { reason, .. } => format!("cannot be read: {reason}"),
        }
    }
}
