//! Two noises kept apart: what the market did, and what the model would have said next time.

use crate::result::score::compensated_sum;

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

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn mean_and_variance(values: &[f64]) -> Option<(f64, f64)> {
    let count = values.len() as f64;
    let mean = compensated_sum(values.iter().copied()) / count;
    let squares = compensated_sum(values.iter().map(|value| (value - mean).powi(2)));
    (values.len() >= 2).then(|| (mean, squares / (count - 1.0)))
}

/// Splits the variance of alpha by replicates; each round needs two, and two rounds are needed.
#[expect(clippy::cast_precision_loss, reason = "counts are small")]
pub fn split(rounds: &[Vec<f64>]) -> Option<Noise> {
    let repeated: Vec<(f64, f64, f64)> = rounds
        .iter()
        .filter_map(|alphas| {
            let (mean, variance) = mean_and_variance(alphas)?;
            Some((mean, variance, variance / alphas.len() as f64))
        })
        .collect();
    let count = repeated.len() as f64;
    let means: Vec<f64> = repeated.iter().map(|round| round.0).collect();
    let (_, between) = mean_and_variance(&means)?;
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
#[expect(clippy::cast_precision_loss, reason = "counts are small")]
pub fn place_among(official: f64, replicates: &[f64]) -> Option<f64> {
    let below = replicates.iter().filter(|value| **value < official).count();
    let above = replicates.iter().filter(|value| **value > official).count();
    let count = replicates.len();
    (count > 0).then(|| (below as f64 + (count - below - above) as f64 / 2.0) / count as f64)
}

#[cfg(test)]
mod tests;
