//! What it takes until a claim would be established.
//!
//! The answer is simulated: histories of normal days with a given edge, looked at every five days. A
//! small bet grows to nearly `exp(λ S − λ² Q / 2)`, `S` being the sum of the days in scales and `Q` that
//! of their squares, which for many days is their number times the variance. So all stakes follow from
//! `S` and the number of days, and a claim is established where `S` reaches a boundary. Every design
//! sees the same random days, so a better design never looks worse by chance.

use super::{BETS, BOLDEST, RISKED, Side};
use crate::evidence::inference::random::Random;
use crate::values::ids::Digest;
use crate::values::sums::real;

/// Histories of an answer.
const HISTORIES: usize = 400;
/// Of so many histories four in five must succeed.
const SUCCEEDING: usize = 320;
/// Days between two looks.
const LOOK: usize = 5;
/// Sessions of a year.
const YEAR: usize = 252;
/// Years after which a design counts as unable to know.
pub const MOST_YEARS: usize = 20;
/// Bound on a day in deviations, where no record tells: what portfolios of funds show.
pub const USUAL_BOUND: f64 = 16.0;

/// How many series of days a design looks at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Series {
    /// One claim on one track.
    One,
    /// A claim on each of two tracks, at half the level; the first to be established decides. Their
    /// days have this correlation.
    Two(f64),
}

/// A way to look for an edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Design {
    /// Daily deviation of the difference.
    pub deviation: f64,
    /// Largest loss of a day.
    pub bound: f64,
    /// The scale that the claim states.
    pub scale: f64,
    pub side: Side,
    pub series: Series,
}

impl Design {
    /// One two-sided claim that states the deviation it will meet.
    pub fn of(deviation: f64, bound: f64) -> Self {
        Self {
            deviation,
            bound,
            scale: deviation,
            side: Side::Either,
            series: Series::One,
        }
    }

    /// The sum of days in scales that establishes a claim, at each look.
    fn boundary(&self, needed: f64) -> Vec<f64> {
        // The stakes of the other side are nearly gone by then.
        let sides = match self.side {
            Side::Above => 1.0,
            Side::Either => 2.0,
        };
        let series = match self.series {
            Series::One => 1.0,
            Series::Two(_) => 2.0,
        };
        let goal = needed * sides * series * real(BETS);
        let variance = (self.deviation / self.scale).powi(2);
        let boldest = BOLDEST.min(RISKED * self.scale / self.bound);
        let looks = YEAR * MOST_YEARS / LOOK;
        let mut sum = 0.0;
        let mut found = Vec::with_capacity(looks);
        for look in 1..=looks {
            let spent = variance * real(LOOK * look);
            sum = reached(boldest, spent, goal, sum);
            found.push(sum);
        }
        found
    }

    /// Adds the days until the next look to the sum of each series.
    fn pass(&self, sums: &mut (f64, f64), random: &mut Random) {
        let step = self.deviation / self.scale * real(LOOK).sqrt();
        let first = random.normal();
        sums.0 += step * first;
        if let Series::Two(correlation) = self.series {
            let own = (1.0 - correlation * correlation).max(0.0).sqrt();
            let second = correlation * first + own * random.normal();
            sums.1 = if sums.1.is_finite() { sums.1 } else { 0.0 } + step * second;
        }
    }
}

/// The smallest sum at which the stakes reach a goal, by Newton's method from a sum nearby; the logarithm
/// of their total rises and bends upwards.
fn reached(boldest: f64, spent: f64, goal: f64, near: f64) -> f64 {
    let mut sum = near;
    for _ in 0..50 {
        let mut logs = [0.0; BETS];
        let mut bold = boldest;
        let mut bets = [0.0; BETS];
        for (log, bet) in logs.iter_mut().zip(&mut bets) {
            *log = bold * sum - bold * bold * spent / 2.0;
            *bet = bold;
            bold *= std::f64::consts::FRAC_1_SQRT_2;
        }
        let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let parts = logs.map(|log| (log - top).exp());
        let whole: f64 = parts.iter().sum();
        let slope = parts
            .iter()
            .zip(bets)
            .map(|(part, bet)| part * bet)
            .sum::<f64>()
            / whole;
        let missing = goal.ln() - (top + whole.ln());
        sum += missing / slope;
        if missing.abs() < 1e-6 {
            break;
        }
    }
    sum
}

/// Years until an edge of each of so many a year would be established in four of five cases, where
/// evidence of `needed` establishes it; none where [`MOST_YEARS`] are not enough.
pub fn years_until<const EDGES: usize>(
    design: &Design,
    edges: [f64; EDGES],
    needed: f64,
) -> [Option<f64>; EDGES] {
    if !(design.deviation > 0.0 && design.bound > 0.0 && design.scale > 0.0) {
        return [None; EDGES];
    }
    let boundary = design.boundary(needed);
    let gains = edges.map(|edge| edge / real(YEAR) * real(LOOK) / design.scale);
    let mut passed = [const { Vec::new() }; EDGES];
    // An edge that failed too often cannot pass often enough in the histories that are left.
    let mut failed = [0; EDGES];
    for history in 0..HISTORIES {
        let mut open: Vec<usize> = (0..EDGES)
            .filter(|edge| failed[*edge] <= HISTORIES - SUCCEEDING)
            .collect();
        if open.is_empty() {
            break;
        }
        // A stream of its own for every history: designs meet the same days, however long they look.
        let seed = Digest::of(format!("plan-evidence {history}").as_bytes());
        let mut random = Random::of(seed, super::METHOD);
        let mut sums = (0.0, f64::NEG_INFINITY);
        for (look, boundary) in (1..).zip(&boundary) {
            design.pass(&mut sums, &mut random);
            open.retain(|edge| {
                let is_reached = sums.0.max(sums.1) + real(look) * gains[*edge] >= *boundary;
                if is_reached {
                    passed[*edge].push(LOOK * look);
                }
                !is_reached
            });
            if open.is_empty() {
                break;
            }
        }
        for edge in open {
            failed[edge] += 1;
        }
    }
    passed.map(|mut passed| {
        passed.sort_unstable();
        let days = passed.get(SUCCEEDING - 1)?;
        Some(real(*days) / real(YEAR))
    })
}

#[cfg(test)]
mod tests;
