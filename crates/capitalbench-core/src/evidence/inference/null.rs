//! Skill against chance: where a decision stands among portfolios it could have been.

use std::collections::BTreeMap;

use super::admissible::Admissible;
use super::distribution::{normal_cdf, normal_quantile};
use super::overlap::Overlap;
use super::random::Random;
use crate::decision::portfolio::Holding;
use crate::market::universe::{Listing, MarketOption, Universe};
use crate::result::returns::RoundReturns;
use crate::values::ids::{Digest, OptionId};
use crate::values::sums::{compensated_sum, mean, real};

/// Part of every seed; a new way of drawing gets a new label.
pub const LABEL: &str = "null-v2";
/// Portfolios per round.
pub const DRAWS: usize = 10_000;
/// Draws nearest in volatility that make the second null.
pub const NEAREST: usize = 1_000;

/// Trailing volatility by option, as models were shown it.
pub type Volatility = BTreeMap<OptionId, f64>;

/// Why a round has no null.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoNull {
    /// An option has no price, so the return of a random portfolio is unknown.
    #[error("not every option has a price")]
    NotFullyPriced,
}

/// What random admissible portfolios returned in a round.
#[derive(Debug, Clone, PartialEq)]
pub struct Null {
    /// Returns, ascending.
    returns: Vec<f64>,
    /// Mean weight of every option, by its place in the universe.
    weights: Vec<f64>,
    /// Weighted volatility and return of each draw by volatility; empty where volatility is unknown.
    by_volatility: Vec<(f64, f64)>,
}

impl Null {
    /// Draws the null of a round; `freeze` is the digest of its frozen inputs.
    pub fn draw(
        universe: &Universe,
        allowed: &Admissible,
        freeze: Digest,
        returns: &RoundReturns,
        volatility: &Volatility,
    ) -> Result<Self, NoNull> {
        if returns.oracle().is_none() {
            return Err(NoNull::NotFullyPriced);
        }
        let value = |id: &OptionId| returns.get(id).map_or(0.0, |option| option.value.get());
        let options = universe.options().iter();
        let values: Vec<f64> = options.clone().map(|option| value(&option.id)).collect();
        // Hidden options are never drawn, so their volatility is not needed.
        let calm =
            |option: &MarketOption| option.listing == Listing::Hidden || option.scores_as_cash();
        let risk: Option<Vec<f64>> = options
            .map(|option| match volatility.get(&option.id) {
                None if calm(option) => Some(0.0),
                known => known.copied(),
            })
            .collect();
        let mut random = Random::of(freeze, LABEL);
        let mut held = Vec::with_capacity(8);
        let mut drawn = Vec::with_capacity(DRAWS);
        let mut by_volatility = Vec::new();
        let mut weights = vec![0.0; values.len()];
        for _ in 0..DRAWS {
            allowed.draw(&mut random, &mut held);
            let (mut total, mut spread) = (0.0, 0.0);
            for (place, share) in &held {
                total += share * values[*place as usize];
                weights[*place as usize] += share;
                spread += share * risk.as_ref().map_or(0.0, |risk| risk[*place as usize]);
            }
            drawn.push(total);
            if risk.is_some() {
                by_volatility.push((spread, total));
            }
        }
        drawn.sort_by(f64::total_cmp);
        by_volatility.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        for weight in &mut weights {
            *weight /= real(DRAWS);
        }
        Ok(Self {
            returns: drawn,
            weights,
            by_volatility,
        })
    }

    /// Share of draws below a return, ties counting half.
    pub fn percentile(&self, value: f64) -> f64 {
        standing(&self.returns, value)
    }

    /// The same among the draws nearest in weighted volatility; none where that is unknown.
    pub fn matched_percentile(
        &self,
        holdings: &[Holding],
        volatility: &Volatility,
        universe: &Universe,
        value: f64,
    ) -> Option<f64> {
        let mut own = 0.0;
        for holding in holdings {
            let known = volatility.get(&holding.option_id).copied();
            let cash = universe.get(&holding.option_id)?.scores_as_cash();
            own += holding.weight.weight() * known.or(cash.then_some(0.0))?;
        }
        let all = &self.by_volatility;
        let nearest = NEAREST.min(all.len());
        if nearest == 0 {
            return None;
        }
        // Among neighbours in order the nearest ones are a stretch; slide it to the best place.
        let middle = all.partition_point(|(spread, _)| *spread < own);
        let mut start = middle.saturating_sub(nearest);
        while start + nearest < all.len() && all[start + nearest].0 - own < own - all[start].0 {
            start += 1;
        }
        let mut returns: Vec<f64> = all[start..start + nearest].iter().map(|d| d.1).collect();
        returns.sort_by(f64::total_cmp);
        Some(standing(&returns, value))
    }

    /// Mean weight of every option over the draws, by its place in the universe.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Mean return of the draws.
    pub fn mean(&self) -> f64 {
        mean(&self.returns)
    }

    /// The return of the middle draw.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The return with this share of draws below it.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place in a list of ten thousand"
    )]
    pub fn quantile(&self, share: f64) -> f64 {
        let last = self.returns.len() - 1;
        let place = (share.clamp(0.0, 1.0) * real(last)).round() as usize;
        self.returns[place.min(last)]
    }

    /// Counts of draws in this many equal bins from the lowest to the highest return.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "bins are few"
    )]
    pub fn histogram(&self, bins: usize) -> Vec<u32> {
        let (low, high) = (self.quantile(0.0), self.quantile(1.0));
        let width = (high - low).max(f64::MIN_POSITIVE);
        let mut counts = vec![0; bins.max(1)];
        for value in &self.returns {
            let place = ((value - low) / width * real(bins)) as usize;
            counts[place.min(bins.max(1) - 1)] += 1;
        }
        counts
    }
}

/// Share of a sorted list below a value, ties counting half; returns within 1e-12 are ties.
fn standing(sorted: &[f64], value: f64) -> f64 {
    let below = sorted.partition_point(|draw| *draw < value - 1e-12);
    let up_to = sorted.partition_point(|draw| *draw <= value + 1e-12);
    real(below + up_to) / (2.0 * real(sorted.len()))
}

/// Percentiles of several rounds as one number, by the method of `null-v1`.
///
/// It is no verdict: without skill `z` is wider than a standard normal where a portfolio is
/// concentrated, since random ones hold more. [`super::excess`] tests.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Stouffer {
    /// Rounds that have a percentile.
    pub rounds: usize,
    pub mean_percentile: f64,
    /// Sum of normal scores over the root of all overlaps.
    pub z: f64,
    /// Chance of a z at least this high without skill.
    pub p_value: f64,
}

impl Stouffer {
    /// Half the width of the range in which 95 % of mean percentiles lie by chance, given the
    /// effective windows of the rounds: those of a random entrant spread evenly.
    pub fn chance_spread(effective: f64) -> f64 {
        let width = normal_quantile(0.975) / (12.0 * effective).sqrt();
        width.min(0.5)
    }
}

/// Combines percentiles of overlapping rounds, each among this many draws; none of nothing.
///
/// The overlap takes portfolios of overlapping rounds to be identical, so the result is careful.
pub fn stouffer(percentiles: &[f64], draws: usize, overlap: &Overlap) -> Option<Stouffer> {
    if percentiles.is_empty() {
        return None;
    }
    let edge = 0.5 / real(draws);
    let scores = percentiles
        .iter()
        .map(|p| normal_quantile(p.clamp(edge, 1.0 - edge)));
    let spread = overlap.total.sqrt();
    let z = compensated_sum(scores) / spread;
    Some(Stouffer {
        rounds: percentiles.len(),
        mean_percentile: mean(percentiles),
        z,
        p_value: normal_cdf(-z),
    })
}

#[cfg(test)]
mod tests;
