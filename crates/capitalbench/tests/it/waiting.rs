//! Waiting for what other processes do: for a line that they print, or, where nothing tells, for a
//! condition that is looked at again and again.

use std::io::{BufRead as _, BufReader, Lines, Read as _};
use std::process::{Child, ChildStderr, Output};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::harness::Ran;

/// Waits until something holds that nothing announces; panics with what was awaited.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let last = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < last, "waited two minutes for {what}");
        sleep(Duration::from_millis(20));
    }
}

/// No test waits longer for an event that must come.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// A value that several threads change, and the news that it changed.
#[derive(Default)]
pub(crate) struct Watched<T> {
    value: Mutex<T>,
    changed: Condvar,
}

impl<T> Watched<T> {
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.value.lock().expect("no panic in a server")
    }

    /// Changes the value and wakes everybody who waits for that.
    pub(crate) fn change<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let changed = change(&mut self.lock());
        self.changed.notify_all();
        changed
    }

    /// Waits until something holds for the value, this long at most; whether it came to that.
    pub(crate) fn wait(&self, at_most: Duration, holds: impl Fn(&T) -> bool) -> bool {
        let waited = self
            .changed
            .wait_timeout_while(self.lock(), at_most, |value| !holds(value));
        !waited.expect("no panic in a server").1.timed_out()
    }
}

/// A running program and what it has said on standard error so far.
pub(crate) struct Speaking {
    child: Child,
    lines: Lines<BufReader<ChildStderr>>,
    said: String,
}

impl Speaking {
    /// Listens to a program whose outputs are pipes.
    pub(crate) fn new(mut child: Child) -> Self {
        let lines = BufReader::new(child.stderr.take().expect("its standard error")).lines();
        let said = String::new();
        Self { child, lines, said }
    }

    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits until so many further lines hold a text.
    #[track_caller]
    pub(crate) fn until(&mut self, count: usize, text: &str) {
        let mut found = 0;
        while found < count {
            let line = self.lines.next();
            let line = line.unwrap_or_else(|| panic!("it ended without {text:?}: {}", self.said));
            let line = line.expect("text on standard error");
            found += usize::from(line.contains(text));
            self.said.push_str(&line);
            self.said.push('\n');
        }
    }

    /// Waits for its end.
    pub(crate) fn ended(mut self) -> Ran {
        for line in self.lines.by_ref() {
            self.said.push_str(&line.expect("text on standard error"));
            self.said.push('\n');
        }
        let mut stdout = Vec::new();
        if let Some(mut pipe) = self.child.stdout.take() {
            pipe.read_to_end(&mut stdout).expect("its standard output");
        }
        let output = Output {
            status: self.child.wait().expect("an ended process"),
            stdout,
            stderr: self.said.into_bytes(),
        };
        Ran::new("started by a test", output)
    }
}
