//! Events that stand in the log where they cannot have happened.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_proof::event::{Event, Fact};
use capitalbench_proof::merkle::Hash;

use super::contradictions::Found;
use super::repairs::Repairs;
use super::replaced_kind;

#[derive(Default)]
pub(super) struct Places {
    /// Planned runs, and whether their answers are invented.
    planned: BTreeMap<String, bool>,
    accepted: BTreeSet<String>,
    is_asked: bool,
    /// The leaf that ended the round without a record.
    ended: Option<u64>,
    /// Events that stay true, and the latest event of each kind that a later one replaces.
    told: BTreeSet<Hash>,
    last: BTreeMap<String, Hash>,
    /// Number of corrections of each run, and of the prices under none.
    corrections: BTreeMap<Option<String>, u64>,
    repairs: Repairs,
    pub(super) found: Found,
}

impl Places {
    pub(super) fn take(&mut self, leaf: u64, event: &Event) {
        self.repeated(leaf, event);
        if let Some(text) = self.repairs.take(&event.fact) {
            self.found.misplaced(leaf, event, text);
        }
        self.end(leaf, event);
        match &event.fact {
            Fact::Slots { run, calls, .. } => {
                let known = self.planned.insert(run.clone(), calls == "mock");
                if known.is_some() {
                    self.found
                        .misplaced(leaf, event, format!("plans {run} a second time"));
                }
            }
            Fact::AttemptBegin { place, .. } => {
                match self.planned.get(&place.run) {
                    None => {
                        let text = format!("asks in {}, which was not planned", place.run);
                        self.found.misplaced(leaf, event, text);
                    }
                    Some(invented) => self.is_asked |= !invented,
                }
                if self.accepted.contains(&place.run) {
                    let text = format!("asks in {}, which was accepted before", place.run);
                    self.found.misplaced(leaf, event, text);
                }
            }
            Fact::Accepted { run, .. } if !self.accepted.insert(run.clone()) => {
                self.found
                    .misplaced(leaf, event, format!("accepts {run} a second time"));
            }
            Fact::Freeze { .. } if self.is_asked => {
                let text = "freezes other inputs after a provider was asked";
                self.found.misplaced(leaf, event, text);
            }
            Fact::Correction { run, number, .. } => {
                let count = self.corrections.entry(run.clone()).or_default();
                *count += 1;
                if *count != *number {
                    let text = format!("has number {number}, and the next is {count}");
                    self.found.misplaced(leaf, event, text);
                }
            }
            _ => {}
        }
    }

    /// Nothing is frozen, asked or accepted after the end of a round, and a record has no such end.
    fn end(&mut self, leaf: u64, event: &Event) {
        match &event.fact {
            Fact::Ended { .. } => {
                if let Some(run) = self.accepted.first() {
                    let text = format!("ends the round after {run} was accepted");
                    self.found.misplaced(leaf, event, text);
                }
                if let Some(first) = self.ended.replace(leaf) {
                    let text = format!("ends the round that leaf {first} ended");
                    self.found.misplaced(leaf, event, text);
                }
            }
            Fact::Freeze { .. }
            | Fact::Slots { .. }
            | Fact::AttemptBegin { .. }
            | Fact::Accepted { .. } => {
                if let Some(end) = self.ended {
                    let text = format!("comes after leaf {end}, which ended the round");
                    self.found.misplaced(leaf, event, text);
                }
            }
            _ => {}
        }
    }

    /// Reports an event that the log already holds.
    fn repeated(&mut self, leaf: u64, event: &Event) {
        let Ok(identity) = event.identity() else {
            return;
        };
        // Until a provider is asked, the same inputs may be frozen again with other research.
        if matches!(event.fact, Fact::Freeze { .. }) && !self.is_asked {
            return;
        }
        let is_new = match replaced_kind(&event.fact) {
            None => self.told.insert(identity),
            Some(kind) => self.last.insert(kind, identity) != Some(identity),
        };
        if !is_new {
            self.found.misplaced(leaf, event, "stands in the log twice");
        }
    }
}
