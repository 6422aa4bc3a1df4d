//! What a run has spent and may still spend.

use std::sync::{Mutex, PoisonError};

use capitalbench_core::asking::cost::Cost;

/// Money spent, and money that calls under way may cost.
#[derive(Debug)]
pub struct Spending {
    cap: Option<Cost>,
    amounts: Mutex<(Cost, Cost)>,
}

impl Spending {
    pub fn new(cap: Option<Cost>, spent: Cost) -> Self {
        Self {
            cap,
            amounts: Mutex::new((spent, Cost::ZERO)),
        }
    }

    /// Sets the worst case of a call aside; false when the cap would not hold.
    pub fn reserve(&self, worst: Cost) -> bool {
        self.with(|(spent, reserved)| {
            let after = spent.plus(*reserved).plus(worst);
            let fits = self.cap.is_none_or(|cap| after <= cap);
            if fits {
                *reserved = reserved.plus(worst);
            }
            fits
        })
    }

    /// The call has ended and cost this much.
    pub fn settle(&self, worst: Cost, cost: Cost) {
        self.with(|(spent, reserved)| {
            *reserved = reserved.minus(worst);
            *spent = spent.plus(cost);
        });
    }

    fn with<T>(&self, change: impl FnOnce(&mut (Cost, Cost)) -> T) -> T {
        // Two sums; a panic elsewhere leaves them whole.
        let mut amounts = self.amounts.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut amounts)
    }
}

#[cfg(test)]
mod tests;
