//! Runs a command that the operator names in a file.

use std::io::{Read as _, Write as _};
use std::panic::resume_unwind;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::Operator;
use crate::error::Error;

/// No command runs longer.
const TIME_LIMIT: Duration = Duration::from_mins(2);
/// The most that is read of what it prints.
const LARGEST_OUTPUT: u64 = 4 << 20;
/// How often is looked whether it has ended.
const GLANCE: Duration = Duration::from_millis(20);
/// What it is told of the environment; keys are not among it.
const INHERITED: [&str; 3] = ["PATH", "HOME", "LANG"];

/// Gives a command of the shell its input and returns what it prints; a failure, more than two
/// minutes and more than four megabytes are errors.
pub(crate) fn run_program(
    operator: &Operator,
    command: &str,
    variables: &[(&str, &str)],
    input: &[u8],
) -> Result<Vec<u8>, Error> {
    let inherited = INHERITED
        .into_iter()
        .filter_map(|name| Some((name, operator.configuration.get(name)?)));
    let mut child = Command::new("sh")
        .args(["-c", command])
        .env_clear()
        .envs(inherited)
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| Error::new(format!("`{command}` could not be started: {error}")))?;
    let pipes = (child.stdin.take(), child.stdout.take());
    let (Some(mut own_input), Some(own_output)) = pipes else {
        return Err(Error::new(format!("`{command}` has no pipes")));
    };
    let input = input.to_vec();
    // A command that reads nothing closes its input, which is its right.
    thread::spawn(move || own_input.write_all(&input));
    let reading = thread::spawn(move || {
        let mut printed = Vec::new();
        let mut bounded = own_output.take(LARGEST_OUTPUT + 1);
        bounded.read_to_end(&mut printed).map(|_| printed)
    });
    // Its output is not waited for when it ran too long: its own children may hold it open.
    wait_for(&mut child, command)?;
    let printed = reading.join().unwrap_or_else(|panic| resume_unwind(panic));
    let printed = printed.map_err(|error| Error::new(format!("`{command}`: {error}")))?;
    if printed.len() as u64 > LARGEST_OUTPUT {
        let text = format!("`{command}` printed more than {LARGEST_OUTPUT} bytes");
        return Err(Error::new(text));
    }
    Ok(printed)
}

fn wait_for(child: &mut Child, command: &str) -> Result<(), Error> {
    let begun = Instant::now();
    let failed = |error: std::io::Error| Error::new(format!("`{command}`: {error}"));
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            if status.success() {
                return Ok(());
            }
            return Err(Error::new(format!("`{command}` failed: {status}")));
        }
        if begun.elapsed() > TIME_LIMIT {
            child.kill().map_err(failed)?;
            child.wait().map_err(failed)?;
            let text = format!("`{command}` ran longer than {TIME_LIMIT:?} and was ended");
            return Err(Error::new(text));
        }
        thread::sleep(GLANCE);
    }
}
