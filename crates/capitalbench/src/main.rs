//! The CapitalBench command line: parse, run, exit code.

use std::process::ExitCode;

use clap::Parser as _;

mod cli;
mod clock;
mod commands;
mod console;
mod error;

fn main() -> ExitCode {
    let arguments = cli::Arguments::parse();
    match commands::run(arguments.command) {
        Ok(outcome) => outcome.exit_code(),
        Err(error) => {
            error.report();
            ExitCode::from(error::COULD_NOT_RUN)
        }
    }
}
