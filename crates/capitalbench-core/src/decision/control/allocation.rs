//! Wishes → an admissible portfolio: the one way in which every control obeys the limits.

use std::collections::{BTreeMap, BTreeSet};

use super::Unavailable;
use crate::decision::portfolio::{Constraints, Holding, HoldingForecast, Steps};
use crate::market::universe::{MarketOption, Universe};
use crate::round::manifest::SubmissionFormat;
use crate::values::units::BasisPoints;

/// The limits of a round and what they cap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grid<'a> {
    universe: &'a Universe,
    pub(super) steps: Steps,
}

impl<'a> Grid<'a> {
    pub(super) fn new(
        universe: &'a Universe,
        format: SubmissionFormat,
        limits: &Constraints,
    ) -> Result<Self, Unavailable> {
        let steps = limits.steps(format).ok_or(Unavailable::NoPortfolio)?;
        Ok(Self { universe, steps })
    }

    /// Fewest holdings that the limits demand together of these options.
    pub(super) fn enough(&self, options: &[&MarketOption]) -> u32 {
        let free = options.iter().any(|option| self.is_free(option));
        let spread = if free {
            1
        } else {
            self.exposures(self.steps.whole)
        };
        self.steps.fewest.max(spread)
    }

    /// Fewest capped exposures that can hold this many steps; too many to exist under a cap of none.
    fn exposures(&self, steps: u32) -> u32 {
        steps
            .checked_div(self.steps.cap)
            .map_or(u32::MAX, |_| steps.div_ceil(self.steps.cap))
    }

    /// Whether no cap concerns the option.
    fn is_free(&self, option: &MarketOption) -> bool {
        self.universe.capped_exposure(option).is_none()
    }

    /// Steps that these options can hold together at most.
    fn room<'b>(&self, options: impl Iterator<Item = &'b MarketOption>) -> u32 {
        let mut capped = BTreeSet::new();
        for option in options {
            match self.universe.capped_exposure(option) {
                None => return self.steps.whole,
                Some(exposure) => _ = capped.insert(exposure),
            }
        }
        let count = u32::try_from(capped.len()).unwrap_or(u32::MAX);
        count.saturating_mul(self.steps.cap).min(self.steps.whole)
    }

    /// Steps of each capped exposure.
    fn filled<'b>(
        &self,
        parts: impl Iterator<Item = (&'b MarketOption, u32)>,
    ) -> BTreeMap<&'b str, u32> {
        let mut totals = BTreeMap::new();
        for (option, steps) in parts {
            if let Some(exposure) = self.universe.capped_exposure(option) {
                *totals.entry(exposure).or_default() += steps;
            }
        }
        totals
    }

    /// Whether an option may take this many steps more.
    fn takes(&self, option: &MarketOption, steps: u32, filled: &BTreeMap<&str, u32>) -> bool {
        let exposure = self.universe.capped_exposure(option);
        exposure.is_none_or(|own| filled.get(own).copied().unwrap_or(0) + steps <= self.steps.cap)
    }
}

/// The options that may be held, in universe order.
pub(super) fn admissible<'a>(
    universe: &'a Universe,
    format: SubmissionFormat,
    limits: &Constraints,
) -> Vec<&'a MarketOption> {
    let options = universe.options().iter();
    options.filter(|o| limits.allow(format, o)).collect()
}

/// An option and how many steps of it are wished for; zero is a mere stopgap.
pub(super) type Wish<'a> = (&'a MarketOption, f64);

/// The admissible portfolio nearest to the wishes, which are given in order of preference.
///
/// The first wishes are taken as far as the number of holdings and the exposure cap allow;
/// stopgaps fill up what the limits demand beyond them. Each holding starts at the smallest
/// weight, then the rest goes step by step to the holding that is furthest below its wish.
pub(super) fn nearest(
    wishes: &[Wish<'_>],
    grid: &Grid<'_>,
    rationale: &str,
) -> Result<Vec<Holding>, Unavailable> {
    let chosen = choose(wishes, grid)?;
    let total: f64 = chosen.iter().map(|(_, steps)| steps).sum();
    let scale = if total > 0.0 {
        f64::from(grid.steps.whole) / total
    } else {
        1.0
    };
    let mut steps = vec![grid.steps.least; chosen.len()];
    let count = u32::try_from(chosen.len()).unwrap_or(u32::MAX);
    for _ in count * grid.steps.least..grid.steps.whole {
        let filled = grid.filled(chosen.iter().zip(&steps).map(|((o, _), s)| (*o, *s)));
        let mut best: Option<(usize, f64)> = None;
        for (index, (option, wish)) in chosen.iter().enumerate() {
            let lacks = wish * scale - f64::from(steps[index]);
            let room = grid.takes(option, 1, &filled);
            if room && best.is_none_or(|(_, most)| lacks > most) {
                best = Some((index, lacks));
            }
        }
        let (index, _) = best.ok_or(Unavailable::NoPortfolio)?;
        steps[index] += 1;
    }
    let holding = |((option, _), steps): (&Wish<'_>, &u32)| Holding {
        option_id: option.id.clone(),
        weight: BasisPoints::from_percent(steps * grid.steps.percent),
        rationale: rationale.to_owned(),
        forecast: HoldingForecast::default(),
    };
    Ok(chosen.iter().zip(&steps).map(holding).collect())
}

/// The options to hold: as many wishes as fit, in order, and others where those may not hold all.
fn choose<'a>(wishes: &[Wish<'a>], grid: &Grid<'_>) -> Result<Vec<Wish<'a>>, Unavailable> {
    let first = wishes.iter().filter(|(_, steps)| *steps > 0.0);
    let first: Vec<&MarketOption> = first
        .map(|(o, _)| *o)
        .take(grid.steps.most as usize)
        .collect();
    let lacking = grid.steps.whole - grid.room(first.iter().copied());
    let mut slots = u32::try_from(first.len()).unwrap_or(u32::MAX);
    if lacking > 0 {
        let all: Vec<&MarketOption> = wishes.iter().map(|(option, _)| *option).collect();
        let free = all.iter().any(|option| grid.is_free(option));
        let more = if free { 1 } else { grid.exposures(lacking) };
        slots = slots.saturating_add(more);
    }
    let slots = slots.min(grid.steps.most).max(grid.steps.fewest);
    let mut chosen: Vec<Wish<'a>> = Vec::new();
    for left in (0..slots).rev() {
        let filled = grid.filled(chosen.iter().map(|(option, _)| (*option, grid.steps.least)));
        let taken = |option: &MarketOption| chosen.iter().any(|(held, _)| held.id == option.id);
        let fits = |(option, _): &&Wish<'a>| {
            if taken(option) || !grid.takes(option, grid.steps.least, &filled) {
                return false;
            }
            let held = chosen.iter().map(|(held, _)| *held).chain([*option]);
            let lacking = grid.steps.whole - grid.room(held);
            // What is lacking must fit into the slots that are left.
            let rest = wishes
                .iter()
                .filter(|(o, _)| o.id != option.id && !taken(o));
            let free = || rest.clone().any(|(other, _)| grid.is_free(other));
            lacking == 0 || left >= grid.exposures(lacking) || left > 0 && free()
        };
        match wishes.iter().find(fits) {
            Some(wish) => chosen.push(*wish),
            // Fewer than wished for is no fault as long as the limits are met.
            None if slots - left > grid.steps.fewest
                && grid.room(chosen.iter().map(|(option, _)| *option)) == grid.steps.whole =>
            {
                break;
            }
            None => return Err(Unavailable::NoPortfolio),
        }
    }
    Ok(chosen)
}
