//! Instants in the log that run backwards.
//!
//! Instants are the operator's word, but they may not contradict each other: inside one slot, and from
//! asking over acceptance and exit prices to results. Slots are asked side by side, so nothing follows
//! from the order between them. A freeze or a result that a later process adds to the log carries that
//! later instant, which is honest.

use std::collections::BTreeMap;

use capitalbench_core::values::time::Stamp;
use capitalbench_proof::event::{Event, Fact, Place};
use capitalbench_proof::order::CLOCK_SLACK;
use jiff::Timestamp;

use super::contradictions::{Contradiction, Kind};

#[derive(Default)]
pub(super) struct Instants {
    /// When each run was planned.
    planned: BTreeMap<String, Timestamp>,
    /// The last instant of each slot.
    slots: BTreeMap<(String, String, u32), Timestamp>,
    /// The last answer of each run.
    answered: BTreeMap<String, Timestamp>,
    entry: Option<Timestamp>,
    accepted: Option<Timestamp>,
    exit: Option<Timestamp>,
    found: Vec<Contradiction>,
}

impl Instants {
    pub(super) fn take(&mut self, leaf: u64, event: &Event) {
        let Some(at) = Stamp::parse(event.at.as_str()).map(|stamp| stamp.at()) else {
            return self.report(
                leaf,
                event,
                "has an instant that is out of range".to_owned(),
            );
        };
        match &event.fact {
            Fact::Slots { run, .. } => {
                self.planned.insert(run.clone(), at);
            }
            Fact::AttemptBegin { place, .. } => {
                let planned = self.planned.get(&place.run).copied();
                self.follows(leaf, event, at, ("its run was planned", planned));
                self.in_slot(leaf, event, at, place);
            }
            Fact::AttemptEnd { place, .. } => {
                self.in_slot(leaf, event, at, place);
                let last = self.answered.entry(place.run.clone()).or_insert(at);
                *last = at.max(*last);
            }
            Fact::Accepted { run, .. } => {
                let answered = self.answered.get(run).copied();
                self.follows(
                    leaf,
                    event,
                    at,
                    ("the last answer of its run came", answered),
                );
                let entry = self.entry;
                self.follows(
                    leaf,
                    event,
                    at,
                    ("the entry prices before it were fetched", entry),
                );
                self.accepted = self.accepted.max(Some(at));
            }
            Fact::EntryPrices { .. } => {
                self.entry.get_or_insert(at);
            }
            Fact::ExitPrices { .. } => {
                let accepted = self.accepted;
                self.follows(leaf, event, at, ("the run was accepted", accepted));
                self.exit.get_or_insert(at);
            }
            Fact::Score { .. } => {
                let exit = self.exit;
                self.follows(leaf, event, at, ("the exit prices were fetched", exit));
            }
            _ => {}
        }
    }

    fn in_slot(&mut self, leaf: u64, event: &Event, at: Timestamp, place: &Place) {
        let slot = (place.run.clone(), place.model.clone(), place.replicate);
        let last = self.slots.insert(slot, at);
        self.follows(
            leaf,
            event,
            at,
            ("the step before it in its slot was", last),
        );
    }

    fn follows(
        &mut self,
        leaf: u64,
        event: &Event,
        at: Timestamp,
        (step, earlier): (&str, Option<Timestamp>),
    ) {
        let Some(earlier) = earlier else {
            return;
        };
        if earlier.duration_since(at) > CLOCK_SLACK {
            let text = format!("says {at}, which is before {earlier}, when {step}");
            self.report(leaf, event, text);
        }
    }

    fn report(&mut self, leaf: u64, event: &Event, text: String) {
        self.found.push(Contradiction {
            kind: Kind::Place,
            leaf,
            about: event.fact.name().to_owned(),
            text,
        });
    }

    pub(super) fn into_found(self) -> Vec<Contradiction> {
        self.found
    }
}
