//! Does every planned slot have exactly one end, with every attempt in the log?

use std::collections::BTreeMap;

use capitalbench_core::asking::attempt::Reason;
use capitalbench_proof::event::{Event, Fact};

use super::finding::{Code, Finding, Findings};

/// The most slots that are counted: a full file of models with the most replicates.
const MOST_SLOTS: u64 = 200_000;

/// How the slots of a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SlotCount {
    /// Planned slots.
    pub slots: usize,
    pub valid: usize,
    /// Those whose last answer is not valid.
    pub invalid: usize,
    /// Those that never got an answer.
    pub failed: usize,
    /// Those without an end.
    pub open: usize,
    /// Attempts whose end nobody saw.
    pub unseen: usize,
    /// Attempts after the first, by the reason why the one before failed.
    pub retries: BTreeMap<String, usize>,
}

/// What a slot without a valid answer means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    /// The acceptance lists it with its reason, and the round goes on without it.
    Listed,
    /// Every slot must have an end.
    Refused,
}

#[derive(Default)]
struct Slot<'a> {
    begun: Vec<u32>,
    ended: BTreeMap<u32, (&'a str, &'a str)>,
    problems: Vec<String>,
}

/// Counts the slots of a run; none when the log has no plan of it.
pub(super) fn count(
    run: &str,
    events: &[(u64, Event)],
    missing: Missing,
    findings: &mut Findings,
) -> Option<SlotCount> {
    let (models, replicates, max_retries) = plan_of(run, events)?;
    let place = format!("runs/{run}");
    let find = |text: String| Finding::new(Code::SlotUnaccounted, &place, text);
    let mut slots = match announced(models, replicates) {
        Ok(slots) => slots,
        Err(text) => {
            findings.push(find(text));
            return None;
        }
    };
    let mut strange = Vec::new();
    for (index, event) in events {
        let (place, attempt, end) = match &event.fact {
            Fact::AttemptBegin { place, attempt, .. } => (place, *attempt, None),
            Fact::AttemptEnd {
                place,
                attempt,
                status,
                reason,
                ..
            } => {
                let reason = reason.as_deref().unwrap_or("unnamed");
                (place, *attempt, Some((status.as_str(), reason)))
            }
            _ => continue,
        };
        if place.run != run {
            continue;
        }
        match slots.get_mut(&(place.model.as_str(), place.replicate)) {
            None => strange.push(format!(
                "leaf {index} belongs to a slot that was not planned"
            )),
            Some(slot) => slot.take(*index, attempt, end),
        }
    }
    let mut counted = SlotCount {
        slots: slots.len(),
        ..SlotCount::default()
    };
    let mut unseen = Vec::new();
    for ((model, replicate), mut slot) in slots {
        slot.close(max_retries, &mut counted);
        let named = |problem| format!("{model}, replicate {replicate}: {problem}");
        let told = slot.without_end(missing, &mut counted);
        unseen.extend(told.into_iter().map(named));
        strange.extend(slot.problems.into_iter().map(named));
    }
    counted.unseen = unseen.len();
    let unseen = unseen.into_iter();
    findings.extend(unseen.map(|text| Finding::new(Code::AttemptUnseen, &place, text)));
    findings.extend(strange.into_iter().map(find));
    Some(counted)
}

/// Models, replicates and retries of a run, where the log has its plan.
fn plan_of<'a>(run: &str, events: &'a [(u64, Event)]) -> Option<(&'a [String], u32, u32)> {
    events.iter().find_map(|(_, event)| match &event.fact {
        Fact::Slots {
            run: own,
            models,
            replicates,
            max_retries,
            ..
        } if own == run => Some((models.as_slice(), *replicates, *max_retries)),
        _ => None,
    })
}

/// A slot for every model and replicate, or why they are not counted.
fn announced<'a>(
    models: &'a [String],
    replicates: u32,
) -> Result<BTreeMap<(&'a str, u32), Slot<'a>>, String> {
    let count = (models.len() as u64).saturating_mul(u64::from(replicates));
    if count > MOST_SLOTS {
        return Err(format!(
            "plans {count} slots; at most {MOST_SLOTS} are counted"
        ));
    }
    let of_model = |model: &'a String| (1..=replicates).map(move |own| (model.as_str(), own));
    let places = models.iter().flat_map(of_model);
    Ok(places.map(|place| (place, Slot::default())).collect())
}

impl<'a> Slot<'a> {
    fn take(&mut self, index: u64, attempt: u32, end: Option<(&'a str, &'a str)>) {
        match end {
            None => {
                if self.begun.len() + 1 != usize::try_from(attempt).unwrap_or(0) {
                    let text = format!("leaf {index} begins attempt {attempt} out of turn");
                    self.problems.push(text);
                }
                let before = attempt.checked_sub(1).and_then(|at| self.ended.get(&at));
                if before.is_some_and(|(status, _)| *status == "valid") {
                    let text = format!("leaf {index} asks again after a valid answer");
                    self.problems.push(text);
                }
                self.begun.push(attempt);
            }
            Some(end) => {
                if !self.begun.contains(&attempt) {
                    let text = format!("leaf {index} ends attempt {attempt} before it begins");
                    self.problems.push(text);
                }
                if self.ended.insert(attempt, end).is_some() {
                    let text = format!("leaf {index} ends attempt {attempt} again");
                    self.problems.push(text);
                }
            }
        }
    }

    fn close(&mut self, max_retries: u32, counted: &mut SlotCount) {
        // What was turned away before anything was generated uses up no retry.
        let is_rejection = |attempt: &u32| {
            let end = self.ended.get(attempt);
            let reason = end.and_then(|(_, reason)| Reason::parse(reason));
            reason.is_some_and(Reason::is_rejection)
        };
        let asked = self.begun.iter().filter(|own| !is_rejection(own)).count();
        if asked > max_retries as usize + 1 {
            let text = format!("has {asked} attempts, but only {max_retries} retries are allowed");
            self.problems.push(text);
        }
        for attempt in self.begun.iter().skip(1) {
            let before = attempt.checked_sub(1).and_then(|at| self.ended.get(&at));
            let word = before.map_or("unnamed", |(_, reason)| *reason);
            *counted.retries.entry(word.to_owned()).or_default() += 1;
        }
        match self.ended.last_key_value().map(|(_, (status, _))| *status) {
            None => {}
            Some("valid") => counted.valid += 1,
            Some("invalid") => counted.invalid += 1,
            Some(_) => counted.failed += 1,
        }
    }

    /// Attempts that nobody saw the end of, and the slot itself where it never had one: problems
    /// where every slot must have an end, otherwise what is returned.
    fn without_end(&mut self, missing: Missing, counted: &mut SlotCount) -> Vec<String> {
        let open = self
            .begun
            .iter()
            .filter(|own| !self.ended.contains_key(own));
        let unseen: Vec<String> = open
            .map(|attempt| format!("attempt {attempt} has no end"))
            .collect();
        let is_open = self.ended.is_empty();
        if missing == Missing::Listed {
            counted.failed += usize::from(is_open);
            return unseen;
        }
        self.problems.extend(unseen);
        if is_open {
            counted.open += 1;
            self.problems.push("has no end".to_owned());
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests;
