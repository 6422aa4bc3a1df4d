//! `results/outcomes.json`: every figure of every submission with its unit, or why it is missing.

use capitalbench_core::asking::run::RunKind;
use capitalbench_core::decision::submission::Decision;
use capitalbench_core::market::price_rules::PriceProblem;
use capitalbench_core::result::leaderboard::Scored;
use capitalbench_core::result::returns::RoundReturns;
use capitalbench_core::result::score::{AboveOracle, NoScore, Score, contribution, score};
use capitalbench_core::values::ids::Digest;
use capitalbench_core::values::units::Return;
use serde_json::{Value, json};

use crate::format::text::json;

const VERSION: u64 = 1;

/// What the file is computed from.
#[derive(Debug, Clone, Copy)]
pub struct Outcomes<'a> {
    pub round_id: &'a str,
    pub run_id: &'a str,
    pub kind: RunKind,
    /// The label of its rules.
    pub methodology: &'a str,
    /// Digests of the entry sheet and the exit sheet.
    pub prices: (Digest, Digest),
    /// The operator's reasons for accepting odd prices.
    pub accepted: Accepted<'a>,
    pub returns: &'a RoundReturns,
    /// Outcomes in leaderboard order.
    pub scored: &'a [Scored],
    /// Broken price rules that the methodology tolerates.
    pub problems: &'a [PriceProblem],
}

/// Reasons that the operator gave.
#[derive(Debug, Clone, Copy, Default)]
pub struct Accepted<'a> {
    /// Why a disagreement of two sources does not matter.
    pub cross_check: Option<&'a str>,
    /// Why price sheets without the record of a fetch count.
    pub unproved_prices: Option<&'a str>,
}

fn value(value: impl Into<Value>) -> Value {
    json!({"value": value.into()})
}

fn unavailable(reason: &str) -> Value {
    json!({"unavailable": reason})
}

fn or_reason<T: Into<Value>>(found: Option<T>, reason: &str) -> Value {
    found.map_or_else(|| unavailable(reason), value)
}

/// The file's text; fails where a return is above the oracle, which means a wrong price.
pub fn render(outcomes: &Outcomes<'_>) -> Result<String, AboveOracle> {
    let returns = outcomes.returns;
    let submissions: Result<Vec<Value>, AboveOracle> = (1_u32..)
        .zip(outcomes.scored)
        .map(|(place, scored)| submission(outcomes, place, scored))
        .collect();
    let problems: Vec<String> = outcomes.problems.iter().map(ToString::to_string).collect();
    Ok(json::to_pretty(&json!({
        "format_version": VERSION,
        "round_id": outcomes.round_id,
        "run_id": outcomes.run_id,
        "run_type": outcomes.kind.as_str(),
        "methodology_version": outcomes.methodology,
        "units": {
            "return": "fraction",
            "alpha": "fraction",
            "regret": "fraction",
            "contribution": "fraction",
            "weight": "basis points",
            "score": "points of at most 100",
            "rank": "place, 1 being first",
            "cost": "USD",
            "alpha_per_dollar": "fraction per USD",
        },
        "prices": {
            "entry_prices_sha256": outcomes.prices.0.to_hex(),
            "exit_prices_sha256": outcomes.prices.1.to_hex(),
            "warnings": problems,
            "accepted_cross_check": outcomes.accepted.cross_check,
            "accepted_unproved_prices": outcomes.accepted.unproved_prices,
        },
        "round": {
            "reference_return": value(returns.reference().get()),
            "cash_return": value(returns.cash().get()),
            "oracle_return": or_reason(
                returns.oracle().map(Return::get),
                NoScore::NoOracle.reason(),
            ),
        },
        "submissions": submissions?,
    })))
}

fn submission(outcomes: &Outcomes<'_>, place: u32, scored: &Scored) -> Result<Value, AboveOracle> {
    let (own, outcome) = (&scored.submission, &scored.outcome);
    let no_oracle = NoScore::NoOracle.reason();
    let points = match score(outcome.decision_return, outcomes.returns.oracle())? {
        Score::Points(points) => value(points),
        Score::Undefined(reason) => unavailable(reason.reason()),
    };
    let rank = match outcomes.kind {
        RunKind::Consistency => unavailable("replicates are not ranked"),
        _ => value(place),
    };
    let option_rank = match (&own.decision, outcome.pick_rank) {
        (_, Some(rank)) => value(rank),
        (Decision::Portfolio(_), None) => unavailable("a portfolio is not one option"),
        (Decision::SinglePick(_), None) => unavailable(no_oracle),
    };
    let per_dollar = match own.cost_usd {
        None => "the cost is not known",
        Some(_) => "the cost is not above zero",
    };
    let holdings = own.decision.holdings();
    let contributions: Vec<Value> = holdings
        .iter()
        .map(|holding| {
            let found = outcomes.returns.get(&holding.option_id);
            let own = found.map(|option| option.value).unwrap_or_default();
            json!({
                "option_id": holding.option_id.as_str(),
                "weight": holding.weight.get(),
                "return": own.get(),
                "contribution": contribution(holding, own),
            })
        })
        .collect();
    Ok(json!({
        "model_id": own.model_id.as_str(),
        "provider": own.provider,
        "replicate": own.replicate(),
        "rank": rank,
        "score": points,
        "return": value(outcome.decision_return.get()),
        "alpha": value(outcome.alpha.get()),
        "regret": or_reason(outcome.regret.map(Return::get), no_oracle),
        "rank_among_options": option_rank,
        "beats_reference": value(outcome.beats_reference),
        "beats_cash": value(outcome.beats_cash),
        "cost": or_reason(own.cost_usd, "the cost is not known"),
        "alpha_per_dollar": or_reason(outcome.alpha_per_dollar, per_dollar),
        "contributions": contributions,
    }))
}
