//! How a command ends, and what it says when it could not run: a message and a hint.

use std::io::Write as _;
use std::process::ExitCode;

pub(crate) use capitalbench_operations::error::Error;
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
    /// A league waits until its price source answers again; everything else is done.
    Waits = 3,
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

/// Prints an error as one JSON object on a line of standard error.
pub(crate) fn report_json(Error { message, hint, .. }: &Error) {
    let code = Exit::CouldNotRun as u8;
    event_line(&json!({"error": {"code": code, "message": message, "hint": hint}}));
}

/// Prints an error to standard error.
pub(crate) fn report(Error { message, hint, .. }: &Error) {
    let mut out = anstream::stderr().lock();
    // Nobody is left to tell when standard error is closed.
    let _ = writeln!(out, "{} {message}", paint(ERROR, "error:"));
    if let Some(hint) = hint {
        let _ = writeln!(out, "{} {hint}", paint(DIM, "hint:"));
    }
}

/// What was typed is not a command of this program.
pub(crate) fn not_a_command(error: &clap::Error) -> Error {
    let text = error.render().to_string();
    let mut parts = text.split("\n\n").map(str::trim);
    let message = parts.next().unwrap_or_default();
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let words: Vec<&str> = message.split_whitespace().collect();
    let tip = parts.find_map(|part| part.strip_prefix("tip: "));
    Error::new(words.join(" ")).hint(tip.unwrap_or("the help of every verb shows examples"))
}
