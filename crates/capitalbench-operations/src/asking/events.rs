//! What a run announces while it works; terminal, log and tests only listen.

use capitalbench_archive::run::ledger::{Ended, PlannedSlot};
use capitalbench_core::asking::attempt::{AttemptStatus, Reason};
use capitalbench_core::asking::cost::Cost;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::slot_end::SlotEnd;

/// One thing that happened.
pub enum Event<'a> {
    /// A slot without a final state is taken up.
    SlotStarted { slot: &'a PlannedSlot },
    /// The attempt is on disk and its request about to leave.
    AttemptBegun { slot: &'a PlannedSlot, attempt: u32 },
    /// The attempt has ended and its end is on disk.
    AttemptEnded {
        slot: &'a PlannedSlot,
        attempt: u32,
        ended: &'a Ended,
    },
    /// No further attempt before this instant.
    Waiting {
        slot: &'a PlannedSlot,
        reason: Reason,
        until: Timestamp,
    },
    /// The slot has its final state, or is left open.
    SlotEnded { end: &'a SlotEnd },
    /// The operator asked to stop: nothing new begins, what is under way is kept.
    Stopping,
    /// Every slot was seen to.
    RunEnded { totals: Totals },
}

/// What the slots of a run came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// With a valid decision.
    pub valid: usize,
    /// Ended without one.
    pub invalid: usize,
    /// Left open.
    pub open: usize,
    /// Recorded cost of the attempts of this process.
    pub cost: Cost,
    /// Whether a model without a price was asked and its provider did not say what it billed.
    pub is_cost_unknown: bool,
}

impl Totals {
    /// Counts one more slot.
    pub fn count(&mut self, end: &SlotEnd) {
        let valid = end.attempts.last() == Some(&AttemptStatus::Valid);
        let place = match (end.is_open(), valid) {
            (true, _) => &mut self.open,
            (false, true) => &mut self.valid,
            (false, false) => &mut self.invalid,
        };
        *place += 1;
    }

    /// Adds what an attempt has cost.
    pub fn pay(&mut self, ended: &Ended) {
        self.cost = self.cost.plus(ended.cost().unwrap_or(Cost::ZERO));
    }
}

/// Whoever wants to know. Called from several tasks; must not take long.
pub trait Listener: Send + Sync {
    fn hear(&self, at: Timestamp, event: &Event<'_>);
}

/// Listens to nothing.
pub struct Silence;

impl Listener for Silence {
    fn hear(&self, _: Timestamp, _: &Event<'_>) {}
}

/// Prints one JSON object per line to whatever `print` writes to.
pub struct JsonLines {
    pub print: fn(&Value),
}

impl Listener for JsonLines {
    fn hear(&self, at: Timestamp, event: &Event<'_>) {
        (self.print)(&event.to_json(at));
    }
}

impl Event<'_> {
    /// The event with the field names that `docs/operate.md` promises.
    fn to_json(&self, at: Timestamp) -> Value {
        let (word, slot, further) = match self {
            Self::SlotStarted { slot } => ("slot_started", Some(*slot), json!({})),
            Self::AttemptBegun { slot, attempt } => {
                let further = json!({"attempt": attempt});
                ("attempt_begun", Some(*slot), further)
            }
            Self::AttemptEnded {
                slot,
                attempt,
                ended,
            } => {
                let further = json!({
                    "attempt": attempt,
                    "status": ended.status,
                    "reason": ended.reason,
                    "latency_seconds": ended.latency_seconds,
                    "input_tokens": ended.input_tokens,
                    "output_tokens": ended.output_tokens,
                    "cost_usd": ended.cost_usd,
                });
                ("attempt_ended", Some(*slot), further)
            }
            Self::Waiting {
                slot,
                reason,
                until,
            } => {
                let further = json!({"reason": reason.as_str(), "until_utc": until.to_string()});
                ("waiting", Some(*slot), further)
            }
            Self::SlotEnded { end } => {
                let mut further = json!({"state": end.state(), "attempts": end.attempts.len()});
                if let Some(reason) = end.waits_for_repair() {
                    further["reason"] = json!(reason.as_str());
                }
                ("slot_ended", Some(&end.planned), further)
            }
            Self::Stopping => ("stopping", None, json!({})),
            Self::RunEnded { totals } => {
                let further = json!({
                    "valid": totals.valid,
                    "invalid": totals.invalid,
                    "open": totals.open,
                    "cost_usd": (!totals.is_cost_unknown).then(|| totals.cost.usd()),
                });
                ("run_ended", None, further)
            }
        };
        let mut line = json!({"event": word, "at_utc": at.to_string()});
        if let Some(planned) = slot {
            line["model_id"] = json!(planned.slot.model_id.as_str());
            line["replicate_index"] = json!(planned.slot.replicate);
            line["provider"] = json!(planned.provider);
        }
        if let (Some(line), Value::Object(further)) = (line.as_object_mut(), further) {
            line.extend(further);
        }
        line
    }
}
