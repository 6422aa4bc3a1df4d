//! Events of one round that contradict each other.
//!
//! `verify` reports them, and an append that would add one is refused. They are files that changed
//! after they were fixed ([`FixedFiles`]), prices and results that were replaced without a
//! correction ([`Replacements`]), events that cannot have happened where they stand ([`Places`]) and
//! instants that run backwards ([`Instants`]).

use capitalbench_proof::event::Event;

use super::fixed_files::FixedFiles;
use super::instants::Instants;
use super::places::Places;
use super::replacements::Replacements;

/// How two events contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A fixed file has other bytes, or is missing.
    FileChanged,
    /// Prices or results replaced others, and no correction says why.
    Unexplained,
    /// A report replaced another one although no result changed; a warning, not an error.
    ClaimReplaced,
    /// An event stands where it cannot have happened.
    Place,
}

impl Kind {
    /// Whether `verify` reports an error; otherwise it warns.
    pub(crate) fn is_error(self) -> bool {
        self != Self::ClaimReplaced
    }
}

/// One event that contradicts an earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Contradiction {
    pub(crate) kind: Kind,
    /// The later of the two leaves.
    pub(crate) leaf: u64,
    /// The file or the step it is about.
    pub(crate) about: String,
    pub(crate) text: String,
}

/// What one of the checks found.
#[derive(Default)]
pub(super) struct Found(pub(super) Vec<Contradiction>);

impl Found {
    pub(super) fn add(&mut self, kind: Kind, leaf: u64, about: &str, text: impl Into<String>) {
        self.0.push(Contradiction {
            kind,
            leaf,
            about: about.to_owned(),
            text: text.into(),
        });
    }

    /// Adds an event that stands where it cannot have happened.
    pub(super) fn misplaced(&mut self, leaf: u64, event: &Event, text: impl Into<String>) {
        self.add(Kind::Place, leaf, event.fact.name(), text);
    }
}

/// Every contradiction between the events of one round, which are in the order of the log.
pub(crate) fn contradictions(events: &[(u64, Event)]) -> Vec<Contradiction> {
    let mut files = FixedFiles::default();
    let mut replacements = Replacements::default();
    let mut instants = Instants::default();
    let mut places = Places::default();
    for (leaf, event) in events {
        files.take(*leaf, event);
        replacements.take(*leaf, event);
        instants.take(*leaf, event);
        places.take(*leaf, event);
    }
    files.end_of_batch();
    replacements.end_of_waiting();
    let found = [
        files.found,
        replacements.found,
        instants.found,
        places.found,
    ];
    found.into_iter().flat_map(|found| found.0).collect()
}

#[cfg(test)]
mod tests;
