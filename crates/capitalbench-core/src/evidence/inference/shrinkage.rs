//! How much of a model's distance from the mean of its set is likely to be its own.
//!
//! Models of a set are measured on the same days, so their errors are alike. Errors of differences
//! know that: half the mean squared error of all pairs is what equal models would vary by.

use crate::values::sums::{compensated_sum, mean, real, variance};

/// What is left of the distances between the records of a set.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Shrinkage {
    /// Mean of the models' gaps.
    pub centre: f64,
    /// Variance of true gaps between models, as far as the records show any; zero shows none.
    pub tau_squared: f64,
    /// Share of a model's distance from the centre that is kept.
    pub kept: f64,
}

impl Shrinkage {
    /// The gap to expect of a model whose record shows this one.
    pub fn of(&self, gap: f64) -> f64 {
        self.centre + self.kept * (gap - self.centre)
    }
}

/// From the gaps of models and the standard errors of the differences of all pairs; none below
/// three models or where a pair has no error.
pub fn shrinkage(gaps: &[f64], pair_errors: &[f64]) -> Option<Shrinkage> {
    let models = gaps.len();
    if models < 3 || 2 * pair_errors.len() != models * (models - 1) {
        return None;
    }
    let squared = compensated_sum(pair_errors.iter().map(|error| error * error));
    let by_chance = squared / real(pair_errors.len()) / 2.0;
    let tau_squared = (variance(gaps)? - by_chance).max(0.0);
    let whole = tau_squared + by_chance;
    (whole > 0.0).then(|| Shrinkage {
        centre: mean(gaps),
        tau_squared,
        kept: tau_squared / whole,
    })
}

#[cfg(test)]
mod tests;
