//! Every round by the log when it had a certain size.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_proof::event::{Event, Fact, Files, Sealed};
use capitalbench_proof::merkle::Hash;
use jiff::Timestamp;

use crate::log::inventory::Inventory;
use crate::log::{inside_run, instant};

#[derive(Debug, Default)]
pub(super) struct RoundThen {
    /// The files it had.
    pub(super) inventory: Inventory,
    /// Files in later inventories: their latest digest, or none once they were removed.
    pub(super) later: BTreeMap<String, Option<Sealed>>,
    /// Files in an inventory before the checkpoint.
    signed: BTreeSet<String>,
    planned: BTreeSet<String>,
    accepted: BTreeSet<String>,
    scores: BTreeMap<String, Files>,
}

impl RoundThen {
    fn take(&mut self, fact: &Fact) {
        match fact {
            Fact::Slots { run, .. } => {
                self.planned.insert(run.clone());
            }
            Fact::Accepted { run, .. } => {
                self.accepted.insert(run.clone());
            }
            Fact::Score { run, results } => {
                self.scores.insert(run.clone(), results.clone());
            }
            _ => {
                self.inventory.add(fact);
            }
        }
    }

    /// A result counts once its score event is signed.
    ///
    /// Results older than the log have no such event; they count once an inventory lists them.
    pub(super) fn counts(&self, path: &str) -> bool {
        let result = inside_run(path).filter(|(_, inside)| inside.starts_with("results/"));
        result.is_none_or(|(run, _)| self.scores.contains_key(run) || self.signed.contains(path))
    }

    /// The digest of a result by the latest score event.
    pub(super) fn result(&self, path: &str) -> Option<Hash> {
        let (run, inside) = inside_run(path)?;
        self.scores.get(run)?.get(inside).copied()
    }

    /// Whether some run had a result.
    pub(super) fn is_scored(&self) -> bool {
        !self.scores.is_empty()
    }

    /// Whether a provider had been asked.
    pub(super) fn has_runs(&self) -> bool {
        let mut files = self.inventory.bodies.keys();
        files.any(|path| inside_run(path).is_some())
    }

    /// The run of a file, if the log planned it and it had no acceptance and no result.
    pub(super) fn idle_run<'a>(&self, path: &'a str) -> Option<&'a str> {
        let (run, _) = inside_run(path)?;
        let counts = self.accepted.contains(run) || self.scores.contains_key(run);
        (self.planned.contains(run) && !counts).then_some(run)
    }
}

#[derive(Debug)]
pub(super) struct Then {
    size: u64,
    pub(super) rounds: BTreeMap<String, RoundThen>,
    last: Option<Event>,
    /// Whether the next leaf may still be the inventory of the last step.
    follows: bool,
}

impl Then {
    pub(super) fn new(size: u64) -> Self {
        Self {
            size,
            rounds: BTreeMap::new(),
            last: None,
            follows: false,
        }
    }

    /// When the last event happened.
    pub(super) fn at(&self) -> Option<Timestamp> {
        instant(self.last.as_ref()?)
    }

    /// Takes the leaves one by one, also those after the checkpoint.
    pub(super) fn visit(&mut self, index: u64, event: &Event) {
        let inventory = matches!(event.fact, Fact::Inventory { .. });
        if index < self.size {
            let round = self.rounds.entry(event.round.clone()).or_default();
            round.take(&event.fact);
            if inventory {
                round.signed = round.inventory.bodies.keys().cloned().collect();
            }
            if index + 1 == self.size {
                self.follows = !inventory;
                self.last = Some(event.clone());
            }
            return;
        }
        let last = self.last.as_ref().map(|last| last.round.as_str());
        self.follows &= inventory && last == Some(event.round.as_str());
        let Some(round) = self.rounds.get_mut(&event.round) else {
            return;
        };
        // Events are signed just before the inventory of the files that record them.
        if self.follows {
            round.take(&event.fact);
        } else if let Fact::Inventory { bodies, gone, .. } = &event.fact {
            let gone = gone.iter().map(|path| (path.clone(), None));
            let bodies = bodies.iter();
            let bodies = bodies.map(|(path, sealed)| (path.clone(), Some(*sealed)));
            round.later.extend(gone.chain(bodies));
        }
    }
}

#[cfg(test)]
mod tests;
