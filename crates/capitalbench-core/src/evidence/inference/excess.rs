//! Luck by `null-v2`: how far decisions lie from the mean random portfolio, in deviations that
//! were known before they were made.
//!
//! A concentrated portfolio strays further from random ones than they stray from each other, skill
//! or not. So each round is measured by the deviation of its own portfolio, from daily returns that
//! were frozen with the round; and rounds count as alike only as far as their portfolios are.

use jiff::civil::Date;

use super::distribution::normal_cdf;
use super::null::Null;
use super::overlap::Overlap;
use crate::decision::portfolio::Holding;
use crate::market::calendar::Market;
use crate::market::daily_returns::{DailyReturns, FROZEN_SESSIONS};
use crate::market::universe::Universe;
use crate::values::sums::{compensated_sum, mean, real, variance};

/// Fewest rounds that make a record: one good round is no evidence.
const LEAST_ROUNDS: usize = 2;
/// Fewest shared days by which two portfolios are compared; with fewer they count as identical.
const LEAST_SHARED: usize = 20;

/// A decision against the mean random portfolio of its round.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Excess {
    /// Its return beyond theirs, in deviations of a portfolio like it over the window.
    pub score: f64,
    /// Whose sessions they are.
    #[serde(default)]
    pub market: Market,
    /// The last of the frozen sessions.
    pub last: Date,
    /// What it would have gained beyond theirs on each frozen session, oldest first.
    pub gains: Vec<f64>,
}

impl Excess {
    /// None where fewer than 60 sessions were frozen, an option lacks its returns, or the portfolio
    /// never differs from the mean random one.
    pub fn of(
        null: &Null,
        (holdings, value): (&[Holding], f64),
        universe: &Universe,
        frozen: &DailyReturns,
        sessions: usize,
    ) -> Option<Self> {
        let days = frozen.days();
        let first = days.len().checked_sub(FROZEN_SESSIONS)?;
        let mut gains = vec![0.0; FROZEN_SESSIONS];
        for (option, common) in universe.options().iter().zip(null.weights()) {
            let own = holdings.iter().filter(|held| held.option_id == option.id);
            let own: f64 = own.map(|held| held.weight.weight()).sum();
            let weight = own - common;
            if weight == 0.0 {
                continue;
            }
            let returns = frozen.of(&option.id)?.get(first..)?;
            for (gain, value) in gains.iter_mut().zip(returns) {
                *gain += weight * value;
            }
        }
        let deviation = (variance(&gains)? * real(sessions)).sqrt();
        (deviation > 0.0).then_some(Self {
            score: (value - null.mean()) / deviation,
            market: universe.market(),
            last: *days.last()?,
            gains,
        })
    }

    /// The correlation of two portfolios on the frozen days of both; one where these are too few.
    fn likeness(&self, other: &Self) -> f64 {
        let (early, late) = if self.last <= other.last {
            (self, other)
        } else {
            (other, self)
        };
        let from = std::iter::successors(Some(early.last), |day| self.market.next_session(*day));
        let later = from
            .take(FROZEN_SESSIONS)
            .take_while(|day| *day < late.last);
        let shift = later.count();
        let shared = early.gains.get(shift..).unwrap_or_default();
        if shared.len() < LEAST_SHARED {
            return 1.0;
        }
        correlation(shared, &late.gains[..shared.len()]).unwrap_or(1.0)
    }
}

fn correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    let (mean_a, mean_b) = (mean(a), mean(b));
    let product = |x: &[f64], y: &[f64], means: (f64, f64)| {
        compensated_sum(x.iter().zip(y).map(|(x, y)| (x - means.0) * (y - means.1)))
    };
    let spread = product(a, a, (mean_a, mean_a)) * product(b, b, (mean_b, mean_b));
    (spread > 0.0).then(|| product(a, b, (mean_a, mean_b)) / spread.sqrt())
}

/// Excesses of several rounds as one number that is standard normal without skill.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct LuckTest {
    /// Rounds that froze what the test needs.
    pub rounds: usize,
    /// Sum of excesses over the root of their joint variance.
    pub z: f64,
    /// Chance of a z at least this high without skill.
    pub p_value: f64,
}

impl LuckTest {
    /// Two-sided chance of a record this far from luck.
    pub fn p_apart(&self) -> f64 {
        2.0 * self.p_value.min(1.0 - self.p_value)
    }
}

/// Combines the excesses of rounds that overlap so; none below two rounds.
pub fn luck_test(excesses: &[&Excess], overlap: &Overlap) -> Option<LuckTest> {
    if excesses.len() < LEAST_ROUNDS {
        return None;
    }
    let likeness = |i: usize, j: usize| excesses[i].likeness(excesses[j]);
    let variance = overlap.weighted(likeness);
    let z = compensated_sum(excesses.iter().map(|own| own.score)) / variance.sqrt();
    (variance > 0.0).then(|| LuckTest {
        rounds: excesses.len(),
        z,
        p_value: normal_cdf(-z),
    })
}

#[cfg(test)]
mod tests;
