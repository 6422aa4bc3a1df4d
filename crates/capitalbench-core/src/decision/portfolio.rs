//! Holdings, portfolios and the limits a round puts on them.

use crate::market::universe::{Listing, MarketOption};
use crate::round::manifest::SubmissionFormat;
use crate::values::ids::OptionId;
use crate::values::units::BasisPoints;

/// One option and its weight.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Holding {
    /// What is held.
    pub option_id: OptionId,
    /// How much of the portfolio it is.
    pub weight: BasisPoints,
    /// Why, in the model's words.
    pub rationale: String,
    /// The forecast that goes with the holding, where the methodology asks for one.
    pub forecast: HoldingForecast,
}

/// What a model expects of a holding; optional before the forecast methodologies.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct HoldingForecast {
    /// Expected return in percentage points.
    pub expected_return_pct: Option<f64>,
    /// What is to happen inside the window.
    pub time_window_catalyst: Option<String>,
    /// What would prove the holding wrong.
    pub invalidation_condition: Option<String>,
}

/// The limits of a portfolio round.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Constraints {
    /// Fewest holdings.
    pub min_holdings: u32,
    /// Most holdings.
    pub max_holdings: u32,
    /// Weights are multiples of this percentage.
    pub increment_pct: u32,
    /// Smallest weight in percent.
    pub min_allocation_pct: u32,
    /// May cash be held?
    pub allow_cash: bool,
    /// May the reference be held?
    pub allow_reference: bool,
    /// Largest share of one economic exposure in percent, where capped.
    pub max_exposure_pct: Option<u32>,
}

impl Default for Constraints {
    fn default() -> Self {
        Self {
            min_holdings: 1,
            max_holdings: 5,
            increment_pct: 5,
            min_allocation_pct: 5,
            allow_cash: true,
            allow_reference: true,
            max_exposure_pct: None,
        }
    }
}

/// The limits of a round, counted in steps of the smallest allowed increment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Steps {
    /// Percent of one step.
    pub(crate) percent: u32,
    /// Steps of a whole portfolio.
    pub(crate) whole: u32,
    /// Fewest steps of a holding.
    pub(crate) least: u32,
    /// Fewest holdings.
    pub(crate) fewest: u32,
    /// Most holdings that fit.
    pub(crate) most: u32,
    /// Most steps of one capped exposure.
    pub(crate) cap: u32,
}

impl Constraints {
    /// The limits in steps, a single pick being one holding of everything; none when they
    /// contradict each other.
    pub(crate) fn steps(&self, format: SubmissionFormat) -> Option<Steps> {
        if format == SubmissionFormat::SinglePick {
            return Some(Steps {
                percent: 100,
                whole: 1,
                least: 1,
                fewest: 1,
                most: 1,
                cap: 1,
            });
        }
        let percent = self.increment_pct;
        self.problems().is_empty().then(|| {
            let (whole, least) = (100 / percent, self.min_allocation_pct / percent);
            Steps {
                percent,
                whole,
                least,
                fewest: self.min_holdings,
                most: self.max_holdings.min(whole / least),
                cap: self.max_exposure_pct.map_or(whole, |cap| cap / percent),
            }
        })
    }

    /// Whether an option may be held; a single pick may be any that is shown.
    pub fn allow(&self, format: SubmissionFormat, option: &MarketOption) -> bool {
        let free = format == SubmissionFormat::SinglePick;
        option.listing == Listing::Shown
            && (free || self.allow_cash || !option.is_cash())
            && (free || self.allow_reference || !option.counts_as_reference())
    }

    /// Every reason why no portfolio could follow these limits.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let mut require = |holds: bool, text: String| {
            if !holds {
                problems.push(text);
            }
        };
        let percent = 1..=100;
        require(
            self.min_holdings >= 1,
            "min_holdings must be at least 1".into(),
        );
        require(
            self.max_holdings >= self.min_holdings,
            format!(
                "max_holdings {} is below min_holdings {}",
                self.max_holdings, self.min_holdings
            ),
        );
        require(
            percent.contains(&self.increment_pct),
            "allocation_increment_pct must be 1 to 100".into(),
        );
        require(
            percent.contains(&self.min_allocation_pct),
            "min_allocation_pct must be 1 to 100".into(),
        );
        require(
            self.max_exposure_pct
                .is_none_or(|cap| percent.contains(&cap)),
            "max_economic_exposure_pct must be 1 to 100".into(),
        );
        require(
            u64::from(self.min_holdings) * u64::from(self.min_allocation_pct) <= 100,
            "min_holdings times min_allocation_pct is more than 100".into(),
        );
        let step = self.increment_pct.max(1);
        require(
            100 % step == 0 && self.min_allocation_pct.is_multiple_of(step),
            "100 and min_allocation_pct must be multiples of allocation_increment_pct".into(),
        );
        problems
    }
}

/// The largest holding; among equals the one listed first.
pub fn primary_holding(holdings: &[Holding]) -> Option<&Holding> {
    // The last of equals is found, so the search begins at the end.
    holdings.iter().rev().max_by_key(|holding| holding.weight)
}

#[cfg(test)]
mod tests;
