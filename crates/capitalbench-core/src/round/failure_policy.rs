//! [`FailurePolicy`]: when a run may be the record although some models gave no valid answer.

use serde::{Deserialize, Serialize};

/// Frozen in the manifest from v1.2 on. Without one, every model of the roster must have a valid
/// answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailurePolicy {
    /// The share of the roster that must have a valid answer, in percent; 1 to 100.
    pub accept_from_pct: u32,
    /// The smallest number of valid answers, whatever the share; 1 or more.
    pub at_least: u32,
}

impl Default for FailurePolicy {
    fn default() -> Self {
        Self {
            accept_from_pct: 50,
            at_least: 2,
        }
    }
}

impl FailurePolicy {
    /// The valid answers that a roster of this size needs; never more than the roster.
    pub fn needed(self, roster: u64) -> u64 {
        let share = (roster * u64::from(self.accept_from_pct)).div_ceil(100);
        share.max(u64::from(self.at_least)).min(roster)
    }
}

#[cfg(test)]
mod tests;
