//! The rows of a set: its models, and the market beside them.

use std::collections::BTreeMap;

use super::{Market, MarketRow, SetDefinition, SetRow};
use crate::decision::control::may_leave_universe;
use crate::publication::PublishError;
use crate::publication::boards::cumulative::points;
use crate::publication::boards::set_round::{SetResult, SetStanding};
use crate::publication::boards::{mean, name_in, share, summed_score};
use crate::result::score::{NoScore, Score, compensated_sum};
use crate::values::ids::ModelId;
use crate::values::units::Return;

pub(super) fn rows(
    definition: &SetDefinition,
    results: &[&SetResult<'_>],
    values: &[Vec<Return>],
    names: &BTreeMap<ModelId, String>,
) -> Result<Vec<SetRow>, PublishError> {
    if results.is_empty() {
        return Ok(Vec::new());
    }
    let mut firsts: BTreeMap<&ModelId, usize> = BTreeMap::new();
    for own in values {
        let mut best: Option<(&ModelId, f64)> = None;
        for (id, value) in definition.model_ids.iter().zip(own) {
            let value = value.get();
            let better =
                best.is_none_or(|(other, top)| value > top || (value >= top && id < other));
            if better {
                best = Some((id, value));
            }
        }
        if let Some((id, _)) = best {
            *firsts.entry(id).or_default() += 1;
        }
    }
    let mut rows = Vec::with_capacity(definition.model_ids.len());
    for (place, id) in definition.model_ids.iter().enumerate() {
        let returns: Vec<Return> = values.iter().map(|own| own[place]).collect();
        let firsts = firsts.get(id).copied().unwrap_or(0);
        let score = row_score(id.as_str(), results, &returns)?;
        rows.push(set_row((id, score), results, &returns, firsts));
    }
    rows.sort_by(|a, b| {
        points(b.score)
            .total_cmp(&points(a.score))
            .then_with(|| b.average_alpha.total_cmp(&a.average_alpha))
            .then_with(|| name_in(names, &a.model_id).cmp(name_in(names, &b.model_id)))
    });
    Ok(rows)
}

fn set_row(
    (id, score): (&ModelId, Score),
    results: &[&SetResult<'_>],
    returns: &[Return],
    firsts: usize,
) -> SetRow {
    let alphas: Vec<f64> = returns
        .iter()
        .zip(results)
        .map(|(value, result)| (*value - result.reference).get())
        .collect();
    let above = alphas.iter().filter(|alpha| **alpha > 0.0).count();
    let row = market_row(score, returns);
    SetRow {
        model_id: id.clone(),
        score: row.score,
        total_return: row.total_return,
        average_return: row.average_return,
        average_alpha: mean(&alphas).unwrap_or_default(),
        positive_alpha_share: share(above, alphas.len()),
        firsts,
    }
}

/// A fund outside the universe may have returned more than the oracle; it has no score then.
fn control_score(
    id: &ModelId,
    results: &[&SetResult<'_>],
    returns: &[Return],
) -> Result<Score, PublishError> {
    match row_score(id.as_str(), results, returns) {
        Err(PublishError::SumAboveOracle { .. }) if may_leave_universe(id) => {
            Ok(Score::Undefined(NoScore::OutsideUniverse))
        }
        score => score,
    }
}

fn row_score(
    who: &str,
    results: &[&SetResult<'_>],
    returns: &[Return],
) -> Result<Score, PublishError> {
    let pairs = returns.iter().zip(results);
    summed_score(who, pairs.map(|(value, result)| (*value, result.oracle)))
}

fn market_row(score: Score, returns: &[Return]) -> MarketRow {
    let values: Vec<f64> = returns.iter().map(|value| value.get()).collect();
    MarketRow {
        score,
        total_return: compensated_sum(values.iter().copied()),
        average_return: mean(&values).unwrap_or_default(),
    }
}

pub(super) fn market(results: &[&SetResult<'_>]) -> Result<Option<Market>, PublishError> {
    let Some(first) = results.first() else {
        return Ok(None);
    };
    let row = |who: &str, value: fn(&SetResult<'_>) -> Return| {
        let returns: Vec<Return> = results.iter().map(|result| value(result)).collect();
        Ok(market_row(row_score(who, results, &returns)?, &returns))
    };
    let reference = row("the reference", |result| result.reference)?;
    let cash = row("cash", |result| result.cash)?;
    let oracles: Option<Vec<f64>> = results
        .iter()
        .map(|result| result.oracle.map(Return::get))
        .collect();
    let mut controls = Vec::new();
    for control in &first.controls {
        let id = control.model_id;
        let own = |control: &&SetStanding<'_>| control.model_id == id;
        let of = |result: &&SetResult<'_>| Some(result.controls.iter().find(own)?.value);
        if let Some(returns) = results.iter().map(of).collect::<Option<Vec<Return>>>() {
            let score = control_score(id, results, &returns)?;
            controls.push(set_row((id, score), results, &returns, 0));
        }
    }
    Ok(Some(Market {
        reference,
        cash,
        oracle_total: oracles.as_ref().map(|o| compensated_sum(o.iter().copied())),
        oracle_average: oracles.as_deref().and_then(mean),
        controls,
    }))
}
