//! [`Hints`]: what earlier passes of a league found out, so that later ones need not look again.
//!
//! The rounds are the truth. Whoever removes this file costs the next pass some time and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use capitalbench_archive::disk::{file_ops, layout};
use capitalbench_archive::round::round_folder::RoundFolder;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The file, in the state folder of the rounds.
const NAME: &str = "league.json";
/// The longest pause before a step that failed is tried again.
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_mins(10);

#[derive(Debug, Default)]
pub(super) struct Hints {
    file: PathBuf,
    found: Found,
    is_changed: bool,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Found {
    /// Rounds in which nothing is left to do, with the mark of the file that says so.
    over: BTreeMap<String, String>,
    /// Steps whose last effect is known to be on disk and told.
    done: BTreeSet<String>,
    /// Steps that failed.
    held: BTreeMap<String, Held>,
    /// When the last publication was made.
    published: Option<Timestamp>,
    /// Whether something changed since.
    is_unpublished: bool,
}

/// A step that failed, and when it is tried again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Held {
    pub(super) round: Option<String>,
    pub(super) text: String,
    pub(super) until: Timestamp,
    /// Whether a price plan is used up until then.
    pub(super) waits_for_plan: bool,
    tries: u32,
}

impl Hints {
    /// Reads the hints; none where they are missing or cannot be read.
    pub(super) fn load(state: &Path) -> Self {
        let file = state.join(NAME);
        let bytes = file_ops::read(&file).unwrap_or_default();
        let found = serde_json::from_slice(&bytes).unwrap_or_default();
        Self {
            file,
            found,
            is_changed: false,
        }
    }

    /// Writes them where they changed.
    pub(super) fn store(&mut self) -> Result<(), Error> {
        if !self.is_changed {
            return Ok(());
        }
        let text = serde_json::to_string(&self.found)
            .map_err(|error| Error::new(format!("{}: {error}", self.file.display())))?;
        file_ops::replace(&self.file, text.as_bytes())?;
        self.is_changed = false;
        Ok(())
    }

    /// Whether nothing is left to do in a round: its job or tombstone is what it was then.
    pub(super) fn is_over(&self, round: &RoundFolder) -> bool {
        let known = self.found.over.get(&round.name());
        known.is_some_and(|known| Some(known) == mark(round).as_ref())
    }

    pub(super) fn set_over(&mut self, round: &RoundFolder) {
        let Some(mark) = mark(round) else {
            return;
        };
        let name = round.name();
        self.found
            .done
            .retain(|key| !key.ends_with(&format!(" {name}")));
        self.found
            .held
            .retain(|_, held| held.round.as_ref() != Some(&name));
        self.found.over.insert(name, mark);
        self.is_changed = true;
    }

    pub(super) fn is_done(&self, step: &str) -> bool {
        self.found.done.contains(step)
    }

    pub(super) fn set_done(&mut self, step: &str) {
        self.is_changed |= self.found.done.insert(step.to_owned());
    }

    pub(super) fn unset_done(&mut self, step: &str) {
        self.is_changed |= self.found.done.remove(step);
    }

    /// Why a step is not tried before an instant.
    pub(super) fn held(&self, step: &str) -> Option<&Held> {
        self.found.held.get(step)
    }

    /// Why the last step of a round failed.
    pub(super) fn reason(&self, round: &str) -> Option<&str> {
        let held = self.found.held.iter();
        let held = held.filter(|(step, _)| !step.starts_with("abandon "));
        let mut own = held.filter(|(_, held)| held.round.as_deref() == Some(round));
        own.next_back().map(|(_, held)| held.text.as_str())
    }

    /// Notes that a step failed; the pause doubles from one failure to the next.
    pub(super) fn hold(&mut self, step: &str, failed: Failed<'_>, now: Timestamp) -> Held {
        let tries = self.held(step).map_or(0, |held| held.tries) + 1;
        let pause = SignedDuration::from_mins(1 << (tries - 1).min(5)).min(LONGEST_PAUSE);
        let mut until = now.checked_add(pause).unwrap_or(Timestamp::MAX);
        if let Some(last) = failed.last_try.filter(|last| *last > now) {
            until = until.min(last);
        }
        let error = failed.error;
        let held = Held {
            round: failed.round.map(str::to_owned),
            text: sentence(error),
            until: error.waits_until.unwrap_or(until),
            waits_for_plan: error.waits_until.is_some(),
            tries,
        };
        self.found.held.insert(step.to_owned(), held.clone());
        self.is_changed = true;
        held
    }

    /// Notes that a step succeeded.
    pub(super) fn free(&mut self, step: &str) {
        self.is_changed |= self.found.held.remove(step).is_some();
    }

    /// When the public last saw everything; none where something changed since.
    pub(super) fn published(&self) -> Option<Timestamp> {
        self.found.published.filter(|_| !self.found.is_unpublished)
    }

    /// Whether a pass was changing something when it ended.
    pub(super) fn is_unpublished(&self) -> bool {
        self.found.is_unpublished
    }

    pub(super) fn set_published(&mut self, now: Timestamp) {
        self.found.published = Some(now);
        self.found.is_unpublished = false;
        self.is_changed = true;
    }

    /// Notes, on disk, that something is about to change.
    pub(super) fn set_unpublished(&mut self) -> Result<(), Error> {
        if self.found.is_unpublished {
            return Ok(());
        }
        self.found.is_unpublished = true;
        self.is_changed = true;
        self.store()
    }
}

/// A step that failed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Failed<'a> {
    pub(super) round: Option<&'a str>,
    pub(super) error: &'a Error,
    /// A little before the deadline it is tried once more in any case.
    pub(super) last_try: Option<Timestamp>,
}

/// What went wrong and what to do about it.
fn sentence(error: &Error) -> String {
    match &error.hint {
        Some(hint) => format!("{}; {hint}", error.message),
        None => error.message.clone(),
    }
}

/// Size and time of the file that ends a round; another one is looked at again.
fn mark(round: &RoundFolder) -> Option<String> {
    let marks = ENDS.iter().filter_map(|file| {
        let found = std::fs::symlink_metadata(round.file(file)).ok()?;
        let changed = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(format!("{file} {} {}", found.len(), changed.as_nanos()))
    });
    let marks: Vec<String> = marks.collect();
    (!marks.is_empty()).then(|| marks.join(", "))
}

/// The files that can end a round.
const ENDS: [&str; 2] = [layout::JOB, layout::TOMBSTONE];

#[cfg(test)]
mod tests;
