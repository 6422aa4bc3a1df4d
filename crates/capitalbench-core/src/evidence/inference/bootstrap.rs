//! Resampled days: a second opinion on an interval.

use super::hac::{lag, long_run_variance, quick_moments};
use super::random::Random;
use crate::values::sums::{mean, real};

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
