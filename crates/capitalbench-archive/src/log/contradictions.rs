//! What the events of one round say against each other.
//!
//! `verify` reports what is found here, and nothing is appended that would be reported: files that
//! were fixed and changed ([`FixedFiles`]), prices and results that were replaced without a word
//! ([`Replacements`]), events at places where they cannot have happened ([`Places`]) and instants
//! that run backwards ([`Instants`]).

use capitalbench_proof::event::Event;

use super::fixed_files::FixedFiles;
use super::instants::Instants;
use super::places::Places;
use super::replacements::Replacements;

/// How two events contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A file that was fixed has other bytes, or is gone.
    FileChanged,
    /// Prices or results took the place of others, and no correction says why.
    Unexplained,
    /// A report took the place of another one although no result changed; it is told, not refused.
    ClaimReplaced,
    /// Something stands in the log at a place where it cannot have happened.
    Place,
}

impl Kind {
    /// Whether `verify` condemns it; else it warns.
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
    let mut found = files.into_found();
    found.extend(replacements.into_found());
    found.extend(instants.into_found());
    found.extend(places.into_found());
    found
}

#[cfg(test)]
mod tests;
