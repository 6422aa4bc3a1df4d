//! What a command says when it could not run: a message, a hint and exit code 2.

use std::io::Write as _;

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops::WriteError;
use capitalbench_archive::results::scoring::ScoringError;
use capitalbench_archive::round::freeze::FreezeError;

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

    /// Adds to the hint that is there.
    pub(crate) fn or_hint(mut self, other: &str) -> Self {
        self.hint = Some(match self.hint {
            Some(hint) => format!("{hint}, {other}"),
            None => other.to_owned(),
        });
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
        let plain = Self::new(error.to_string());
        match error {
            FreezeError::File(_) => plain,
            FreezeError::Sealed(_) => plain.hint("start another round with `init-round`"),
            FreezeError::Changed { .. } => {
                plain.hint("restore the frozen files and run again; nothing was written")
            }
        }
    }
}

impl From<ScoringError> for CommandError {
    fn from(error: ScoringError) -> Self {
        let hint = match &error {
            ScoringError::Submission { .. } => {
                Some("run `capitalbench validate-submissions` on this run; no result was written")
            }
            ScoringError::NotDerived { .. } => Some(
                "put the file of then back; a parsed file is made again by `capitalbench \
                 validate-submissions`; `capitalbench verify` on the round lists everything; \
                 nothing was written",
            ),
            ScoringError::OtherResult { .. } => Some(
                "put the file of then back, or score the run again with `capitalbench score-round \
                 --correct REASON`; nothing was published",
            ),
            ScoringError::Score { .. } | ScoringError::Prices { .. } => {
                Some("complete the price sheets and score again; no result was written")
            }
            ScoringError::CrossCheck { .. } => Some(
                "look at prices/cross_check.json; to score all the same, give \
                 --accept-cross-check REASON",
            ),
            ScoringError::WouldChange { .. } => Some(
                "no result was written; if the new prices or submissions are right, give \
                 --correct REASON, and the old results are kept",
            ),
            _ => None,
        };
        let plain = Self::new(error.to_string());
        match hint {
            Some(hint) => plain.hint(hint),
            None => plain,
        }
    }
}
