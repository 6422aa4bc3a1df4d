//! What is wrong with a file: which one, where in it, and what to do.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::disk::file_ops::{ReadError, ReadProblem, WriteError};
use crate::format::text::json::JsonError;
use crate::format::text::table::TableError;
use capitalbench_core::encoding::yaml::YamlError;

/// A fault inside a file, before the file's name is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fault {
    /// Counted from 1, where known.
    pub line: Option<u64>,
    /// Field or column, where known.
    pub field: Option<String>,
    pub problem: String,
}

impl Fault {
    pub fn new(problem: impl fmt::Display) -> Self {
        Self {
            problem: problem.to_string(),
            ..Self::default()
        }
    }

    pub fn field(field: impl Into<String>, problem: impl fmt::Display) -> Self {
        Self {
            field: Some(field.into()),
            ..Self::new(problem)
        }
    }

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
        Self::new(error)
    }
}

impl From<TableError> for Fault {
    fn from(error: TableError) -> Self {
        Self::new(error)
    }
}

/// Why a file of a round could not be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The file can be read, but its content is wrong.
    #[error("{}: {fault}", file.display())]
    Content { file: PathBuf, fault: Fault },
    #[error("{}: {problem}", folder.display())]
    Folder { folder: PathBuf, problem: String },
}

impl FileError {
    pub fn folder(folder: &Path, problem: impl fmt::Display) -> Self {
        Self::Folder {
            folder: folder.to_owned(),
            problem: problem.to_string(),
        }
    }

    pub fn path(&self) -> &Path {
        match self {
            Self::Read(error) => &error.path,
            Self::Write(error) => &error.path,
            Self::Content { file, .. } => file,
            Self::Folder { folder, .. } => folder,
        }
    }

    /// The file or folder, seen from `folder` where it lies below it.
    pub fn place_in(&self, folder: &Path) -> String {
        let inside = self.path().strip_prefix(folder);
        inside.unwrap_or(self.path()).display().to_string()
    }

    /// What is wrong with it, without its name.
    pub fn problem(&self) -> String {
        match self {
            Self::Read(error) => error.problem.to_string(),
            Self::Write(error) => error.problem.to_string(),
            Self::Content { fault, .. } => fault.to_string(),
            Self::Folder { problem, .. } => problem.clone(),
        }
    }

    /// Whether the file is simply not there.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Read(error) if error.problem == ReadProblem::Missing)
    }
}
