//! Figures of the synthetic portfolio that puts equal capital in every live round.
//!
//! Nobody could hold it, so none of these figures ranks. They tell how much of a gain came from
//! taking more or less of the market, and how uneven the way was.

use super::distribution::student_quantile;
use super::hac::{kernel, lag, mean_estimate};
use super::ties::YEAR_DAYS;
use crate::values::sums::{compensated_sum, mean, real, variance};

/// A figure with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Ranged {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// What the daily record shows beside its mean.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Synthetic {
    pub days: usize,
    /// How much of a move of the reference the portfolio took part in.
    pub beta: Ranged,
    /// Mean daily gain that the part in the reference does not explain.
    pub capm_alpha: Ranged,
    /// Deviation of a year's gain beyond the reference.
    pub tracking_error: f64,
    /// A year's gain beyond the reference over that deviation.
    pub information_ratio: Ranged,
    /// Largest loss from a high before it, a share of the high.
    pub drawdown: f64,
    /// The same of the reference.
    pub reference_drawdown: f64,
}

/// The figures of daily gains beyond the reference and the reference's own returns on the same
/// days; none where either never varies.
pub fn synthetic(gains: &[f64], reference: &[f64]) -> Option<Synthetic> {
    let days = gains.len().min(reference.len());
    let (capm_alpha, slope) = regression(&gains[..days], &reference[..days])?;
    let deviation = variance(&gains[..days])?.sqrt();
    let estimate = mean_estimate(&gains[..days])?;
    let (low, high) = estimate.interval(0.95);
    let yearly = |mean: f64| mean / deviation * YEAR_DAYS.sqrt();
    let own = gains.iter().zip(reference).map(|(gain, own)| gain + own);
    (deviation > 0.0).then(|| Synthetic {
        days,
        beta: Ranged {
            value: 1.0 + slope.value,
            low: 1.0 + slope.low,
            high: 1.0 + slope.high,
        },
        capm_alpha,
        tracking_error: deviation * YEAR_DAYS.sqrt(),
        information_ratio: Ranged {
            value: yearly(estimate.mean),
            low: yearly(low),
            high: yearly(high),
        },
        drawdown: drawdown(own),
        reference_drawdown: drawdown(reference.iter().copied()),
    })
}

/// Least squares of `y` on a constant and `x`, errors by Bartlett's kernel: constant, then slope.
fn regression(y: &[f64], x: &[f64]) -> Option<(Ranged, Ranged)> {
    let days = y.len();
    let lag = lag(days);
    let (weight, _) = kernel(days, lag);
    if days < 8 || weight >= real(days) {
        return None;
    }
    let (mean_x, mean_y) = (mean(x), mean(y));
    let spread = compensated_sum(x.iter().map(|x| (x - mean_x).powi(2)));
    let both = compensated_sum(x.iter().zip(y).map(|(x, y)| (x - mean_x) * (y - mean_y)));
    if spread <= 0.0 {
        return None;
    }
    let slope = both / spread;
    let constant = mean_y - slope * mean_x;
    let errors: Vec<f64> = x
        .iter()
        .zip(y)
        .map(|(x, y)| y - constant - slope * x)
        .collect();
    // Each estimate is a sum of errors with weights of its own, so its variance is the kernel's
    // over these products.
    let of_slope = x
        .iter()
        .zip(&errors)
        .map(|(x, error)| (x - mean_x) / spread * error);
    let of_constant = x
        .iter()
        .zip(&errors)
        .map(|(x, error)| (1.0 / real(days) - mean_x * (x - mean_x) / spread) * error);
    let (_, degrees) = kernel(days, lag);
    let degrees = (degrees - 1.0).max(1.0);
    let spared = (1.0 - weight / real(days)) * (1.0 - 1.0 / real(days));
    let ranged = |value: f64, products: Vec<f64>| {
        let variance = kernel_sum(&products, lag) / spared;
        let width = student_quantile(0.975, degrees) * variance.max(0.0).sqrt();
        Ranged {
            value,
            low: value - width,
            high: value + width,
        }
    };
    Some((
        ranged(constant, of_constant.collect()),
        ranged(slope, of_slope.collect()),
    ))
}

/// Variance of a sum of terms by Bartlett's kernel.
fn kernel_sum(terms: &[f64], lag: usize) -> f64 {
    let product = |step: usize| {
        let pairs = terms.iter().skip(step).zip(terms);
        compensated_sum(pairs.map(|(a, b)| a * b))
    };
    let weighted = (1..=lag).map(|step| (1.0 - real(step) / (real(lag) + 1.0)) * product(step));
    product(0) + 2.0 * weighted.sum::<f64>()
}

/// The largest loss from an earlier high of these returns in a row.
fn drawdown(returns: impl Iterator<Item = f64>) -> f64 {
    let (mut value, mut high, mut worst) = (1.0_f64, 1.0_f64, 0.0_f64);
    for own in returns {
        value *= 1.0 + own;
        high = high.max(value);
        worst = worst.max(1.0 - value / high);
    }
    worst
}

#[cfg(test)]
mod tests;
