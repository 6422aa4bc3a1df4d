//! What it takes until a claim would be established.
//!
//! The answer is simulated: histories of normal days with a given edge, followed by the same stakes
//! that follow a real claim. Every design sees the same random days, so a better design never looks
//! worse by chance.

use super::{Side, Stakes};
use crate::evidence::inference::random::Random;
use crate::values::ids::Digest;
use crate::values::sums::real;

/// Histories of an answer.
const HISTORIES: usize = 200;
/// Of so many histories four in five must succeed.
const SUCCEEDING: usize = 160;
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

    /// The shocks of a day, one for each series.
    fn shocks(&self, random: &mut Random) -> (f64, Option<f64>) {
        let first = random.normal();
        match self.series {
            Series::One => (first, None),
            Series::Two(correlation) => {
                let own = (1.0 - correlation * correlation).max(0.0).sqrt();
                (first, Some(correlation * first + own * random.normal()))
            }
        }
    }
}

/// Years until an edge of each of so many a year would be established in four of five cases, where
/// evidence of `needed` establishes it; none where [`MOST_YEARS`] are not enough.
pub fn years_until<const EDGES: usize>(
    design: &Design,
    edges: [f64; EDGES],
    needed: f64,
) -> [Option<f64>; EDGES] {
    if !(design.deviation > 0.0 && design.bound > 0.0) {
        return [None; EDGES];
    }
    let mut passed = [const { Vec::new() }; EDGES];
    let mut longest = [YEAR * MOST_YEARS; EDGES];
    for history in 0..HISTORIES {
        // A stream of its own for every history: designs meet the same days, however long they look.
        let seed = Digest::of(format!("plan-evidence {history}").as_bytes());
        let mut random = Random::of(seed, super::METHOD);
        let mut looks = edges.map(|edge| Look::new(design, edge));
        let mut open: Vec<usize> = (0..EDGES).filter(|edge| longest[*edge] > 0).collect();
        for day in 1..=YEAR * MOST_YEARS {
            open.retain(|edge| day <= longest[*edge]);
            if open.is_empty() {
                break;
            }
            let shocks = design.shocks(&mut random);
            open.retain(|edge| {
                let is_established = looks[*edge].pass_day(shocks) >= needed;
                if is_established {
                    passed[*edge].push(day);
                }
                !is_established
            });
        }
        for (longest, passed) in longest.iter_mut().zip(&mut passed) {
            *longest = limit(*longest, history + 1, passed);
        }
    }
    passed.map(|passed| {
        let days = passed.get(SUCCEEDING - 1)?;
        Some(real(*days) / real(YEAR))
    })
}

/// How long the next history must be followed: no longer than what already decides, and not at all
/// once too many have failed.
fn limit(longest: usize, done: usize, passed: &mut [usize]) -> usize {
    passed.sort_unstable();
    match passed.get(SUCCEEDING - 1) {
        Some(days) => *days,
        None if done - passed.len() > HISTORIES - SUCCEEDING => 0,
        None => longest,
    }
}

/// One simulated history of a design with one edge.
struct Look<'a> {
    design: &'a Design,
    daily: f64,
    stakes: [(Stakes, Stakes); 2],
}

impl<'a> Look<'a> {
    fn new(design: &'a Design, edge: f64) -> Self {
        Self {
            design,
            daily: edge / real(YEAR),
            stakes: [(Stakes::default(), Stakes::default()); 2],
        }
    }

    /// The evidence after one more day; two claims at half the level need twice as much.
    fn pass_day(&mut self, (first, second): (f64, Option<f64>)) -> f64 {
        let own = self.add(0, first);
        match second {
            None => own,
            Some(second) => own.max(self.add(1, second)) / 2.0,
        }
    }

    fn add(&mut self, series: usize, shock: f64) -> f64 {
        let Design {
            deviation,
            bound,
            scale,
            side,
            ..
        } = *self.design;
        let day = (self.daily + deviation * shock).clamp(-bound, bound);
        let (above, below) = &mut self.stakes[series];
        above.bet(day, bound, scale);
        if side == Side::Above {
            return above.value();
        }
        below.bet(-day, bound, scale);
        f64::midpoint(above.value(), below.value())
    }
}

#[cfg(test)]
mod tests;
