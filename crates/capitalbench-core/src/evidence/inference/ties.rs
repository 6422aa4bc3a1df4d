//! Who can be told apart: Holm's correction, rank ranges, groups of ties, and what a record can detect.

use super::distribution::{normal_quantile, student_quantile};
use super::hac::MeanEstimate;
use crate::values::sums::real;

/// Sessions in a year.
pub const YEAR_DAYS: f64 = 252.0;
/// Level of every test.
const LEVEL: f64 = 0.05;
/// Chance with which a gap is to be detected.
const POWER: f64 = 0.8;
/// Yearly gaps of the planning tables.
pub const EDGES: [f64; 3] = [0.02, 0.05, 0.10];

/// Holm's step-down correction, in the order given.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]).then(a.cmp(b)));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut highest = 0.0_f64;
    for (step, &place) in order.iter().enumerate() {
        let factor = real(p_values.len() - step);
        highest = highest.max((factor * p_values[place]).min(1.0));
        adjusted[place] = highest;
    }
    adjusted
}

/// Group of each entrant, from 1: a group is its first entrant and all that cannot be told from it.
///
/// Entrants come best first; `apart(a, b)` says whether two are told apart.
pub fn tie_groups(count: usize, apart: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut groups = vec![0; count];
    let mut left: Vec<usize> = (0..count).collect();
    let mut group = 0;
    while let Some((&leader, others)) = left.split_first() {
        group += 1;
        groups[leader] = group;
        let (told, alike): (Vec<usize>, Vec<usize>) =
            others.iter().partition(|other| apart(leader, **other));
        for other in alike {
            groups[other] = group;
        }
        left = told;
    }
    groups
}

/// The places that an entrant may truly hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RankRange {
    /// One more than those who are better by more than chance explains.
    pub from: usize,
    /// All but those who are worse by more than chance explains.
    pub to: usize,
}

/// The places of each entrant; `better(a, b)` says that `a` is above `b` by more than chance
/// explains, corrected over all pairs: then all ranges of a board hold together.
pub fn rank_ranges(count: usize, better: impl Fn(usize, usize) -> bool) -> Vec<RankRange> {
    let range = |own: usize| {
        let above = (0..count).filter(|other| better(*other, own)).count();
        let below = (0..count).filter(|other| better(own, *other)).count();
        RankRange {
            from: 1 + above,
            to: count - below,
        }
    };
    (0..count).map(range).collect()
}

/// Smallest gap that this record detects in four of five cases, as one of some tests.
pub fn detectable(estimate: &MeanEstimate, tests: usize) -> f64 {
    let level = LEVEL / 2.0 / real(tests.max(1));
    let found = student_quantile(1.0 - level, estimate.degrees);
    (found + student_quantile(POWER, estimate.degrees)) * estimate.standard_error
}

/// Years of rounds like these until a gap per horizon is detected in four of five cases, given a
/// standard error after this many live sessions; none where nothing varies.
pub fn years_to_detect(standard_error: f64, live_sessions: usize, gap: f64) -> Option<f64> {
    let quantiles = normal_quantile(1.0 - LEVEL / 2.0) + normal_quantile(POWER);
    let times = (quantiles * standard_error / gap).powi(2);
    let years = times * real(live_sessions) / YEAR_DAYS;
    (standard_error > 0.0 && years.is_finite()).then_some(years)
}

#[cfg(test)]
mod tests;
