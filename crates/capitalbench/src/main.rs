//! The CapitalBench command line: parse, run, exit code.

use std::env;
use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

mod cli;
mod commands;
mod config;
mod console;
mod error;

use error::{Error, Exit, not_a_command, report, report_json};

fn main() -> ExitCode {
    let typed: Vec<OsString> = env::args_os().collect();
    let json = typed.iter().any(|word| word == "--json");
    if typed.len() < 2 {
        // Nobody is left to tell when standard error is closed.
        let _ = write!(anstream::stderr(), "{}", cli::short_help().ansi());
        return Exit::CouldNotRun.into();
    }
    let ran = match cli::parse(&typed) {
        Ok(arguments) => {
            console::set_up(&arguments.global, arguments.json);
            commands::run(arguments.command).and_then(arrived)
        }
        Err(refusal) if refusal.use_stderr() && json => Err(not_a_command(&refusal)),
        Err(shown) => {
            let _ = shown.print();
            // Help that was asked for goes to standard output and is a success.
            let exit = if shown.use_stderr() {
                Exit::CouldNotRun
            } else {
                Exit::Success
            };
            return exit.into();
        }
    };
    match ran {
        Ok(exit) => exit.into(),
        Err(error) => {
            if json {
                report_json(&error);
            } else {
                report(&error);
            }
            Exit::CouldNotRun.into()
        }
    }
}

/// The exit of a command counts only when its output could be written.
fn arrived(exit: Exit) -> Result<Exit, Error> {
    match console::lost_output() {
        None => Ok(exit),
        Some(reason) => {
            let text = format!("standard output could not be written: {reason}");
            Err(Error::new(text))
        }
    }
}
