//! Resampled days: how often each model would come first, and a second opinion on an interval.

use super::distribution::{normal_quantile, student_quantile};
use super::hac::{kernel, lag, long_run_variance, quick_moments};
use super::random::Random;
use crate::values::sums::{compensated_sum, mean, real};

/// Mean length of a block of days.
pub const BLOCK_DAYS: f64 = 5.0;
/// Resampled histories of a record of up to [`FULL_DAYS`].
pub const DRAWS: usize = 5_000;
/// Days up to which all histories are drawn; longer records are resampled less often, so that
/// the days drawn in all stay the same. They need it less: what they resample varies less.
pub const FULL_DAYS: usize = 1_000;
/// Fewest histories of any record, enough for the outer fortieths.
pub const LEAST_DRAWS: usize = 500;

/// Histories that are drawn of a record of this many days.
pub fn draws(days: usize) -> usize {
    let bounded = DRAWS * FULL_DAYS / days.max(FULL_DAYS);
    bounded.max(LEAST_DRAWS)
}

/// Fills `days` with a stationary bootstrap of as many days: blocks of random length, in a circle.
fn resample(random: &mut Random, days: &mut [usize]) {
    let count = days.len();
    let mut day = 0;
    for (place, drawn) in days.iter_mut().enumerate() {
        let fresh = place == 0 || random.unit() < 1.0 / BLOCK_DAYS;
        day = if fresh {
            random.index(count)
        } else if day + 1 == count {
            0
        } else {
            day + 1
        };
        *drawn = day;
    }
}

/// Where a model stands in resampled histories.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RankRange {
    /// Share of histories in which it came first.
    pub best: f64,
    /// Rank that 97.5 % of histories do not better.
    pub from: usize,
    /// Rank that 97.5 % of histories do not worsen.
    pub to: usize,
}

/// Ranks of several series over the same days, days resampled once for all of them.
///
/// Resampled means are moved away from the observed ones by `widening`. None below twelve days or
/// two series.
pub fn rank_ranges(series: &[Vec<f64>], random: &mut Random) -> Option<Vec<RankRange>> {
    let count = series.first()?.len();
    if count < LEAST_DAYS || series.len() < 2 || series.iter().any(|s| s.len() != count) {
        return None;
    }
    let models = series.len();
    // By day, so that one pass over the drawn days adds up all models.
    let by_day: Vec<f64> = (0..count)
        .flat_map(|day| series.iter().map(move |s| s[day]))
        .collect();
    let wide = widening(count);
    let totals: Vec<f64> = series
        .iter()
        .map(|s| compensated_sum(s.iter().copied()))
        .collect();
    let mut highest = vec![vec![0_u32; models]; models];
    let mut lowest = highest.clone();
    let mut best = vec![0.0; models];
    let mut days = vec![0; count];
    let mut sums = vec![0.0; models];
    let draws = draws(count);
    for _ in 0..draws {
        resample(random, &mut days);
        sums.fill(0.0);
        for day in &days {
            let row = &by_day[day * models..(day + 1) * models];
            for (sum, value) in sums.iter_mut().zip(row) {
                *sum += value;
            }
        }
        for (sum, total) in sums.iter_mut().zip(&totals) {
            *sum = total + wide * (*sum - total);
        }
        for (model, own) in sums.iter().enumerate() {
            // Equals share all the ranks they take up, so that their order has no effect.
            let above = sums.iter().filter(|other| *other > own).count();
            let below = sums.iter().filter(|other| *other < own).count();
            let equal = models - above - below;
            highest[model][above] += 1;
            lowest[model][above + equal - 1] += 1;
            if above == 0 {
                best[model] += 1.0 / real(equal);
            }
        }
    }
    let ranges = (0..models).map(|model| {
        lowest[model].reverse();
        RankRange {
            best: best[model] / real(draws),
            from: passes(&highest[model], draws) + 1,
            to: models - passes(&lowest[model], draws),
        }
    });
    Some(ranges.collect())
}

/// Fewest days to rank by.
const LEAST_DAYS: usize = 12;

/// How much too narrow resampled means of so few days are.
///
/// Blocks of mean length l act like a kernel of weight 2 l − 1, which takes that share of the days'
/// variance out with their mean; and a t has wider tails than a normal. Without this, one of two
/// equal models comes first in 95 % of the histories made from 26 days in every sixth case, which
/// is to happen in every tenth at most.
fn widening(days: usize) -> f64 {
    let taken = (2.0 * BLOCK_DAYS - 1.0) / real(days);
    let (_, degrees) = kernel(days, lag(days));
    student_quantile(0.975, degrees) / normal_quantile(0.975) / (1.0 - taken).sqrt()
}

/// The first place by which more than one fortieth of the draws are counted.
fn passes(counts: &[u32], draws: usize) -> usize {
    let mut seen = 0.0;
    let passed = |count: &u32| {
        seen += f64::from(*count);
        seen > real(draws) / 40.0
    };
    counts.iter().position(passed).unwrap_or_default()
}

/// The 95 % interval of a mean by a studentised stationary bootstrap; none below eight days.
pub fn studentised_interval(values: &[f64], random: &mut Random) -> Option<(f64, f64)> {
    let count = values.len();
    if count < 8 {
        return None;
    }
    let centre = mean(values);
    let error = |variance: f64| (variance.max(0.0) / real(count)).sqrt();
    let spread = error(long_run_variance(values, lag(count)));
    let mut days = vec![0; count];
    let mut drawn = vec![0.0; count];
    let mut ratios = Vec::with_capacity(draws(count));
    for _ in 0..draws(count) {
        resample(random, &mut days);
        for (value, day) in drawn.iter_mut().zip(&days) {
            *value = values[*day];
        }
        let (mean, variance) = quick_moments(&mut drawn, lag(count));
        let own = error(variance);
        if own > 0.0 {
            ratios.push((mean - centre) / own);
        }
    }
    ratios.sort_by(f64::total_cmp);
    let place = ratios.len() / 40;
    let (low, high) = (ratios.get(place)?, ratios.get(ratios.len() - 1 - place)?);
    Some((centre - high * spread, centre - low * spread))
}

#[cfg(test)]
mod tests;
