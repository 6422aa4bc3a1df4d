//! Portfolios of a judgment round: up to three picks from the slate in fixed slots.
//!
//! The reference takes every slot that no pick takes. All different portfolios have the same
//! chance; two picks in slots of the same weight are one portfolio, whatever their order.

use super::random::Random;
use crate::decision::judgment::{REFERENCE_ID, SLOTS_PCT};
use crate::market::universe::Universe;

/// The portfolios that a slate allows, as places in the universe.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Slots {
    reference: u32,
    /// Candidates that may take a slot.
    candidates: Vec<u32>,
    /// Numbers of picks with how many portfolios have up to as many.
    sizes: Vec<(usize, u64)>,
}

impl Slots {
    /// None where the slate names an option that the universe lacks, or no reference exists.
    pub(super) fn new(universe: &Universe, slate: &[&str]) -> Option<Self> {
        let place = |id: &str| {
            let mut options = universe.options().iter();
            let place = options.position(|option| option.id.as_str() == id)?;
            u32::try_from(place).ok()
        };
        let picks = slate.iter().filter(|id| **id != REFERENCE_ID);
        let candidates: Option<Vec<u32>> = picks.map(|id| place(id)).collect();
        let candidates = candidates?;
        let mut total = 0;
        let sizes = (0..=SLOTS_PCT.len().min(candidates.len())).map(|size| {
            let count = candidates.len() as u64;
            let ordered: u64 = (0..size as u64).map(|taken| count - taken).product();
            total += ordered / alike(size);
            (size, total)
        });
        Some(Self {
            reference: place(REFERENCE_ID)?,
            sizes: sizes.collect(),
            candidates,
        })
    }

    /// Draws one as (place in the universe, share of the whole).
    pub(super) fn draw(&self, random: &mut Random, held: &mut Vec<(u32, f64)>) {
        held.clear();
        let total = self.sizes.last().map_or(1, |(_, total)| *total);
        let drawn = random.below(total);
        let size = self.sizes.iter().find(|(_, up_to)| drawn < *up_to);
        let size = size.map_or(0, |(size, _)| *size);
        let mut left = self.candidates.clone();
        for percent in &SLOTS_PCT[..size] {
            let pick = left.swap_remove(random.index(left.len()));
            held.push((pick, f64::from(*percent) / 100.0));
        }
        let rest: u32 = SLOTS_PCT[size..].iter().sum();
        if rest > 0 {
            held.push((self.reference, f64::from(rest) / 100.0));
        }
    }
}

/// Orders of as many picks that make the same portfolio: those within slots of one weight.
fn alike(size: usize) -> u64 {
    let same = SLOTS_PCT[..size].chunk_by(|a, b| a == b);
    same.map(|slots| (1..=slots.len() as u64).product::<u64>())
        .product()
}

#[cfg(test)]
mod tests;
