//! The CapitalBench command line: parse, run, exit code.

use std::env;
use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

mod cli;
mod clock;
mod commands;
mod config;
mod console;
mod error;
mod price_card;
mod runner;
mod steps;

use commands::Outcome;
use error::{COULD_NOT_RUN, CommandError};

fn main() -> ExitCode {
    let typed: Vec<OsString> = env::args_os().collect();
    let json = typed.iter().any(|word| word == "--json");
    if typed.len() < 2 {
        // Nobody is left to tell when standard error is closed.
        let _ = write!(anstream::stderr(), "{}", cli::short_help().ansi());
        return ExitCode::from(COULD_NOT_RUN);
    }
    let ran = match cli::parse(&typed) {
        Ok(arguments) => {
            console::set_up(&arguments.global);
            commands::run(arguments.command).and_then(arrived)
        }
        Err(refusal) if refusal.use_stderr() && json => Err(refusal.into()),
        Err(shown) => {
            let _ = shown.print();
            return ExitCode::from(u8::try_from(shown.exit_code()).unwrap_or(COULD_NOT_RUN));
        }
    };
    match ran {
        Ok(outcome) => outcome.exit_code(),
        Err(error) => {
            if json {
                error.report_json();
            } else {
                error.report();
            }
            ExitCode::from(COULD_NOT_RUN)
        }
    }
}

/// The end of a command counts only when its output could be written.
fn arrived(outcome: Outcome) -> Result<Outcome, CommandError> {
    match console::lost_output() {
        None => Ok(outcome),
        Some(reason) => {
            let text = format!("standard output could not be written: {reason}");
            Err(CommandError::new(text))
        }
    }
}
