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
    let league = match config::working_league() {
        Ok(league) => league,
        // The verbs of a league say themselves what is wrong with its file.
        Err(_) if does_without(&typed) => None,
        Err(error) => return could_not_run(&error, json),
    };
    let league = league.map(|found| found.league);
    let ran = match cli::parse(&typed, league.as_ref()) {
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
        Err(error) => could_not_run(&error, json),
    }
}

/// Whether what was typed needs no defaults of a league.
fn does_without(typed: &[OsString]) -> bool {
    let words = [
        "league",
        "demo",
        "completions",
        "man",
        "help",
        "--help",
        "-h",
        "--version",
    ];
    typed.iter().any(|word| words.iter().any(|own| word == own))
}

fn could_not_run(error: &Error, json: bool) -> ExitCode {
    if json {
        report_json(error);
    } else {
        report(error);
    }
    Exit::CouldNotRun.into()
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
