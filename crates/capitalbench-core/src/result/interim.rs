//! Provisional tracking of a round that is still open.
//!
//! These are price returns between snapshots taken on different days: distributions paid in
//! between are not included, and nothing here enters a score, a rank or a table across rounds.

use std::collections::BTreeMap;

use crate::decision::submission::Submission;
use crate::result::score::portfolio_return;
use crate::values::ids::OptionId;
use crate::values::units::{Price, Return};

/// Prices of one day, by option.
pub type Snapshot = BTreeMap<OptionId, Price>;

/// A model's provisional figures on one day.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct InterimPoint {
    /// Return of the decision since entry.
    pub value: Return,
    /// Return of the reference since entry.
    pub reference: Return,
    /// The difference.
    pub alpha: Return,
}

/// Tracks one submission from the entry snapshot to a later one.
pub fn track(
    submission: &Submission,
    reference: &OptionId,
    entry: &Snapshot,
    now: &Snapshot,
) -> Result<InterimPoint, OptionId> {
    let return_of = |id: &OptionId| Some(Return::between(*entry.get(id)?, *now.get(id)?));
    let value = portfolio_return(&submission.decision.holdings(), return_of)?;
    let reference = return_of(reference).ok_or_else(|| reference.clone())?;
    Ok(InterimPoint {
        value,
        reference,
        alpha: value - reference,
    })
}

#[cfg(test)]
mod tests;
