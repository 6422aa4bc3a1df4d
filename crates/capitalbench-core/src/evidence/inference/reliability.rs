//! Stated confidence against outcomes, with intervals that know of overlap.

use super::distribution::normal_quantile;
use super::overlap::{Overlap, RoundEstimate};
use crate::round::manifest::Window;
use crate::values::sums::real;

/// One resolved decision of a round that asked how likely it is to beat the reference.
///
/// A decision that returned what the reference did is none: the question has no answer there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stated {
    /// Chance of beating the reference, as stated.
    pub confidence: f64,
    /// Whether it did.
    pub beat: bool,
    /// When it was held.
    pub window: Window,
}

impl Stated {
    fn outcome(&self) -> f64 {
        f64::from(u8::from(self.beat))
    }
}

/// Decisions of similar confidence.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Bin {
    /// Lowest confidence of the bin.
    pub from: f64,
    /// Highest; the last bin contains it.
    pub to: f64,
    /// Decisions in it.
    pub count: usize,
    /// Effective windows they are worth.
    pub effective: f64,
    /// Their mean confidence.
    pub confidence: f64,
    /// Share that beat the reference.
    pub hit_rate: f64,
    /// Wilson's interval of the hit rate, with effective windows in the place of decisions.
    pub interval: (f64, f64),
    /// The hit rate as a mean over windows, where one can be given.
    pub estimate: Option<RoundEstimate>,
}

/// Mean squared difference of confidence and outcome: 0 is perfect, 0.25 a coin.
///
/// `overlap` is that of the windows of the decisions.
pub fn brier(stated: &[Stated], overlap: &Overlap) -> Option<RoundEstimate> {
    let errors: Vec<f64> = stated
        .iter()
        .map(|s| (s.confidence - s.outcome()).powi(2))
        .collect();
    overlap.mean(&errors)
}

/// Five bins of confidence; empty ones are left out.
pub fn bins(stated: &[Stated]) -> Vec<Bin> {
    let edges = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0];
    let mut bins = Vec::new();
    for pair in edges.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let last = to >= 1.0;
        let inside = |s: &&Stated| {
            s.confidence >= from && (s.confidence < to || (last && s.confidence <= to))
        };
        let members: Vec<Stated> = stated.iter().filter(inside).copied().collect();
        if members.is_empty() {
            continue;
        }
        let hits: Vec<f64> = members.iter().map(Stated::outcome).collect();
        let windows: Vec<Window> = members.iter().map(|s| s.window).collect();
        let overlap = Overlap::new(&windows);
        let count = members.len();
        let hit_rate = hits.iter().sum::<f64>() / real(count);
        bins.push(Bin {
            from,
            to,
            count,
            effective: overlap.effective(),
            confidence: members.iter().map(|s| s.confidence).sum::<f64>() / real(count),
            hit_rate,
            interval: wilson(hit_rate, overlap.effective()),
            estimate: overlap.mean(&hits),
        });
    }
    bins
}

/// Wilson's 95 % interval of a share; unlike a mean's it stays open when all or none hit.
pub fn wilson(share: f64, trials: f64) -> (f64, f64) {
    let z = normal_quantile(0.975);
    let spread = z * z / trials;
    let centre = (share + spread / 2.0) / (1.0 + spread);
    let inside = share * (1.0 - share) / trials + spread / (4.0 * trials);
    let width = z * inside.sqrt() / (1.0 + spread);
    ((centre - width).max(0.0), (centre + width).min(1.0))
}

#[cfg(test)]
mod tests;
