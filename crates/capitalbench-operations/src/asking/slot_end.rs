//! [`SlotEnd`]: where a slot stands when nothing more is done for it.

use capitalbench_archive::run::ledger::PlannedSlot;
use capitalbench_core::asking::attempt::{AttemptStatus, Reason};
use capitalbench_core::asking::cost::Cost;

/// Why a slot was left open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Open {
    /// The operator stopped the run.
    Stopped,
    /// Another call might break the cap.
    CostCap,
    /// The decision deadline has passed.
    Deadline,
    /// It was turned away before anything was generated; after a repair or a wait it can be asked
    /// again until the deadline.
    Rejected(Reason),
}

/// Where a slot stands when its task ends.
#[derive(Debug, Clone, PartialEq)]
pub struct SlotEnd {
    pub planned: PlannedSlot,
    pub attempts: Vec<AttemptStatus>,
    /// None when no further attempt is allowed.
    pub open: Option<Open>,
    /// The most one call can cost; none when the price is unknown.
    pub at_most: Option<Cost>,
    /// Where it is asked; none without a network.
    pub base_url: Option<String>,
    /// The variable that holds its key.
    pub key_variable: Option<String>,
    /// No provider was called.
    pub is_rehearsed: bool,
    /// The recorded cost of what was asked for it now.
    pub paid: Cost,
    /// Whether it was asked now at a cost that neither a card nor the provider tells.
    pub is_cost_unknown: bool,
}

impl SlotEnd {
    /// The word for a slot: its final state, or why it is open.
    pub fn state(&self) -> &'static str {
        match (self.open, self.attempts.last()) {
            (Some(Open::Stopped), _) => "stopped",
            (Some(Open::CostCap), _) => "cost cap",
            (Some(Open::Deadline), None) => "not asked",
            (Some(Open::Rejected(_)), _) | (None, None) => "open",
            (_, Some(status)) => status.as_str(),
        }
    }

    /// Whether `--resume` would ask it again.
    pub fn is_open(&self) -> bool {
        matches!(
            self.open,
            Some(Open::Stopped | Open::CostCap | Open::Rejected(_))
        )
    }

    /// Why it was turned away and waits for a repair; none when it does not.
    pub fn waits_for_repair(&self) -> Option<Reason> {
        match self.open {
            Some(Open::Rejected(reason)) => Some(reason),
            _ => None,
        }
    }

    /// Attempts whose answer may exist although nobody saw it.
    pub fn unseen_attempts(&self) -> usize {
        let attempts = self.attempts.iter();
        attempts.filter(|status| status.is_unseen()).count()
    }
}
