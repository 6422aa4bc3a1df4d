//! Portfolios under a cap per exposure, counted and drawn exposure by exposure.
//!
//! A cap can be so tight that random portfolios hardly ever keep it. Counting, from the last
//! exposure to the first, in how many ways the rest of a portfolio can be filled makes every draw
//! end, and an impossible cap known before the first.

use std::ops::RangeInclusive;

use super::admissible::{UNCAPPED, binomial, choose, weigh};
use super::random::Random;
use crate::decision::portfolio::Steps;

impl Steps {
    /// Ways to give this many holdings at least their least and exactly `steps` in all.
    pub(super) fn splits(self, holdings: u32, steps: u32) -> f64 {
        match steps.checked_sub(holdings * self.least) {
            Some(free) if holdings > 0 => binomial(free + holdings - 1, holdings - 1),
            Some(0) => 1.0,
            _ => 0.0,
        }
    }
}

/// What one exposure may take: holdings, steps, and in how many ways.
type Part = (u32, u32, f64);

/// The count of portfolios within the cap, and the way to draw one of them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Capped {
    /// Places of the options of each exposure.
    members: Vec<Vec<u32>>,
    /// What each exposure may take, nothing first.
    parts: Vec<Vec<Part>>,
    /// Ways to fill the rest from an exposure on, by holdings and steps left.
    ways: Vec<Vec<f64>>,
    /// Numbers of holdings with their ways.
    sizes: Vec<(u32, f64)>,
    steps: Steps,
}

impl Capped {
    /// Counts the portfolios of these sizes; none when the limits allow none.
    pub(super) fn new(exposures: &[u32], steps: Steps, sizes: RangeInclusive<u32>) -> Option<Self> {
        let groups = exposures.iter().max()? + 1;
        let mut members = vec![Vec::new(); groups as usize];
        for (place, exposure) in (0..).zip(exposures) {
            members[*exposure as usize].push(place);
        }
        let most = *sizes.end();
        let parts: Vec<Vec<Part>> = (0..)
            .zip(&members)
            .map(|(exposure, own)| {
                let cap = if exposure == UNCAPPED {
                    steps.whole
                } else {
                    steps.cap
                };
                parts(most, own.len(), Steps { cap, ..steps })
            })
            .collect();
        let cell = |holdings: u32, left: u32| (holdings * (steps.whole + 1) + left) as usize;
        let cells = cell(most, steps.whole) + 1;
        let mut after = vec![0.0; cells];
        after[0] = 1.0;
        let mut ways = vec![after];
        for own in parts.iter().rev() {
            let rest = &ways[ways.len() - 1];
            let mut here = vec![0.0; cells];
            for holdings in 0..=most {
                for left in 0..=steps.whole {
                    let fits = own.iter().filter(|(n, t, _)| *n <= holdings && *t <= left);
                    here[cell(holdings, left)] = fits
                        .map(|(n, t, count)| count * rest[cell(holdings - n, left - t)])
                        .sum();
                }
            }
            ways.push(here);
        }
        ways.reverse();
        let whole = |size: u32| (size, ways[0][cell(size, steps.whole)]);
        let sizes: Vec<(u32, f64)> = sizes.map(whole).filter(|(_, ways)| *ways > 0.0).collect();
        (!sizes.is_empty()).then_some(Self {
            members,
            parts,
            ways,
            sizes,
            steps,
        })
    }

    /// Portfolios within the cap.
    pub(super) fn count(&self) -> f64 {
        self.sizes.iter().map(|(_, ways)| ways).sum()
    }

    /// Draws one as (place among the options, steps).
    pub(super) fn draw(&self, random: &mut Random, held: &mut Vec<(u32, f64)>) {
        held.clear();
        let sizes = self.sizes.iter().map(|(size, ways)| (*size, *ways));
        let mut holdings = pick(random, self.count(), sizes).unwrap_or_default();
        let mut left = self.steps.whole;
        let row = self.steps.whole + 1;
        for (place, own) in self.parts.iter().enumerate() {
            if holdings == 0 {
                break;
            }
            let rest = &self.ways[place + 1];
            let total = self.ways[place][(holdings * row + left) as usize];
            let fits = own.iter().filter(|(n, t, _)| *n <= holdings && *t <= left);
            let parts = fits.map(|(n, t, count)| {
                let after = rest[((holdings - n) * row + left - t) as usize];
                ((*n, *t), count * after)
            });
            let (taken, steps) = pick(random, total, parts).unwrap_or_default();
            if taken > 0 {
                let begin = held.len();
                let members = &self.members[place];
                let count = u32::try_from(members.len()).unwrap_or(u32::MAX);
                choose(random, count, taken, held);
                weigh(random, (steps, self.steps.least), &mut held[begin..]);
                for (option, _) in &mut held[begin..] {
                    *option = members[*option as usize];
                }
                holdings -= taken;
                left -= steps;
            }
        }
    }
}

fn parts(most: u32, members: usize, steps: Steps) -> Vec<Part> {
    let members = u32::try_from(members).unwrap_or(u32::MAX);
    let mut parts = vec![(0, 0, 1.0)];
    for holdings in 1..=most.min(members) {
        let choices = binomial(members, holdings);
        for taken in holdings * steps.least..=steps.cap.min(steps.whole) {
            parts.push((holdings, taken, choices * steps.splits(holdings, taken)));
        }
    }
    parts
}

/// One of some things, by weights that add up to `total`; the last possible one at the very end.
fn pick<T>(random: &mut Random, total: f64, things: impl Iterator<Item = (T, f64)>) -> Option<T> {
    let mut chance = random.unit() * total;
    let mut last = None;
    for (thing, weight) in things.filter(|(_, weight)| *weight > 0.0) {
        if chance < weight {
            return Some(thing);
        }
        chance -= weight;
        last = Some(thing);
    }
    last
}
