//! Two noises kept apart: what the market did, and what the model would have said next time.

use crate::values::sums::{compensated_sum, mean, real, variance};

/// Variance of a model's alpha and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Noise {
    /// Rounds with repeated calls.
    pub rounds: usize,
    /// Mean variance between replicates of one round.
    pub decision: f64,
    /// Variance of the rounds' mean alphas, less what replicates explain.
    pub market: f64,
    /// Share of a single call's variance that is the model's own.
    pub decision_share: f64,
}

/// Splits the variance of alpha by replicates; each round needs two, and two rounds are needed.
pub fn split(rounds: &[Vec<f64>]) -> Option<Noise> {
    let repeated: Vec<(f64, f64, f64)> = rounds
        .iter()
        .filter_map(|alphas| {
            let variance = variance(alphas)?;
            Some((mean(alphas), variance, variance / real(alphas.len())))
        })
        .collect();
    let count = real(repeated.len());
    let means: Vec<f64> = repeated.iter().map(|round| round.0).collect();
    let between = variance(&means)?;
    let decision = compensated_sum(repeated.iter().map(|round| round.1)) / count;
    let explained = compensated_sum(repeated.iter().map(|round| round.2)) / count;
    let market = (between - explained).max(0.0);
    let all = decision + market;
    Some(Noise {
        rounds: repeated.len(),
        decision,
        market,
        decision_share: if all > 0.0 { decision / all } else { 0.0 },
    })
}

/// Where an official figure falls among replicates: the share below it, ties counting half.
pub fn place_among(official: f64, replicates: &[f64]) -> Option<f64> {
    let below = replicates.iter().filter(|value| **value < official).count();
    let above = replicates.iter().filter(|value| **value > official).count();
    let count = replicates.len();
    (count > 0).then(|| (real(below) + real(count - below - above) / 2.0) / real(count))
}

#[cfg(test)]
mod tests;
