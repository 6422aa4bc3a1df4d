//! Portfolio return, alpha, oracle, regret and CapitalBench Score: the only score arithmetic.
//!
//! Figures are IEEE doubles. A portfolio return is `(bps / 10,000) × return` added in submitted
//! order from 0.0; neither fused, nor reordered, nor compensated. Sums over rounds are compensated.

use crate::decision::portfolio::{Holding, primary_holding};
use crate::decision::submission::{Decision, Submission};
use crate::market::prices::Side;
use crate::market::universe::{MarketOption, Universe};
use crate::result::returns::RoundReturns;
use crate::values::ids::{ModelId, OptionId};
pub use crate::values::sums::compensated_sum;
use crate::values::units::{BasisPoints, Return};

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
        option_id: OptionId,
        /// Reference, cash or held.
        why: &'static str,
    },
    /// A submission names an option outside the universe.
    #[error("{model_id} holds {option_id}, which is not in the universe")]
    UnknownOption {
        model_id: ModelId,
        option_id: OptionId,
    },
}

/// The return of a list of holdings, added in the order given.
pub fn portfolio_return<'a>(
    holdings: impl IntoIterator<Item = &'a Holding>,
    return_of: impl Fn(&OptionId) -> Option<Return>,
) -> Result<Return, OptionId> {
    let mut total = 0.0;
    for holding in holdings {
        let value = return_of(&holding.option_id).ok_or_else(|| holding.option_id.clone())?;
        total += contribution(holding, value);
    }
    Ok(Return::from_fraction(total))
}

/// What one holding adds to the return of its portfolio.
pub fn contribution(holding: &Holding, value: Return) -> f64 {
    holding.weight.weight() * value.get()
}

/// All figures for one scored submission.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
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
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
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
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Score {
    /// Points; at most 100.
    Points(f64),
    /// No number, with the reason.
    Undefined(NoScore),
}

/// Why a score does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum NoScore {
    /// An option has no price, so the best one is unknown.
    NoOracle,
    /// The best option returned nothing and the decision did not match it.
    ZeroOracle,
    /// Every option lost money and the decision did not match the best.
    NegativeOracle,
    /// A figure overflowed: prices far outside any market.
    NotFinite,
    /// Nothing was summed.
    NoRounds,
    /// A control holds a fund outside the universe, which returned more than the best option.
    OutsideUniverse,
}

impl NoScore {
    /// The word in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoOracle => "no_oracle",
            Self::ZeroOracle => "zero_oracle",
            Self::NegativeOracle => "negative_oracle",
            Self::NotFinite => "not_finite",
            Self::NoRounds => "no_rounds",
            Self::OutsideUniverse => "outside_universe",
        }
    }

    /// The reason in words.
    pub fn reason(self) -> &'static str {
        match self {
            Self::NoOracle => "some option has no price, so the best one is not known",
            Self::ZeroOracle => "the best option returned nothing",
            Self::NegativeOracle => "every option lost money",
            Self::NotFinite => "a figure is not finite: prices are far outside any market",
            Self::NoRounds => "there is no round to sum",
            Self::OutsideUniverse => {
                "the fund returned more than the best option that models could hold"
            }
        }
    }
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

#[cfg(test)]
mod tests;
