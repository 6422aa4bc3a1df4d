//! Control entrants: portfolios made by rule from what models could see, at no cost.
//!
//! [`controls`] gives all of them in a fixed order. Each obeys the limits of its round, because
//! each is a list of wishes turned into the nearest admissible portfolio; one that cannot exist
//! says why. Controls are shown apart from models and never ranked among them.

use std::collections::BTreeMap;

use crate::asking::market_context::{ContextRow, ContextStatus, TrailingWindow};
use crate::decision::portfolio::{Constraints, Holding};
use crate::market::universe::{MarketOption, Universe};
use crate::round::manifest::SubmissionFormat;
use crate::values::ids::{Digest, ModelId, OptionId};

mod allocation;
mod draw;
pub mod own;

use own::OwnControl;

use allocation::{Grid, Wish, admissible, nearest};
use draw::Draw;

/// The provider of every control; no model may use it.
pub const PROVIDER: &str = "control";
/// What the seed of the random control is made of, besides the digest of the freeze.
pub const RANDOM_LABEL: &str = "capitalbench control-random v1";

/// The rule a control follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Everything in the reference.
    Reference,
    /// Everything in cash.
    Cash,
    /// As many holdings as allowed, evenly spaced through the option list without cash, with equal
    /// weights.
    EqualWeight,
    /// Three fifths reference, two fifths aggregate bonds, else the first bond, else cash.
    SixtyForty,
    /// As many as allowed of the highest 30-day returns, with equal weights.
    Momentum,
    /// As many as allowed of the lowest 30-day returns, with equal weights.
    Reversal,
    /// As many as allowed of the lowest 30-day volatilities without cash, with equal weights.
    LowVolatility,
    /// Everything in the option that did best in the track's last resolved round.
    LastBest,
    /// A portfolio drawn by a seed that the freeze fixes.
    Random,
    /// The mean of the models' portfolios.
    Consensus,
}

impl Rule {
    /// All rules, in the order they are shown.
    pub const ALL: [Self; 10] = [
        Self::Reference,
        Self::Cash,
        Self::EqualWeight,
        Self::SixtyForty,
        Self::Momentum,
        Self::Reversal,
        Self::LowVolatility,
        Self::LastBest,
        Self::Random,
        Self::Consensus,
    ];

    /// The stable name of the entrant.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reference => "control-reference",
            Self::Cash => "control-cash",
            Self::EqualWeight => "control-equal-weight",
            Self::SixtyForty => "control-60-40",
            Self::Momentum => "control-momentum",
            Self::Reversal => "control-reversal",
            Self::LowVolatility => "control-low-volatility",
            Self::LastBest => "control-last-best",
            Self::Random => "control-random",
            Self::Consensus => "control-consensus",
        }
    }

    /// The rule in words; also the rationale of every holding.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Reference => "Everything in the reference.",
            Self::Cash => "Everything in cash.",
            Self::EqualWeight => {
                "As many holdings as allowed, evenly spaced through the option list, alike."
            }
            Self::SixtyForty => "Three fifths reference, two fifths bonds.",
            Self::Momentum => "The highest 30-day returns, alike.",
            Self::Reversal => "The lowest 30-day returns, alike.",
            Self::LowVolatility => "The lowest 30-day volatilities without cash, alike.",
            Self::LastBest => "The option that did best in the last resolved round.",
            Self::Random => "Drawn by a seed that the freeze fixes.",
            Self::Consensus => "The mean of the models' portfolios.",
        }
    }
}

/// What a control follows: a rule that every round has, or what the operator configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Follows {
    Rule(Rule),
    Own(OwnControl),
}

impl Follows {
    /// The stable name of the entrant.
    pub fn name(&self) -> &str {
        match self {
            Self::Rule(rule) => rule.name(),
            Self::Own(own) => own.id().as_str(),
        }
    }

    /// The rule in words; also the rationale of every holding.
    pub fn meaning(&self) -> String {
        match self {
            Self::Rule(rule) => rule.meaning().to_owned(),
            Self::Own(own) => own.meaning(),
        }
    }

    /// Whether it is this rule.
    pub fn is(&self, rule: Rule) -> bool {
        matches!(self, Self::Rule(own) if *own == rule)
    }
}

/// Whether a control may hold what models may not, so that it may return more than the oracle.
pub fn may_leave_universe(id: &ModelId) -> bool {
    Rule::ALL.iter().all(|rule| rule.name() != id.as_str())
}

/// What the past tells about an option, as models were shown it.
#[derive(Debug, Clone, PartialEq)]
pub struct PastFigures {
    pub option_id: OptionId,
    /// Return of the last 30 days.
    pub return_30d: Option<f64>,
    /// Volatility of the last 30 days.
    pub volatility_30d: Option<f64>,
}

impl From<&ContextRow> for PastFigures {
    /// A row that could not be filled has no figures.
    fn from(row: &ContextRow) -> Self {
        let known = row.status != ContextStatus::Fail;
        let month =
            |r: &&crate::asking::market_context::TrailingReturn| r.window == TrailingWindow::Days30;
        let month = row.returns.iter().find(month);
        Self {
            option_id: row.option_id.clone(),
            return_30d: month.and_then(|r| r.value).filter(|_| known),
            volatility_30d: row.path.volatility_30d.filter(|_| known),
        }
    }
}

/// Everything controls are made from.
#[derive(Debug, Clone)]
pub struct ControlInputs<'a> {
    /// The options of the round.
    pub universe: &'a Universe,
    /// Pick or portfolio.
    pub format: SubmissionFormat,
    /// Limits of a portfolio as they bind: see [`Manifest::limits`](crate::round::manifest::Manifest::limits).
    pub constraints: &'a Constraints,
    /// The frozen market table; empty when the round has none.
    pub past: &'a [PastFigures],
    /// Digest of the stored freeze digests.
    pub freeze: Digest,
    /// The best option of the track's last round that was resolved before the deadline.
    pub last_best: Option<&'a OptionId>,
    /// The portfolios of the models in the record; empty before there is one.
    pub decisions: &'a [Vec<Holding>],
    /// The controls that the operator configured.
    pub own: &'a [OwnControl],
}

/// A control entrant in a round.
#[derive(Debug, Clone, PartialEq)]
pub struct Control {
    pub rule: Follows,
    /// What it holds, or why it holds nothing.
    pub holdings: Result<Vec<Holding>, Unavailable>,
}

/// Why a control has no portfolio in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// The round does not offer or allow the option.
    #[error("the round does not allow {0}")]
    NotAllowed(&'static str),
    /// There is no market table.
    #[error("the round has no market table with {0}")]
    NoFigures(&'static str),
    /// No earlier round tells the best option, or it is not offered here.
    #[error("no earlier resolved round of the track names an option that is offered here")]
    NoLastBest,
    /// No run is the record yet, so there is nothing to average.
    #[error("no run is the record yet")]
    NoDecisions,
    /// A configured portfolio has an option that the round lacks.
    #[error("the round does not offer every option that it holds")]
    NotOffered,
    /// A configured portfolio in a round of single picks.
    #[error("it has several holdings, and the round is of single picks")]
    ManyHoldings,
    /// The limits admit no portfolio of these options.
    #[error("the limits of the round admit no portfolio")]
    NoPortfolio,
}

/// All controls of a round: in the order of [`Rule::ALL`], then the configured ones.
pub fn controls(inputs: &ControlInputs<'_>) -> Vec<Control> {
    let by_rule = Rule::ALL.into_iter().map(|rule| Control {
        rule: Follows::Rule(rule),
        holdings: holdings(rule, inputs),
    });
    let own = inputs.own.iter().map(|own| Control {
        rule: Follows::Own(own.clone()),
        holdings: own.holdings(inputs.universe, inputs.format),
    });
    by_rule.chain(own).collect()
}

fn holdings(rule: Rule, inputs: &ControlInputs<'_>) -> Result<Vec<Holding>, Unavailable> {
    let grid = Grid::new(inputs.universe, inputs.format, inputs.constraints)?;
    let options = admissible(inputs.universe, inputs.format, inputs.constraints);
    let month_return = |_: &MarketOption, row: &PastFigures| row.return_30d;
    let risk =
        |option: &MarketOption, row: &PastFigures| row.volatility_30d.filter(|_| !option.is_cash());
    let lowest = |a: &f64, b: &f64| b.total_cmp(a);
    let wishes = match rule {
        Rule::Reference => whole(reference(inputs, &options)?),
        Rule::Cash => whole(cash(&options).ok_or(Unavailable::NotAllowed("cash"))?),
        Rule::EqualWeight => spread(&options, &grid),
        Rule::SixtyForty => sixty_forty(inputs, &options)?,
        Rule::Momentum => ranked(inputs, &options, &grid, month_return, f64::total_cmp)
            .ok_or(Unavailable::NoFigures("30-day returns"))?,
        Rule::Reversal => ranked(inputs, &options, &grid, month_return, lowest)
            .ok_or(Unavailable::NoFigures("30-day returns"))?,
        Rule::LowVolatility => ranked(inputs, &options, &grid, risk, lowest)
            .ok_or(Unavailable::NoFigures("30-day volatilities"))?,
        Rule::LastBest => {
            let best = inputs.last_best.ok_or(Unavailable::NoLastBest)?;
            let found = options.iter().find(|option| option.id == *best);
            whole(found.ok_or(Unavailable::NoLastBest)?)
        }
        Rule::Random => random(inputs, &options, &grid)?,
        Rule::Consensus => consensus(inputs, &options)?,
    };
    nearest(&with_stopgaps(wishes, &options), &grid, rule.meaning())
}

fn whole(option: &MarketOption) -> Vec<Wish<'_>> {
    vec![(option, 1.0)]
}

/// Wishes, and behind them what limits may demand: cash, the reference, then the rest in order.
fn with_stopgaps<'a>(mut wishes: Vec<Wish<'a>>, options: &[&'a MarketOption]) -> Vec<Wish<'a>> {
    let mut rest: Vec<&MarketOption> = options.to_vec();
    rest.sort_by_key(|option| (!option.is_cash(), !option.counts_as_reference()));
    for option in rest {
        if !wishes.iter().any(|(wished, _)| wished.id == option.id) {
            wishes.push((option, 0.0));
        }
    }
    wishes
}

fn reference<'a>(
    inputs: &ControlInputs<'_>,
    options: &[&'a MarketOption],
) -> Result<&'a MarketOption, Unavailable> {
    let id = &inputs.universe.reference().id;
    let found = options.iter().find(|option| option.id == *id).copied();
    found.ok_or(Unavailable::NotAllowed("the reference"))
}

fn cash<'a>(options: &[&'a MarketOption]) -> Option<&'a MarketOption> {
    options.iter().find(|option| option.is_cash()).copied()
}

fn sixty_forty<'a>(
    inputs: &ControlInputs<'_>,
    options: &[&'a MarketOption],
) -> Result<Vec<Wish<'a>>, Unavailable> {
    let aggregate = |option: &&&MarketOption| option.category == "aggregate_bonds";
    let bond = |option: &&&MarketOption| {
        let class = option.asset_class.as_str();
        matches!(class, "bond" | "bonds" | "fixed_income")
    };
    let found = options.iter().find(aggregate);
    let found = found.or_else(|| options.iter().find(bond)).copied();
    let bonds = found.or_else(|| cash(options));
    let bonds = bonds.ok_or(Unavailable::NotAllowed("bonds or cash"))?;
    Ok(vec![(reference(inputs, options)?, 3.0), (bonds, 2.0)])
}

/// As many as fit, evenly spaced through the list; cash only where nothing else is.
fn spread<'a>(options: &[&'a MarketOption], grid: &Grid<'_>) -> Vec<Wish<'a>> {
    let risky: Vec<&MarketOption> = options.iter().filter(|o| !o.is_cash()).copied().collect();
    let from = if risky.is_empty() {
        options.to_vec()
    } else {
        risky
    };
    let count = from.len().min(grid.steps.most as usize);
    let place = |index: usize| index * from.len() / count;
    (0..count).map(|index| (from[place(index)], 1.0)).collect()
}

/// As many options as fit, with equal weights: of those with a figure the last by `order` first, ties
/// in universe order. None where no option has one.
fn ranked<'a>(
    inputs: &ControlInputs<'_>,
    options: &[&'a MarketOption],
    grid: &Grid<'_>,
    figure: fn(&MarketOption, &PastFigures) -> Option<f64>,
    order: fn(&f64, &f64) -> std::cmp::Ordering,
) -> Option<Vec<Wish<'a>>> {
    let figure = |option: &MarketOption| {
        let row = inputs.past.iter().find(|row| row.option_id == option.id)?;
        figure(option, row)
    };
    let mut found: Vec<(f64, &MarketOption)> = options
        .iter()
        .filter_map(|option| Some((figure(option)?, *option)))
        .collect();
    found.sort_by(|(a, _), (b, _)| order(b, a));
    let fitting = found.iter().take(grid.steps.most as usize);
    (!found.is_empty()).then(|| fitting.map(|(_, option)| (*option, 1.0)).collect())
}

/// A number of holdings, the options and the split of what is left, each drawn uniformly.
fn random<'a>(
    inputs: &ControlInputs<'_>,
    options: &[&'a MarketOption],
    grid: &Grid<'_>,
) -> Result<Vec<Wish<'a>>, Unavailable> {
    let mut draw = Draw::new(inputs.freeze, RANDOM_LABEL);
    let available = u32::try_from(options.len()).unwrap_or(u32::MAX);
    let most = grid.steps.most.min(available);
    let enough = grid.enough(options);
    let choices = (most + 1).checked_sub(enough).filter(|n| *n > 0);
    let choices = choices.ok_or(Unavailable::NoPortfolio)?;
    let drawn = draw.below(u64::from(choices));
    let count = enough + u32::try_from(drawn).unwrap_or_default();
    let mut options = options.to_vec();
    draw.shuffle(&mut options);
    let parts = draw.split(grid.steps.whole - count * grid.steps.least, count);
    let drawn = parts
        .into_iter()
        .map(|part| f64::from(grid.steps.least + part));
    // Where a cap refuses a drawn option, the next ones take its place.
    let wishes = options.into_iter().zip(drawn.chain(std::iter::repeat(0.0)));
    Ok(wishes.collect())
}

/// Mean weights, largest first; what may not be held here is left out.
fn consensus<'a>(
    inputs: &ControlInputs<'_>,
    options: &[&'a MarketOption],
) -> Result<Vec<Wish<'a>>, Unavailable> {
    let mut totals: BTreeMap<&OptionId, u32> = BTreeMap::new();
    for holding in inputs.decisions.iter().flatten() {
        *totals.entry(&holding.option_id).or_default() += holding.weight.get();
    }
    let mut wishes: Vec<Wish<'a>> = options
        .iter()
        .filter_map(|option| Some((*option, f64::from(*totals.get(&option.id)?))))
        .collect();
    wishes.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    if wishes.is_empty() {
        return Err(Unavailable::NoDecisions);
    }
    Ok(wishes)
}

#[cfg(test)]
mod tests;
