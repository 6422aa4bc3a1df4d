//! The deflated Sharpe ratio: what the best of several tries is worth.

use super::distribution::{normal_cdf, normal_quantile};
use crate::score::compensated_sum;

/// Euler's constant.
const GAMMA: f64 = 0.577_215_664_901_532_9;

/// Moments of a daily series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// Days.
    pub days: f64,
    /// Mean over deviation, per day.
    pub sharpe: f64,
    /// Skewness.
    pub skewness: f64,
    /// Kurtosis; three for a normal.
    pub kurtosis: f64,
}

/// Moments with divisor T; none below three days or when nothing varies.
#[expect(clippy::cast_precision_loss, reason = "counts of days are small")]
pub fn moments(values: &[f64]) -> Option<Moments> {
    let days = values.len() as f64;
    let mean = compensated_sum(values.iter().copied()) / days;
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
mod tests {
    use super::*;

    #[test]
    fn one_try_is_the_probabilistic_ratio() {
        let even: Vec<f64> = (0..100)
            .map(|i| if i % 2 == 0 { 1.1 } else { -0.9 })
            .collect();
        let moments = moments(&even).unwrap();
        assert!((moments.sharpe - 0.1).abs() < 1e-12);
        assert!((moments.kurtosis - 1.0).abs() < 1e-12);
        let chance = deflated(&moments, 0.04, 1.0).unwrap();
        assert!((chance - normal_cdf(0.1 * 99.0_f64.sqrt())).abs() < 1e-12);
    }

    #[test]
    fn more_tries_make_the_same_record_worth_less() {
        let values: Vec<f64> = (0..60).map(|i| f64::from(i % 7) - 2.9).collect();
        let moments = moments(&values).unwrap();
        let chance = |tries| deflated(&moments, 0.01, tries).unwrap();
        assert!(chance(1.0) > chance(10.0) && chance(10.0) > chance(100.0));
        assert!(super::moments(&[1.0; 10]).is_none());
    }
}
