//! Rounds overlap: how many effective windows they are worth, and intervals from round returns.

use jiff::civil::Date;

use super::daily::sessions_of;
use super::hac::MeanEstimate;
use crate::market::calendar::Market;
use crate::round::manifest::Window;
use crate::values::sums::{compensated_sum, real};

/// Fewest effective windows for an interval that tells something.
pub const INFORMATIVE_WINDOWS: f64 = 4.0;

/// The likeness of every pair of windows: shared sessions over the root of both lengths.
///
/// Only pairs that share a session are kept, so that size and time grow with the rounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Overlap {
    count: usize,
    /// Pairs `i < j` with their likeness.
    pairs: Vec<(usize, usize, f64)>,
    /// Σ K over all pairs.
    pub(super) total: f64,
    /// Σ K² over all pairs.
    squares: f64,
}

impl Overlap {
    /// The overlaps of windows in the order given; a session belongs to a window that began before it.
    pub fn new(windows: &[Window]) -> Self {
        let sessions = sessions(windows);
        let place = |day: Date| sessions.partition_point(|session| *session <= day);
        let spans: Vec<(usize, usize)> = windows
            .iter()
            .map(|window| (place(window.entry), place(window.exit)))
            .collect();
        Self::of_spans(&spans)
    }

    /// The overlaps of half-open spans of sessions.
    pub fn of_spans(spans: &[(usize, usize)]) -> Self {
        let mut order: Vec<usize> = (0..spans.len()).collect();
        order.sort_by_key(|&index| (spans[index], index));
        let length = |index: usize| spans[index].1.saturating_sub(spans[index].0);
        let mut pairs = Vec::new();
        for (place, &first) in order.iter().enumerate() {
            for &second in &order[place + 1..] {
                let begin = spans[second].0;
                if begin >= spans[first].1 {
                    break;
                }
                let shared = spans[first].1.min(spans[second].1).saturating_sub(begin);
                if shared > 0 {
                    let likeness =
                        real(shared) / (real(length(first)) * real(length(second))).sqrt();
                    pairs.push((first.min(second), first.max(second), likeness));
                }
            }
        }
        pairs.sort_by_key(|pair| (pair.0, pair.1));
        let mut overlap = Self {
            count: spans.len(),
            pairs,
            total: 0.0,
            squares: 0.0,
        };
        overlap.total = overlap.weighted(|_, _| 1.0);
        let squared = overlap.pairs.iter().map(|(_, _, k)| k * k);
        overlap.squares = real(overlap.count) + 2.0 * compensated_sum(squared);
        overlap
    }

    /// Σ K w over all pairs of windows, `w` being one for a window with itself.
    pub(super) fn weighted(&self, weight: impl Fn(usize, usize) -> f64) -> f64 {
        let cross = self.pairs.iter();
        real(self.count) + 2.0 * compensated_sum(cross.map(|(i, j, k)| k * weight(*i, *j)))
    }

    /// Σ K² / Σ K: the share of the variance of a mean that Σ K e e shows.
    ///
    /// The covariance of two errors is itself proportional to K, so weighing their product by K
    /// once more shows Σ K² where the variance has Σ K. One where no windows overlap.
    pub fn kappa(&self) -> f64 {
        if self.count == 0 {
            return 1.0;
        }
        self.squares / self.total
    }

    /// Σ K e e over all pairs of windows, each with itself once.
    pub fn quadratic(&self, values: &[f64]) -> f64 {
        let own = compensated_sum(values.iter().map(|value| value * value));
        let cross = self.pairs.iter();
        own + 2.0 * compensated_sum(cross.map(|(i, j, k)| k * values[*i] * values[*j]))
    }

    /// The number of windows without overlap that these are worth: n² / Σ K.
    pub fn effective(&self) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        let n = real(self.count);
        n * n / self.total
    }

    /// The mean of round figures; see [`RoundEstimate`]. None of a single window or below 1.5 effective ones.
    pub fn mean(&self, values: &[f64]) -> Option<RoundEstimate> {
        let (n, effective) = (real(self.count), self.effective());
        if self.count < 2 || effective < 1.5 {
            return None;
        }
        let mean = compensated_sum(values.iter().copied()) / n;
        let errors: Vec<f64> = values.iter().map(|value| value - mean).collect();
        let spared = 1.0 - 1.0 / effective;
        let informative = effective >= INFORMATIVE_WINDOWS;
        let variance = if informative {
            self.quadratic(&errors) / (n * n) / self.kappa() / spared
        } else {
            let spread = compensated_sum(errors.iter().map(|error| error * error)) / (n - 1.0);
            spread / spared / effective
        };
        Some(RoundEstimate {
            estimate: MeanEstimate {
                mean,
                standard_error: variance.max(0.0).sqrt(),
                degrees: effective - 1.0,
            },
            informative,
        })
    }
}

/// A mean from round figures alone.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RoundEstimate {
    /// The mean, with a standard error that knows of the overlap.
    pub estimate: MeanEstimate,
    /// Enough effective windows for the interval to tell something.
    pub informative: bool,
}

/// How many of these windows are live on each session that has one, in order.
pub fn live_sessions(windows: &[Window]) -> Vec<(Date, u32)> {
    let sessions = sessions(windows);
    let place = |day: Date| sessions.partition_point(|session| *session <= day);
    let mut changes = vec![0_i64; sessions.len() + 1];
    for window in windows {
        let (begin, end) = (place(window.entry), place(window.exit));
        changes[begin] += 1;
        changes[end.max(begin)] -= 1;
    }
    let mut live = 0;
    let counted = sessions.into_iter().zip(changes).map(|(day, change)| {
        live += change;
        (day, u32::try_from(live).unwrap_or(0))
    });
    counted.filter(|(_, live)| *live > 0).collect()
}

/// All sessions from the first entry to the last exit.
fn sessions(windows: &[Window]) -> Vec<Date> {
    let first = windows.iter().map(|window| window.entry).min();
    let last = windows.iter().map(|window| window.exit).max();
    let (Some(first), Some(last)) = (first, last) else {
        return Vec::new();
    };
    // A folder holds the rounds of one market.
    let market = windows
        .first()
        .map_or_else(Market::default, |window| window.market);
    let own = Some(first).filter(|day| market.is_session(*day) && *day <= last);
    let (entry, exit) = (first, last);
    let all = Window {
        entry,
        exit,
        market,
    };
    own.into_iter().chain(sessions_of(all)).collect()
}

/// Why a ratio has no interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum NoInterval {
    /// Fewer effective windows than an interval needs.
    TooFewWindows,
    /// The sum of the oracles is within two standard errors of zero.
    SmallDenominator,
    /// A round without the return of every option has no oracle.
    NoOracle,
}

impl NoInterval {
    /// The word in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TooFewWindows => "too_few_windows",
            Self::SmallDenominator => "small_denominator",
            Self::NoOracle => "no_oracle",
        }
    }
}

/// The CapitalBench Score of summed returns over summed oracles, with its standard error.
pub fn score_estimate(
    overlap: &Overlap,
    returns: &[f64],
    oracles: &[f64],
) -> Result<MeanEstimate, NoInterval> {
    let effective = overlap.effective();
    if overlap.count < 2 || effective < INFORMATIVE_WINDOWS {
        return Err(NoInterval::TooFewWindows);
    }
    let total = compensated_sum(oracles.iter().copied());
    let average = overlap.mean(oracles).ok_or(NoInterval::TooFewWindows)?;
    if average.estimate.mean.abs() <= 2.0 * average.estimate.standard_error {
        return Err(NoInterval::SmallDenominator);
    }
    let ratio = compensated_sum(returns.iter().copied()) / total;
    let errors: Vec<f64> = returns
        .iter()
        .zip(oracles)
        .map(|(value, oracle)| value - ratio * oracle)
        .collect();
    let spared = (1.0 - 1.0 / effective) * overlap.kappa();
    Ok(MeanEstimate {
        mean: 100.0 * ratio,
        standard_error: 100.0 * (overlap.quadratic(&errors).max(0.0) / spared).sqrt() / total.abs(),
        degrees: effective - 1.0,
    })
}

#[cfg(test)]
mod tests;
