//! Portfolio return, alpha, oracle, regret and CapitalBench Score: the only score arithmetic.
//!
//! Figures are IEEE doubles. A portfolio return is `(bps / 10,000) × return` added in submitted
//! order from 0.0; neither fused, nor reordered, nor compensated. Sums over rounds are compensated.

use std::collections::BTreeSet;

use crate::ids::{ModelId, OptionId};
use crate::portfolio::{Holding, primary_holding};
use crate::prices::{PriceField, PriceSheet, Side};
use crate::submission::{Decision, Submission};
use crate::units::{BasisPoints, Price, Return};
use crate::universe::{MarketOption, Universe};

/// Returns this close to zero count as zero when they are an oracle.
pub const ZERO_ORACLE: f64 = 1e-9;

/// Why no outcome could be computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScoreError {
    /// A price that scoring cannot do without.
    #[error("no {side} price for {option_id}, which is {why}")]
    MissingPrice {
        /// Which sheet.
        side: Side,
        /// Which option.
        option_id: OptionId,
        /// Reference, cash or held.
        why: &'static str,
    },
    /// A submission names an option outside the universe.
    #[error("{model_id} holds {option_id}, which is not in the universe")]
    UnknownOption {
        /// Who.
        model_id: ModelId,
        /// What.
        option_id: OptionId,
    },
}

/// The return of one option over the window.
#[derive(Debug, Clone, PartialEq)]
pub struct OptionReturn {
    /// Position in the universe.
    pub position: usize,
    /// Which option.
    pub option_id: OptionId,
    /// Starting price and its column; none for cash without a row.
    pub entry: Option<(Price, PriceField)>,
    /// Ending price and its column.
    pub exit: Option<(Price, PriceField)>,
    /// Exit over entry minus one.
    pub value: Return,
    /// Rank among all options; none when the universe is not fully priced.
    pub rank: Option<u32>,
}

/// The returns of a round's options, and the three that others are compared with.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundReturns {
    options: Vec<OptionReturn>,
    reference: Return,
    cash: Return,
    oracle: Option<Return>,
}

impl RoundReturns {
    /// Prices every option; `held` are the options that must have a price besides cash and reference.
    pub fn new(
        universe: &Universe,
        entry: &PriceSheet,
        exit: &PriceSheet,
        held: &BTreeSet<OptionId>,
    ) -> Result<Self, ScoreError> {
        let mut options = Vec::with_capacity(universe.options().len());
        for (position, option) in universe.options().iter().enumerate() {
            let (from, to) = (entry.find(option), exit.find(option));
            let from = from.and_then(crate::prices::Quote::used);
            let to = to.and_then(crate::prices::Quote::used);
            let value = match (from, to) {
                (Some((from, _)), Some((to, _))) => Return::between(from, to),
                _ if option.scores_as_cash() => Return::ZERO,
                _ => {
                    let side = if from.is_none() {
                        Side::Entry
                    } else {
                        Side::Exit
                    };
                    require_optional(universe, option, held, side)?;
                    continue;
                }
            };
            options.push(OptionReturn {
                position,
                option_id: option.id.clone(),
                entry: from,
                exit: to,
                value,
                rank: None,
            });
        }
        Ok(Self::complete(universe, options))
    }

    fn complete(universe: &Universe, mut options: Vec<OptionReturn>) -> Self {
        let find = |id: &OptionId| options.iter().find(|o| o.option_id == *id).map(|o| o.value);
        let reference = find(&universe.reference().id).unwrap_or_default();
        let cash = universe.options().iter().find(|o| o.scores_as_cash());
        let cash = cash.and_then(|option| find(&option.id)).unwrap_or_default();
        let fully_priced = universe.options().iter().all(|option| {
            option.scores_as_cash() || options.iter().any(|o| o.option_id == option.id)
        });
        let mut oracle = None;
        if fully_priced {
            rank_options(&mut options);
            oracle = options.iter().map(|o| o.value).reduce(larger);
        }
        Self {
            options,
            reference,
            cash,
            oracle,
        }
    }

    /// Options with a return, in universe order.
    pub fn options(&self) -> &[OptionReturn] {
        &self.options
    }

    /// Options by rank, ties in universe order; in universe order when there are no ranks.
    pub fn by_rank(&self) -> Vec<&OptionReturn> {
        let mut sorted: Vec<&OptionReturn> = self.options.iter().collect();
        sorted.sort_by_key(|option| option.rank);
        sorted
    }

    /// The row of an option.
    pub fn get(&self, id: &OptionId) -> Option<&OptionReturn> {
        self.options.iter().find(|option| option.option_id == *id)
    }

    /// Return of the reference.
    pub fn reference(&self) -> Return {
        self.reference
    }

    /// Return of the first cash option; zero when there is none.
    pub fn cash(&self) -> Return {
        self.cash
    }

    /// Largest option return; none unless the universe is fully priced.
    pub fn oracle(&self) -> Option<Return> {
        self.oracle
    }
}

fn require_optional(
    universe: &Universe,
    option: &MarketOption,
    held: &BTreeSet<OptionId>,
    side: Side,
) -> Result<(), ScoreError> {
    let why = if universe.reference().id == option.id {
        "the reference"
    } else if held.contains(&option.id) {
        "held by a submission"
    } else {
        return Ok(());
    };
    let option_id = option.id.clone();
    Err(ScoreError::MissingPrice {
        side,
        option_id,
        why,
    })
}

fn larger(a: Return, b: Return) -> Return {
    if b > a { b } else { a }
}

/// A return within one billionth of the one above it shares its rank.
fn rank_options(options: &mut [OptionReturn]) {
    let mut order: Vec<usize> = (0..options.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (&options[a], &options[b]);
        b.value
            .get()
            .total_cmp(&a.value.get())
            .then_with(|| a.option_id.cmp(&b.option_id))
    });
    let mut above: Option<(f64, u32)> = None;
    for (place, &index) in (1_u32..).zip(&order) {
        let value = options[index].value.get();
        let rank = match above {
            Some((previous, rank)) if close(previous, value) => rank,
            _ => place,
        };
        options[index].rank = Some(rank);
        above = Some((value, rank));
    }
}

fn close(a: f64, b: f64) -> bool {
    // Exact equality first, so that zero is close to zero.
    #[expect(clippy::float_cmp, reason = "the published rule starts with equality")]
    let equal = a == b;
    equal || (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// The return of a list of holdings, added in the order given.
pub fn portfolio_return<'a>(
    holdings: impl IntoIterator<Item = &'a Holding>,
    return_of: impl Fn(&OptionId) -> Option<Return>,
) -> Result<Return, OptionId> {
    let mut total = 0.0;
    for holding in holdings {
        let value = return_of(&holding.option_id).ok_or_else(|| holding.option_id.clone())?;
        total += holding.weight.weight() * value.get();
    }
    Ok(Return::from_fraction(total))
}

/// All figures for one scored submission.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Largest holding, or the pick.
    pub primary: OptionId,
    /// Return of the largest holding.
    pub primary_return: Return,
    /// Return of the decision as a whole.
    pub decision_return: Return,
    /// Decision return minus reference return.
    pub alpha: Return,
    /// Oracle minus decision return, when there is an oracle.
    pub regret: Option<Return>,
    /// Rank of a single pick among all options.
    pub pick_rank: Option<u32>,
    /// Strictly above the reference.
    pub beats_reference: bool,
    /// Strictly above cash.
    pub beats_cash: bool,
    /// Alpha per dollar of a known cost above zero.
    pub alpha_per_dollar: Option<f64>,
    /// How the decision is spread.
    pub spread: Spread,
}

/// How a decision is spread over options.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Number of holdings.
    pub holdings: usize,
    /// Largest weight.
    pub largest: BasisPoints,
    /// Weight in cash.
    pub cash: BasisPoints,
    /// Weight in the reference.
    pub reference: BasisPoints,
    /// Sum of squared weights.
    pub hhi: f64,
}

/// Scores one submission.
pub fn score_submission(
    submission: &Submission,
    universe: &Universe,
    returns: &RoundReturns,
) -> Result<Outcome, ScoreError> {
    let holdings = submission.decision.holdings();
    let unknown = |option_id| ScoreError::UnknownOption {
        model_id: submission.model_id.clone(),
        option_id,
    };
    let return_of = |id: &OptionId| returns.get(id).map(|option| option.value);
    let decision_return = portfolio_return(&holdings, return_of).map_err(unknown)?;
    let primary = primary_holding(&holdings)
        .map(|holding| holding.option_id.clone())
        .ok_or_else(|| unknown(universe.reference().id.clone()))?;
    let primary_row = returns
        .get(&primary)
        .ok_or_else(|| unknown(primary.clone()))?;
    let alpha = decision_return - returns.reference();
    let pick_rank = match submission.decision {
        Decision::SinglePick(_) => primary_row.rank,
        Decision::Portfolio(_) => None,
    };
    let cost = submission.cost_usd.filter(|cost| *cost > 0.0);
    Ok(Outcome {
        primary_return: primary_row.value,
        primary,
        decision_return,
        alpha,
        regret: returns.oracle().map(|oracle| oracle - decision_return),
        pick_rank,
        beats_reference: decision_return > returns.reference(),
        beats_cash: decision_return > returns.cash(),
        alpha_per_dollar: cost.map(|cost| alpha.get() / cost),
        spread: spread(&holdings, universe),
    })
}

fn spread(holdings: &[Holding], universe: &Universe) -> Spread {
    let total = |role: fn(&MarketOption) -> bool| -> BasisPoints {
        let plays = |h: &&Holding| universe.get(&h.option_id).is_some_and(role);
        holdings.iter().filter(plays).map(|h| h.weight).sum()
    };
    let mut hhi = 0.0;
    for holding in holdings {
        hhi += holding.weight.weight() * holding.weight.weight();
    }
    Spread {
        holdings: holdings.len(),
        largest: holdings.iter().map(|h| h.weight).max().unwrap_or_default(),
        cash: total(MarketOption::is_cash),
        reference: total(MarketOption::counts_as_reference),
        hhi,
    }
}

/// 100 × return ÷ oracle, or why there is no such number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Score {
    /// Points; at most 100.
    Points(f64),
    /// No number, with the reason.
    Undefined(NoScore),
}

/// Why a score does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoScore {
    /// Some option has no price, so nobody knows the best one.
    NoOracle,
    /// The best option returned nothing and the decision did not match it.
    ZeroOracle,
    /// Every option lost money and the decision did not match the best.
    NegativeOracle,
    /// A figure overflowed: prices far outside any market.
    NotFinite,
    /// Nothing was summed.
    NoRounds,
}

/// A return above the oracle: a price is missing or the oracle is wrong.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("a return of {value} is above the oracle's {oracle}: check the prices")]
pub struct AboveOracle {
    /// The decision's return.
    pub value: f64,
    /// The oracle's return.
    pub oracle: f64,
}

/// CapitalBench Score of one decision.
///
/// A return may exceed the oracle by rounding only; more than that is an error, not 100.
pub fn score(value: Return, oracle: Option<Return>) -> Result<Score, AboveOracle> {
    let Some(oracle) = oracle else {
        return Ok(Score::Undefined(NoScore::NoOracle));
    };
    let (value, oracle) = (value.get(), oracle.get());
    if !(value.is_finite() && oracle.is_finite()) {
        return Ok(Score::Undefined(NoScore::NotFinite));
    }
    let matches = (value - oracle).abs() <= ZERO_ORACLE;
    if value > oracle && !matches {
        return Err(AboveOracle { value, oracle });
    }
    Ok(if matches && oracle <= ZERO_ORACLE {
        Score::Points(100.0)
    } else if oracle.abs() <= ZERO_ORACLE {
        Score::Undefined(NoScore::ZeroOracle)
    } else if oracle < 0.0 {
        Score::Undefined(NoScore::NegativeOracle)
    } else {
        match 100.0 * value / oracle {
            points if points.is_finite() => Score::Points(points.min(100.0)),
            _ => Score::Undefined(NoScore::NotFinite),
        }
    })
}

/// CapitalBench Score over rounds: summed returns over summed oracles, sums compensated.
pub fn score_of_sums(rounds: &[(Return, Return)]) -> Result<Score, AboveOracle> {
    if rounds.is_empty() {
        return Ok(Score::Undefined(NoScore::NoRounds));
    }
    let value = compensated_sum(rounds.iter().map(|(value, _)| value.get()));
    let oracle = compensated_sum(rounds.iter().map(|(_, oracle)| oracle.get()));
    score(
        Return::from_fraction(value),
        Some(Return::from_fraction(oracle)),
    )
}

/// Neumaier's compensated sum.
pub fn compensated_sum(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
    for value in values {
        let next = sum + value;
        lost += if sum.abs() >= value.abs() {
            (sum - next) + value
        } else {
            (value - next) + sum
        };
        sum = next;
    }
    sum + lost
}

#[cfg(test)]
#[path = "score_tests.rs"]
mod tests;
