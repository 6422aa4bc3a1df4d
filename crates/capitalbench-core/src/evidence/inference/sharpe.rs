//! The deflated Sharpe ratio: what the best of several tries is worth.

use super::distribution::{normal_cdf, normal_quantile};
use crate::values::sums::{compensated_sum, mean, real};

/// Euler's constant.
const GAMMA: f64 = 0.577_215_664_901_532_9;

/// Moments of a daily series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    pub days: f64,
    /// Mean over deviation, per day.
    pub sharpe: f64,
    pub skewness: f64,
    /// Kurtosis; three for a normal.
    pub kurtosis: f64,
}

/// Moments with divisor T; none below three days or when nothing varies.
pub fn moments(values: &[f64]) -> Option<Moments> {
    let days = real(values.len());
    let mean = mean(values);
    let power = |exponent: i32| {
        compensated_sum(values.iter().map(|value| (value - mean).powi(exponent))) / days
    };
    let variance = power(2);
    (values.len() >= 3 && variance > 0.0).then(|| Moments {
        days,
        sharpe: mean / variance.sqrt(),
        skewness: power(3) / variance.powf(1.5),
        kurtosis: power(4) / (variance * variance),
    })
}

/// The Sharpe ratio that the best of `tries` without skill is expected to show.
pub fn expected_best(variance_of_sharpes: f64, tries: f64) -> f64 {
    if tries <= 1.0 {
        return 0.0;
    }
    let (one, e) = (1.0 - 1.0 / tries, 1.0 - 1.0 / (tries * std::f64::consts::E));
    variance_of_sharpes.sqrt() * ((1.0 - GAMMA) * normal_quantile(one) + GAMMA * normal_quantile(e))
}

/// Chance that the true Sharpe ratio is above what the best of `tries` shows by luck.
pub fn deflated(moments: &Moments, variance_of_sharpes: f64, tries: f64) -> Option<f64> {
    let sharpe = moments.sharpe;
    let spread = 1.0 - moments.skewness * sharpe + (moments.kurtosis - 1.0) / 4.0 * sharpe * sharpe;
    let excess = sharpe - expected_best(variance_of_sharpes, tries);
    (spread > 0.0).then(|| normal_cdf(excess * (moments.days - 1.0).sqrt() / spread.sqrt()))
}

#[cfg(test)]
mod tests;
