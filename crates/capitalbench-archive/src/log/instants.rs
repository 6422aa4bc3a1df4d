//! Instants in the log that run backwards.
//!
//! The operator's clock gives the instants, but they must not contradict each other: inside one slot,
//! and from the calls over acceptance and exit prices to the results. Slots run side by side, so
//! their order means nothing. A freeze or a result that a later process adds to the log carries the
//! later instant, which is honest.

use std::collections::BTreeMap;

use capitalbench_proof::event::{Event, Fact, Place};
use capitalbench_proof::order::CLOCK_SLACK;
use jiff::Timestamp;

use super::contradictions::Found;
use super::instant;

/// An event with its leaf and its instant.
#[derive(Clone, Copy)]
struct Dated<'a> {
    leaf: u64,
    event: &'a Event,
    at: Timestamp,
}

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
    pub(super) found: Found,
}

impl Instants {
    pub(super) fn take(&mut self, leaf: u64, event: &Event) {
        let Some(at) = instant(event) else {
            let text = "has an instant that is out of range";
            return self.found.misplaced(leaf, event, text);
        };
        let now = Dated { leaf, event, at };
        match &event.fact {
            Fact::Slots { run, .. } => {
                self.planned.insert(run.clone(), at);
            }
            Fact::AttemptBegin { place, .. } => {
                let planned = self.planned.get(&place.run).copied();
                self.follows(now, "its run was planned", planned);
                self.in_slot(now, place);
            }
            Fact::AttemptEnd { place, .. } => {
                self.in_slot(now, place);
                let last = self.answered.entry(place.run.clone()).or_insert(at);
                *last = at.max(*last);
            }
            Fact::Repaired { run, model, .. } => {
                let slots = self.slots.iter_mut();
                let own = slots.filter(|((of, who, _), _)| (of, who) == (run, model));
                let mut last = None;
                for (_, step) in own {
                    last = last.max(Some(*step));
                    *step = at.max(*step);
                }
                self.follows(now, "the attempt before it was", last);
            }
            Fact::Accepted { run, .. } => {
                let answered = self.answered.get(run).copied();
                self.follows(now, "the last answer of its run came", answered);
                self.follows(now, "the entry prices before it were fetched", self.entry);
                self.accepted = self.accepted.max(Some(at));
            }
            Fact::EntryPrices { .. } => {
                self.entry.get_or_insert(at);
            }
            Fact::ExitPrices { .. } => {
                self.follows(now, "the run was accepted", self.accepted);
                self.exit.get_or_insert(at);
            }
            Fact::Score { .. } => {
                self.follows(now, "the exit prices were fetched", self.exit);
            }
            _ => {}
        }
    }

    fn in_slot(&mut self, now: Dated<'_>, place: &Place) {
        let slot = (place.run.clone(), place.model.clone(), place.replicate);
        let last = self.slots.insert(slot, now.at);
        self.follows(now, "the step before it in its slot was", last);
    }

    /// Reports an event that is earlier than a step that must come before it.
    fn follows(&mut self, now: Dated<'_>, step: &str, earlier: Option<Timestamp>) {
        let Dated { leaf, event, at } = now;
        if let Some(earlier) = earlier.filter(|own| own.duration_since(at) > CLOCK_SLACK) {
            let text = format!("says {at}, which is before {earlier}, when {step}");
            self.found.misplaced(leaf, event, text);
        }
    }
}
