//! The CapitalBench command line: parse, run, exit code.

use std::process::ExitCode;

use clap::Parser as _;

mod cli;
mod commands;
mod config;
mod console;
mod error;

fn main() -> ExitCode {
    let arguments = cli::Arguments::parse();
    match commands::run(arguments.command).and_then(arrived) {
        Ok(outcome) => outcome.exit_code(),
        Err(error) => {
            error.report();
            ExitCode::from(error::COULD_NOT_RUN)
        }
    }
}

/// What a command came to counts only when its output could be written.
fn arrived(outcome: commands::Exit) -> Result<commands::Exit, error::CommandError> {
    match console::lost_output() {
        None => Ok(outcome),
        Some(reason) => {
            let text = format!("standard output could not be written: {reason}");
            Err(error::CommandError::new(text))
        }
    }
}
