//! What a run has cost for certain, and what it may have cost besides.

use capitalbench_archive::run::ledger::{AttemptRecord, Ended};
use capitalbench_core::asking::cost::Cost;

use super::engine::bills_nothing;
use super::slot_end::SlotEnd;

/// Two sums that are never mixed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bill {
    /// Costs of the answers in the ledger.
    pub recorded: Cost,
    /// Attempts whose cost could not be recorded: the outcome is unknown, the answer never arrived
    /// whole, or it did not say how much was used.
    pub unknown_attempts: usize,
    /// The most that these can have cost; none when a price is unknown.
    pub unknown_at_most: Option<Cost>,
    /// Models that were asked, have no price, and whose provider did not say what it billed.
    pub unpriced: Vec<String>,
}

impl Bill {
    /// Adds up the attempts of these slots.
    pub fn of(rows: &[(SlotEnd, Vec<AttemptRecord>)]) -> Self {
        let mut bill = Self {
            recorded: Cost::ZERO,
            unknown_attempts: 0,
            unknown_at_most: Some(Cost::ZERO),
            unpriced: Vec::new(),
        };
        for (end, attempts) in rows {
            for attempt in attempts {
                bill.add(end, attempt);
            }
        }
        bill
    }

    /// The whole sum; none when the price of an asked model is unknown.
    pub fn total(&self) -> Option<Cost> {
        self.unpriced.is_empty().then_some(self.recorded)
    }

    fn add(&mut self, end: &SlotEnd, attempt: &AttemptRecord) {
        if let Some(cost) = attempt.ended.as_ref().and_then(Ended::cost) {
            self.recorded = self.recorded.plus(cost);
            return;
        }
        // A refused request costs nothing.
        let free = attempt.ended.as_ref().is_some_and(bills_nothing);
        if free || end.is_rehearsed {
            return;
        }
        self.unknown_attempts += 1;
        self.unknown_at_most = self
            .unknown_at_most
            .zip(end.at_most)
            .map(|(sum, most)| sum.plus(most));
        let model = end.planned.slot.model_id.as_str();
        if end.at_most.is_none() && !self.unpriced.iter().any(|own| own == model) {
            self.unpriced.push(model.to_owned());
        }
    }
}
