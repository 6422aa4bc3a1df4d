//! Repairs that stand in the log where they cannot have happened.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::asking::attempt::Reason;
use capitalbench_proof::event::{Fact, Place};

/// A model of a run.
type Model = (String, String);

/// What a repair must not come after.
#[derive(Default)]
pub(super) struct Repairs {
    /// The planned models.
    planned: BTreeSet<Model>,
    accepted: BTreeSet<String>,
    /// Number of repairs of each run.
    count: BTreeMap<String, u64>,
    /// Names that repairs gave.
    names: BTreeMap<Model, String>,
    /// Attempts under way.
    under_way: BTreeSet<(String, String, u32, u32)>,
    /// Models that were asked, and whether something may have been generated.
    asked: BTreeMap<Model, bool>,
}

impl Repairs {
    /// Takes the next event of the round; why a repair cannot stand here.
    pub(super) fn take(&mut self, fact: &Fact) -> Option<String> {
        match fact {
            Fact::Slots { run, models, .. } => {
                let own = models.iter().map(|model| (run.clone(), model.clone()));
                self.planned.extend(own);
            }
            Fact::AttemptBegin { place, attempt, .. } => {
                self.under_way.insert(key(place, *attempt));
                self.asked.entry(model_of(place)).or_default();
            }
            Fact::AttemptEnd {
                place,
                attempt,
                reason,
                ..
            } => {
                self.under_way.remove(&key(place, *attempt));
                let reason = reason.as_deref().and_then(Reason::parse);
                let is_generated = !reason.is_some_and(Reason::is_rejection);
                *self.asked.entry(model_of(place)).or_default() |= is_generated;
            }
            Fact::Accepted { run, .. } => {
                self.accepted.insert(run.clone());
            }
            Fact::Repaired { .. } => return self.repaired(fact),
            _ => {}
        }
        None
    }

    fn repaired(&mut self, fact: &Fact) -> Option<String> {
        let Fact::Repaired {
            run,
            number,
            model,
            from,
            to,
            ..
        } = fact
        else {
            return None;
        };
        let count = self.count.entry(run.clone()).or_default();
        *count += 1;
        let next = *count;
        let own = (run.clone(), model.clone());
        let name = self.names.insert(own.clone(), to.clone());
        let is_open = self
            .under_way
            .iter()
            .any(|(of, who, ..)| (of, who) == (run, model));
        let text = if next != *number {
            format!("has number {number}, and the next is {next}")
        } else if !self.planned.contains(&own) {
            format!("renames {model} in {run}, where it was not planned")
        } else if self.accepted.contains(run) {
            format!("renames {model} in {run}, which was accepted before")
        } else if name.is_some_and(|name| name != *from) {
            format!("renames {model} from {from}, which was not its name")
        } else if is_open || self.asked.get(&own).copied().unwrap_or(true) {
            format!("renames {model}, which was not asked, or may have been answered, before")
        } else {
            return None;
        };
        Some(text)
    }
}

fn model_of(place: &Place) -> Model {
    (place.run.clone(), place.model.clone())
}

fn key(place: &Place, attempt: u32) -> (String, String, u32, u32) {
    (
        place.run.clone(),
        place.model.clone(),
        place.replicate,
        attempt,
    )
}

#[cfg(test)]
mod tests;
