//! One file per verb; each loads, asks the archive or the core, and prints.

use std::process::ExitCode;

use capitalbench_archive::freeze;
use capitalbench_archive::round_folder::RoundFolder;
use capitalbench_core::ids::RunId;

use crate::cli::Command;
use crate::error::{CommandError, DOES_NOT_HOLD};

mod audit_round;
mod hash_round;
mod list_runs;
mod score_round;
mod validate_submissions;
mod verify;

/// What a command that ran came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Everything holds.
    Holds,
    /// Something does not.
    DoesNotHold,
}

impl Outcome {
    pub(crate) fn exit_code(self) -> ExitCode {
        match self {
            Self::Holds => ExitCode::SUCCESS,
            Self::DoesNotHold => ExitCode::from(DOES_NOT_HOLD),
        }
    }

    fn of(holds: bool) -> Self {
        if holds {
            Self::Holds
        } else {
            Self::DoesNotHold
        }
    }
}

/// Runs what was typed.
pub(crate) fn run(command: Command) -> Result<Outcome, CommandError> {
    match command {
        Command::Verify(arguments) => verify::run(&arguments),
        Command::AuditRound(arguments) => audit_round::run(&arguments),
        Command::HashRound(arguments) => hash_round::run(&arguments),
        Command::ListRuns(arguments) => list_runs::run(&arguments),
        Command::ValidateSubmissions(arguments) => validate_submissions::run(&arguments),
        Command::ScoreRound(arguments) => score_round::run(&arguments),
    }
}

/// A run id as typed; one that could leave its folder is refused.
fn run_id(text: Option<&str>) -> Result<Option<RunId>, CommandError> {
    text.map(RunId::parse).transpose().map_err(|error| {
        CommandError::new(format!("--run-id: {error}"))
            .hint("list the runs with `capitalbench list-runs --round DIR`")
    })
}

/// Submissions are judged and scored by the frozen rules and options, or not at all.
fn refuse_changed_rules(folder: &RoundFolder) -> Result<(), CommandError> {
    let changed = freeze::changed_rules(folder)?;
    match changed.first() {
        None => Ok(()),
        Some(problem) => {
            let text = format!("{}: {} {}", folder.name(), problem.file(), problem.text());
            Err(CommandError::new(text).hint("restore the frozen file; nothing was written"))
        }
    }
}
