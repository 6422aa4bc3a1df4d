//! What is wrong with a file: which one, where in it, and what to do.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::disk::file_ops::{ReadError, WriteError};
use crate::format::text::json::JsonError;
use crate::format::text::table::TableError;
use capitalbench_core::encoding::yaml::YamlError;

/// A fault inside a file, before the file's name is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fault {
    /// Line counted from 1, where known.
    pub line: Option<u64>,
    /// Field or column, where known.
    pub field: Option<String>,
    /// What is wrong.
    pub problem: String,
}

impl Fault {
    /// A fault of the whole file.
    pub fn new(problem: impl Into<String>) -> Self {
        Self {
            problem: problem.into(),
            ..Self::default()
        }
    }

    /// A fault of one field.
    pub fn field(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            field: Some(field.into()),
            ..Self::new(problem)
        }
    }

    /// The same fault on a line.
    #[must_use]
    pub fn on_line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// The same fault in a named file.
    pub fn in_file(self, file: &Path) -> FileError {
        FileError::Content {
            file: file.to_owned(),
            fault: self,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if let Some(field) = &self.field {
            write!(f, "{field}: ")?;
        }
        f.write_str(&self.problem)
    }
}

impl From<YamlError> for Fault {
    fn from(error: YamlError) -> Self {
        Self {
            line: error.line,
            field: None,
            problem: error.message,
        }
    }
}

impl From<JsonError> for Fault {
    fn from(error: JsonError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<TableError> for Fault {
    fn from(error: TableError) -> Self {
        Self::new(error.to_string())
    }
}

/// Why a file of a round could not be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// Not there, not readable or too large.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Says something it must not.
    #[error("{}: {fault}", file.display())]
    Content {
        /// Which file.
        file: PathBuf,
        /// What is wrong in it.
        fault: Fault,
    },
    /// A folder that is not what it should be.
    #[error("{}: {problem}", folder.display())]
    Folder {
        /// Which folder.
        folder: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}

impl FileError {
    /// A fault of a folder.
    pub fn folder(folder: &Path, problem: impl Into<String>) -> Self {
        Self::Folder {
            folder: folder.to_owned(),
            problem: problem.into(),
        }
    }

    /// The file or folder.
    pub fn path(&self) -> &Path {
        match self {
            Self::Read(error) => error.path(),
            Self::Write(error) => &error.path,
            Self::Content { file, .. } => file,
            Self::Folder { folder, .. } => folder,
        }
    }

    /// What is wrong with it, without its name.
    pub fn problem(&self) -> String {
        match self {
            Self::Read(error) => error.problem(),
            Self::Write(error) => error.problem.to_string(),
            Self::Content { fault, .. } => fault.to_string(),
            Self::Folder { problem, .. } => problem.clone(),
        }
    }

    /// Whether the file is simply not there.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Read(ReadError::Missing { .. }))
    }
}
