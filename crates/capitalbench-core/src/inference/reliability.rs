//! Stated confidence against outcomes, with intervals that know of overlap.

use super::distribution::normal_quantile;
use super::overlap::{Overlap, RoundEstimate};
use crate::manifest::Window;

/// One resolved decision.
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
    /// Separate windows they are worth.
    pub effective: f64,
    /// Their mean confidence.
    pub confidence: f64,
    /// Share that beat the reference.
    pub hit_rate: f64,
    /// Wilson's interval of the hit rate, with separate windows in the place of decisions.
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

fn overlap(stated: &[Stated]) -> Overlap {
    let windows: Vec<Window> = stated.iter().map(|s| s.window).collect();
    Overlap::new(&windows)
}

/// Five bins of confidence; empty ones are left out.
#[expect(clippy::cast_precision_loss, reason = "counts are small")]
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
        let overlap = overlap(&members);
        let count = members.len();
        let hit_rate = hits.iter().sum::<f64>() / count as f64;
        bins.push(Bin {
            from,
            to,
            count,
            effective: overlap.effective(),
            confidence: members.iter().map(|s| s.confidence).sum::<f64>() / count as f64,
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
mod tests {
    use super::*;
    use crate::time::parse_day;

    fn stated((confidence, beat): (f64, bool), month: u8) -> Stated {
        let day = |day: u8| parse_day(&format!("2026-{month:02}-{day:02}")).unwrap();
        let window = Window {
            entry: day(5),
            exit: day(12),
        };
        Stated {
            confidence,
            beat,
            window,
        }
    }

    #[test]
    fn bins_hold_their_edges_and_empty_ones_are_left_out() {
        let all = [
            stated((0.6, true), 1),
            stated((0.79, false), 2),
            stated((1.0, true), 3),
        ];
        let bins = bins(&all);
        let counts: Vec<(usize, f64)> = bins.iter().map(|b| (b.count, b.from)).collect();
        assert_eq!(counts, [(2, 0.6), (1, 0.8)]);
        assert!((bins[0].hit_rate - 0.5).abs() < 1e-15);
        assert!((bins[0].effective - 2.0).abs() < 1e-12);
        assert!(bins[1].estimate.is_none());
        // One hit of one: from 0.2065, as tables of Wilson's interval have it, to 1.
        let (low, high) = bins[1].interval;
        assert!((low - 0.206_5).abs() < 1e-4 && (high - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_brier_score_of_certainty_is_what_it_gets_wrong() {
        let sure: Vec<Stated> = (1..=10).map(|m| stated((1.0, m > 2), m)).collect();
        let score = brier(&sure, &overlap(&sure)).unwrap();
        assert!((score.estimate.mean - 0.2).abs() < 1e-15);
        assert!(score.informative);
        assert_eq!(brier(&sure[..1], &overlap(&sure[..1])), None);
    }
}
