//! Uniform draws from exactly the portfolios that a round's rules allow.
//!
//! Portfolios of k holdings are C(n, k) choices of options times the ways to give each its least
//! weight and share out the remaining steps. The number of holdings is drawn with those counts as
//! chances, then the options, then the shares. Where exposures are capped, `Capped` counts what is
//! left: usually a portfolio above the cap is drawn again, and where that would be most of them, the
//! draw goes exposure by exposure instead. Every admissible portfolio has the same chance.

use super::capped::Capped;
use super::random::Random;
use super::slots::Slots;
use crate::decision::portfolio::{Constraints, Steps};
use crate::market::universe::{MarketOption, Universe};
use crate::round::manifest::SubmissionFormat;

/// The portfolios a round allows, as places in the universe and steps of weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Admissible {
    /// Places of the options that may be held.
    options: Vec<u32>,
    /// Exposure of each of them, numbered from one; zero is what no cap concerns.
    exposures: Vec<u32>,
    steps: Steps,
    /// Numbers of holdings with the share of portfolios up to each.
    sizes: Vec<(u32, f64)>,
    /// Draws exposure by exposure where rejecting whole portfolios would fail too often.
    capped: Option<Capped>,
    /// Draws by slots: the rules of a judgment round.
    slots: Option<Slots>,
}

/// No portfolio follows the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no portfolio of this universe follows the limits of the round")]
pub struct NoPortfolio;

/// The number of cash and the reference among exposures.
pub(super) const UNCAPPED: u32 = 0;

/// Share of portfolios within the cap from which drawing again is the faster way.
const ENOUGH_WITHIN: f64 = 0.25;

impl Admissible {
    /// The portfolios of a round.
    pub fn new(
        universe: &Universe,
        format: SubmissionFormat,
        limits: &Constraints,
    ) -> Result<Self, NoPortfolio> {
        let (options, exposures) = offered(universe, |option| limits.allow(format, option))?;
        let steps = limits.steps(format).ok_or(NoPortfolio)?;
        let count = u32::try_from(options.len()).map_err(|_| NoPortfolio)?;
        let sizes = steps.fewest..=steps.most.min(count);
        let mut total = 0.0;
        let mut cumulative = Vec::new();
        for size in sizes.clone() {
            total += binomial(count, size) * steps.splits(size, steps.whole);
            cumulative.push((size, total));
        }
        if total <= 0.0 {
            return Err(NoPortfolio);
        }
        for (_, share) in &mut cumulative {
            *share /= total;
        }
        let mut rules = Self {
            options,
            exposures,
            steps,
            sizes: cumulative,
            capped: None,
            slots: None,
        };
        if steps.cap < steps.whole {
            let capped = Capped::new(&rules.exposures, steps, sizes).ok_or(NoPortfolio)?;
            rules.capped = (capped.count() < ENOUGH_WITHIN * total).then_some(capped);
        }
        Ok(rules)
    }

    /// The portfolios of a judgment round with this slate.
    pub fn of_slate(universe: &Universe, slate: &[&str]) -> Result<Self, NoPortfolio> {
        let steps = Constraints::default().steps(SubmissionFormat::Portfolio);
        Ok(Self {
            options: Vec::new(),
            exposures: Vec::new(),
            steps: steps.ok_or(NoPortfolio)?,
            sizes: Vec::new(),
            capped: None,
            slots: Some(Slots::new(universe, slate).ok_or(NoPortfolio)?),
        })
    }

    /// Draws one portfolio into `held` as (place in the universe, share of the whole).
    pub fn draw(&self, random: &mut Random, held: &mut Vec<(u32, f64)>) {
        if let Some(slots) = &self.slots {
            slots.draw(random, held);
            return;
        }
        if let Some(capped) = &self.capped {
            capped.draw(random, held);
        } else {
            self.draw_within(random, held);
        }
        for (place, steps) in held.iter_mut() {
            *place = self.options[*place as usize];
            *steps /= f64::from(self.steps.whole);
        }
    }

    /// Draws until the cap holds; [`ENOUGH_WITHIN`] keeps the tries few.
    fn draw_within(&self, random: &mut Random, held: &mut Vec<(u32, f64)>) {
        let all = u32::try_from(self.options.len()).unwrap_or(u32::MAX);
        loop {
            let chance = random.unit();
            let size = self.sizes.iter().find(|(_, share)| chance < *share);
            let size = size.or(self.sizes.last()).map_or(1, |(size, _)| *size);
            held.clear();
            choose(random, all, size, held);
            weigh(random, (self.steps.whole, self.steps.least), held);
            if self.steps.cap >= self.steps.whole || self.within_cap(held) {
                return;
            }
        }
    }

    fn within_cap(&self, held: &[(u32, f64)]) -> bool {
        held.iter().all(|(place, _)| {
            let own = self.exposures[*place as usize];
            if own == UNCAPPED {
                return true;
            }
            let same = held
                .iter()
                .filter(|(p, _)| self.exposures[*p as usize] == own);
            same.map(|(_, steps)| steps).sum::<f64>() <= f64::from(self.steps.cap)
        })
    }
}

/// Places of the options that are allowed, and the number of each one's capped exposure.
fn offered(
    universe: &Universe,
    allowed: impl Fn(&MarketOption) -> bool,
) -> Result<(Vec<u32>, Vec<u32>), NoPortfolio> {
    let mut names: Vec<&str> = Vec::new();
    let (mut options, mut exposures) = (Vec::new(), Vec::new());
    for (place, option) in universe.options().iter().enumerate() {
        if !allowed(option) {
            continue;
        }
        let number = universe.capped_exposure(option).map(|exposure| {
            let known = names.iter().position(|name| *name == exposure);
            let place = known.unwrap_or_else(|| {
                names.push(exposure);
                names.len() - 1
            });
            u32::try_from(place + 1)
        });
        let number = number.transpose().map_err(|_| NoPortfolio)?;
        options.push(u32::try_from(place).map_err(|_| NoPortfolio)?);
        exposures.push(number.unwrap_or(UNCAPPED));
    }
    Ok((options, exposures))
}

/// Floyd's way to a set of `size` numbers below `count`, added to `held`.
pub(super) fn choose(random: &mut Random, count: u32, size: u32, held: &mut Vec<(u32, f64)>) {
    let begin = held.len();
    for last in count - size..count {
        let wanted = u32::try_from(random.below(u64::from(last) + 1)).unwrap_or(last);
        let taken = held[begin..].iter().any(|(place, _)| *place == wanted);
        held.push((if taken { last } else { wanted }, 0.0));
    }
}

/// Gives each of `held` its least, and splits the rest of `whole` by bars among stars.
pub(super) fn weigh(random: &mut Random, (whole, least): (u32, u32), held: &mut [(u32, f64)]) {
    let size = u32::try_from(held.len()).unwrap_or(u32::MAX);
    let places = whole - size * least + size - 1;
    // A portfolio has at most a hundred holdings of one percent.
    let mut bars = [0_u32; 128];
    let chosen = &mut bars[..(size - 1) as usize];
    for (drawn, last) in (places - (size - 1)..places).enumerate() {
        let wanted = u32::try_from(random.below(u64::from(last) + 1)).unwrap_or(last);
        let taken = chosen[..drawn].contains(&wanted);
        chosen[drawn] = if taken { last } else { wanted };
    }
    chosen.sort_unstable();
    let mut begin = 0;
    for (holding, end) in held.iter_mut().zip(chosen.iter().chain([&places])) {
        holding.1 = f64::from(least + end - begin);
        begin = end + 1;
    }
}

pub(super) fn binomial(n: u32, k: u32) -> f64 {
    (0..k).fold(1.0, |product, i| {
        product * f64::from(n - i) / f64::from(i + 1)
    })
}

#[cfg(test)]
mod tests;
