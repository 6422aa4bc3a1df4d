//! How a command ends, and what it says when it could not run: a message and a hint.

use std::io::Write as _;
use std::process::ExitCode;

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops::WriteError;
use capitalbench_archive::results::scoring::ScoringError;
use capitalbench_archive::round::freeze::FreezeError;
use capitalbench_operations::error as operations;

use serde_json::json;

use crate::console::{DIM, ERROR, event_line, paint};

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The command did what its help says.
    Success = 0,
    /// The command ran; what it checked does not hold, or what it does is not complete.
    DoesNotHold = 1,
    CouldNotRun = 2,
}

impl Exit {
    pub(crate) fn of(success: bool) -> Self {
        if success {
            Self::Success
        } else {
            Self::DoesNotHold
        }
    }

    /// The worse of two ends.
    pub(crate) fn and(self, other: Self) -> Self {
        if self == Self::Success { other } else { self }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

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

    /// Prints the message as one JSON object on a line of standard error.
    pub(crate) fn report_json(&self) {
        let (message, hint) = (&self.message, &self.hint);
        let code = Exit::CouldNotRun as u8;
        event_line(&json!({"error": {"code": code, "message": message, "hint": hint}}));
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

/// What was typed is not a command of this program.
impl From<clap::Error> for CommandError {
    fn from(error: clap::Error) -> Self {
        let text = error.render().to_string();
        let mut parts = text.split("\n\n").map(str::trim);
        let message = parts.next().unwrap_or_default();
        let message = message.strip_prefix("error: ").unwrap_or(message);
        let words: Vec<&str> = message.split_whitespace().collect();
        let tip = parts.find_map(|part| part.strip_prefix("tip: "));
        Self::new(words.join(" ")).hint(tip.unwrap_or("the help of every verb shows examples"))
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
