//! Wishes → an admissible portfolio: the one way in which every control obeys the limits.

use std::collections::BTreeMap;

use super::Unavailable;
use crate::manifest::SubmissionFormat;
use crate::portfolio::{Constraints, Holding, HoldingForecast};
use crate::units::BasisPoints;
use crate::universe::{Listing, MarketOption, Universe};

/// The limits of a round, counted in steps of the smallest allowed increment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grid {
    /// Percent of one step.
    step_pct: u32,
    /// Steps of a whole portfolio.
    pub(super) whole: u32,
    /// Fewest steps of a holding.
    pub(super) least: u32,
    /// Fewest holdings.
    fewest: u32,
    /// Most holdings that fit.
    pub(super) most: u32,
    /// Most steps of one economic exposure.
    cap: u32,
}

impl Grid {
    /// The grid of a round; a single pick is one holding of everything.
    pub(super) fn new(format: SubmissionFormat, limits: &Constraints) -> Result<Self, Unavailable> {
        if format == SubmissionFormat::SinglePick {
            return Ok(Self {
                step_pct: 100,
                whole: 1,
                least: 1,
                fewest: 1,
                most: 1,
                cap: 1,
            });
        }
        if !limits.problems().is_empty() {
            return Err(Unavailable::NoPortfolio);
        }
        let step_pct = limits.increment_pct;
        let whole = 100 / step_pct;
        let least = limits.min_allocation_pct / step_pct;
        let grid = Self {
            step_pct,
            whole,
            least,
            fewest: limits.min_holdings,
            most: limits.max_holdings.min(whole / least),
            cap: limits.max_exposure_pct.map_or(whole, |cap| cap / step_pct),
        };
        let possible = grid.cap >= grid.least && grid.exposures() <= grid.most;
        possible.then_some(grid).ok_or(Unavailable::NoPortfolio)
    }

    /// Fewest holdings that the limits demand together.
    pub(super) fn enough(&self) -> u32 {
        self.fewest.max(self.exposures())
    }

    /// Fewest economic exposures that can hold the whole portfolio.
    fn exposures(&self) -> u32 {
        self.whole.div_ceil(self.cap.max(1))
    }
}

/// The options that may be held, in universe order.
pub(super) fn admissible<'a>(
    universe: &'a Universe,
    format: SubmissionFormat,
    limits: &Constraints,
) -> Vec<&'a MarketOption> {
    let free = format == SubmissionFormat::SinglePick;
    let allowed = |option: &&MarketOption| {
        option.listing == Listing::Shown
            && (free || limits.allow_cash || !option.is_cash())
            && (free || limits.allow_reference || !option.counts_as_reference())
    };
    universe.options().iter().filter(allowed).collect()
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
    grid: &Grid,
    rationale: &str,
) -> Result<Vec<Holding>, Unavailable> {
    let chosen = choose(wishes, grid)?;
    let total: f64 = chosen.iter().map(|(_, steps)| steps).sum();
    let scale = if total > 0.0 {
        f64::from(grid.whole) / total
    } else {
        1.0
    };
    let mut steps = vec![grid.least; chosen.len()];
    let count = u32::try_from(chosen.len()).unwrap_or(u32::MAX);
    for _ in count * grid.least..grid.whole {
        let filled = by_exposure(chosen.iter().zip(&steps).map(|((o, _), s)| (*o, *s)));
        let mut best: Option<(usize, f64)> = None;
        for (index, (option, wish)) in chosen.iter().enumerate() {
            let lacks = wish * scale - f64::from(steps[index]);
            let room = filled[option.exposure_cluster()] < grid.cap;
            if room && best.is_none_or(|(_, most)| lacks > most) {
                best = Some((index, lacks));
            }
        }
        let (index, _) = best.ok_or(Unavailable::NoPortfolio)?;
        steps[index] += 1;
    }
    let holding = |((option, _), steps): (&Wish<'_>, &u32)| Holding {
        option_id: option.id.clone(),
        weight: BasisPoints::from_percent(steps * grid.step_pct),
        rationale: rationale.to_owned(),
        forecast: HoldingForecast::default(),
    };
    Ok(chosen.iter().zip(&steps).map(holding).collect())
}

fn by_exposure<'a>(parts: impl Iterator<Item = (&'a MarketOption, u32)>) -> BTreeMap<&'a str, u32> {
    let mut totals = BTreeMap::new();
    for (option, steps) in parts {
        *totals.entry(option.exposure_cluster()).or_default() += steps;
    }
    totals
}

/// The options to hold: as many wishes as fit, in order, spread over enough exposures.
fn choose<'a>(wishes: &[Wish<'a>], grid: &Grid) -> Result<Vec<Wish<'a>>, Unavailable> {
    let count = wishes.iter().filter(|(_, steps)| *steps > 0.0).count();
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    let enough = grid.enough();
    let slots = count.min(grid.most).max(enough);
    let mut chosen: Vec<Wish<'a>> = Vec::new();
    for left in (0..slots).rev() {
        let filled = by_exposure(chosen.iter().map(|(option, _)| (*option, grid.least)));
        let spread = u32::try_from(filled.len()).unwrap_or(u32::MAX);
        let fits = |(option, _): &&Wish<'a>| {
            let own = filled.get(option.exposure_cluster());
            let spread = spread + u32::from(own.is_none());
            let open = spread + left >= grid.exposures();
            let room = own.copied().unwrap_or(0) + grid.least <= grid.cap;
            open && room && !chosen.iter().any(|(taken, _)| taken.id == option.id)
        };
        match wishes.iter().find(fits) {
            Some(wish) => chosen.push(*wish),
            // Fewer than wished for is no fault as long as the limits are met.
            None if slots - left > enough && spread >= grid.exposures() => break,
            None => return Err(Unavailable::NoPortfolio),
        }
    }
    Ok(chosen)
}
