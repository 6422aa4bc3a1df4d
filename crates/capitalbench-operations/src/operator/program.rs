//! [`Program`]: a command of the operator, run without a shell, without keys and within limits.

use std::io::{Read, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::configuration::Configuration;
use crate::error::Error;

/// How long a look at a program that closed its output, but has not ended, takes.
const LOOK: Duration = Duration::from_millis(20);
/// How much of its complaints is kept.
const MOST_COMPLAINTS: u64 = 4_096;
/// The variables that a program gets besides its own: none of them can hold a key.
const PASSED_ON: [&str; 4] = ["PATH", "HOME", "LANG", "TZ"];

/// A command as the operator wrote it. It gets no variable of this process but the four that programs
/// need to run, so no key reaches it.
#[derive(Debug)]
pub struct Program<'a> {
    /// The name of the setting or flag, for messages.
    pub setting: &'a str,
    pub command: &'a str,
    /// Variables of its own.
    pub variables: &'a [(&'a str, String)],
    /// What it can read from its standard input.
    pub input: &'a [u8],
    pub time_limit: Duration,
    /// The most that it may print.
    pub most_bytes: usize,
}

impl Program<'_> {
    /// What it printed; any ending but exit code 0 is an error.
    pub fn output(&self, configuration: &Configuration) -> Result<Vec<u8>, Error> {
        let words = self.words()?;
        let Some((program, arguments)) = words.split_first() else {
            return Err(self.error("is empty"));
        };
        let mut command = Command::new(program);
        command.args(arguments).env_clear();
        for name in PASSED_ON {
            if let Some(value) = configuration.get(name) {
                command.env(name, value);
            }
        }
        let own = self.variables.iter();
        command.envs(own.map(|(name, value)| (*name, value)));
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let deadline = Instant::now() + self.time_limit;
        let child = command.spawn();
        let mut child = child.map_err(|error| self.error(&format!("cannot start: {error}")))?;
        if let Some(mut pipe) = child.stdin.take() {
            let input = self.input.to_vec();
            // A program that does not read its input may close it.
            thread::spawn(move || pipe.write_all(&input));
        }
        let most = u64::try_from(self.most_bytes).unwrap_or(u64::MAX);
        let said = reader(child.stdout.take(), most.saturating_add(1));
        let complaints = reader(child.stderr.take(), MOST_COMPLAINTS);
        let ended = self.wait(&mut child, &said, deadline);
        if ended.is_err() {
            // Whether it can still be stopped changes nothing about the error.
            let _ = child.kill();
            let _ = child.wait();
        }
        let (status, bytes) = ended?;
        if status.success() {
            return Ok(bytes);
        }
        let complaints = complaints.recv_timeout(LOOK).unwrap_or_default();
        let complaints = String::from_utf8_lossy(&complaints);
        let first = complaints.lines().find(|line| !line.trim().is_empty());
        let first = first.map_or_else(String::new, |line| format!(": {}", line.trim()));
        Err(self.error(&format!("ended with {status}{first}")))
    }

    /// Waits for the output and the end.
    fn wait(
        &self,
        child: &mut Child,
        said: &Receiver<Vec<u8>>,
        deadline: Instant,
    ) -> Result<(ExitStatus, Vec<u8>), Error> {
        let too_slow = || {
            let seconds = self.time_limit.as_secs();
            self.error(&format!(
                "took longer than {seconds} seconds and was stopped"
            ))
        };
        let left = deadline.saturating_duration_since(Instant::now());
        let bytes = said.recv_timeout(left).map_err(|_| too_slow())?;
        if bytes.len() > self.most_bytes {
            let most = self.most_bytes;
            return Err(self.error(&format!("printed more than {most} bytes and was stopped")));
        }
        loop {
            let ended = child.try_wait();
            let ended = ended.map_err(|error| self.error(&format!("was lost: {error}")))?;
            if let Some(status) = ended {
                return Ok((status, bytes));
            }
            if Instant::now() >= deadline {
                return Err(too_slow());
            }
            thread::sleep(LOOK);
        }
    }

    /// The words of the command: quotes and backslashes keep spaces, nothing else is special.
    fn words(&self) -> Result<Vec<String>, Error> {
        let unpaired = || self.error("has a quote or backslash without its partner");
        let mut words = Vec::new();
        let mut word: Option<String> = None;
        let mut letters = self.command.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\'' | '"' => {
                    let own = word.get_or_insert_default();
                    loop {
                        match letters.next().ok_or_else(unpaired)? {
                            end if end == letter => break,
                            '\\' if letter == '"' => {
                                own.push(letters.next().ok_or_else(unpaired)?);
                            }
                            inside => own.push(inside),
                        }
                    }
                }
                '\\' => {
                    let next = letters.next().ok_or_else(unpaired)?;
                    word.get_or_insert_default().push(next);
                }
                space if space.is_whitespace() => words.extend(word.take()),
                other => word.get_or_insert_default().push(other),
            }
        }
        words.extend(word);
        Ok(words)
    }

    fn error(&self, problem: &str) -> Error {
        Error::new(format!("{}: the command {problem}", self.setting))
            .hint("try it by itself; it runs without a shell and without your keys")
    }
}

/// Reads a pipe in a thread of its own, so that waiting for it can end.
fn reader(pipe: Option<impl Read + Send + 'static>, most: u64) -> Receiver<Vec<u8>> {
    let (send, receive) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            // A pipe that breaks ends the text; the exit code says the rest.
            let _ = pipe.take(most).read_to_end(&mut bytes);
        }
        // Nobody listens any more where the program was stopped.
        let _ = send.send(bytes);
    });
    receive
}

#[cfg(test)]
mod tests;
