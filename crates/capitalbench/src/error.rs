//! What a command says when it could not run: a message, a hint and exit code 2.

use std::io::Write as _;

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops::WriteError;
use capitalbench_archive::results::scoring::ScoringError;
use capitalbench_archive::round::freeze::FreezeError;
use capitalbench_operations::error as operations;

use crate::console::{DIM, ERROR, paint};

/// The command ran and what it checked does not hold.
pub(crate) const DOES_NOT_HOLD: u8 = 1;
/// The command could not run.
pub(crate) const COULD_NOT_RUN: u8 = 2;

/// Why a command could not run.
#[derive(Debug)]
pub(crate) struct CommandError {
    message: String,
    hint: Option<String>,
}

impl CommandError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Prints the message to standard error.
    pub(crate) fn report(&self) {
        let mut out = anstream::stderr().lock();
        // Nobody is left to tell when standard error is closed.
        let _ = writeln!(out, "{} {}", paint(ERROR, "error:"), self.message);
        if let Some(hint) = &self.hint {
            let _ = writeln!(out, "{} {hint}", paint(DIM, "hint:"));
        }
    }
}

impl std::fmt::Display for CommandError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<FileError> for CommandError {
    fn from(error: FileError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<WriteError> for CommandError {
    fn from(error: WriteError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<FreezeError> for CommandError {
    fn from(error: FreezeError) -> Self {
        operations::Error::from(error).into()
    }
}

impl From<ScoringError> for CommandError {
    fn from(error: ScoringError) -> Self {
        operations::Error::from(error).into()
    }
}

impl From<operations::Error> for CommandError {
    fn from(error: operations::Error) -> Self {
        let operations::Error { message, hint } = error;
        Self { message, hint }
    }
}
