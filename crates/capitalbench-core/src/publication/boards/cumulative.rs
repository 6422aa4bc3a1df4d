//! Every model over the rounds it took part in; nobody is backfilled.
//!
//! Windows overlap, so the compounded columns are no strategy's return and the count is no sample
//! size. Figures are summed in order of round id, compensated.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::{mean, median, name_in, share, summed_score};
use crate::publication::calls::KnownCost;
use crate::publication::{PublicRound, PublishError, ResolvedRound, Standing};
use crate::result::score::{Score, compensated_sum};
use crate::values::ids::{ModelId, RoundId};
use crate::values::units::Return;

/// One model's record in a track.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CumulativeRow {
    pub model_id: ModelId,
    /// Whose model it is.
    pub provider: String,
    /// The rounds it took part in, in order of id.
    pub rounds: Vec<RoundId>,
    /// Took part in every resolved round of the track.
    pub complete: bool,
    /// Summed returns over summed oracles.
    pub score: Score,
    /// Rounds it stood first in.
    pub firsts: usize,
    /// Mean return of its decisions.
    pub average_return: f64,
    /// Mean return of the reference in the same rounds.
    pub average_reference: f64,
    /// Mean difference.
    pub average_alpha: f64,
    /// Middle difference.
    pub median_alpha: f64,
    /// Product of one plus each return, minus one.
    pub compounded_return: f64,
    /// The same for the reference.
    pub compounded_reference: f64,
    /// Summed logarithms of both, the difference.
    pub log_alpha: f64,
    /// Share of rounds above the reference.
    pub hit_rate_reference: f64,
    /// Share of rounds above cash.
    pub hit_rate_cash: f64,
    /// Mean regret over rounds with an oracle.
    pub average_regret: Option<f64>,
    /// Largest difference.
    pub best_alpha: f64,
    /// Smallest difference.
    pub worst_alpha: f64,
    /// Sum of known costs.
    pub total_cost_usd: Option<f64>,
    /// Mean of known costs.
    pub average_cost_usd: Option<f64>,
    /// Rounds whose cost is known.
    #[serde(default)]
    pub rounds_with_cost: usize,
}

impl CumulativeRow {
    /// The known part of what its rounds cost.
    pub fn cost(&self) -> KnownCost {
        KnownCost {
            usd: self.total_cost_usd,
            known: self.rounds_with_cost,
            answers: self.rounds.len(),
        }
    }
}

struct Took<'a> {
    round_id: &'a RoundId,
    resolved: &'a ResolvedRound,
    standing: &'a Standing,
}

/// Rows in order of score: complete records first, then score, mean alpha and name.
pub(crate) fn cumulative(
    rounds: &[&PublicRound],
    names: &BTreeMap<ModelId, String>,
) -> Result<Vec<CumulativeRow>, PublishError> {
    let mut ordered: Vec<(&PublicRound, &ResolvedRound)> = rounds
        .iter()
        .filter_map(|round| Some((*round, round.resolved()?)))
        .collect();
    ordered.sort_by(|a, b| a.0.id().cmp(b.0.id()));
    let mut by_model: BTreeMap<&ModelId, Vec<Took<'_>>> = BTreeMap::new();
    for (round, resolved) in ordered.iter().copied() {
        for standing in &resolved.models {
            let took = Took {
                round_id: round.id(),
                resolved,
                standing,
            };
            let id = round.contestant(standing.model_id());
            by_model.entry(id).or_default().push(took);
        }
    }
    let mut rows = Vec::with_capacity(by_model.len());
    for (model_id, took) in by_model {
        rows.push(row(model_id, &took, ordered.len())?);
    }
    rows.sort_by(|a, b| by_score(a, b, names));
    Ok(rows)
}

fn row(model_id: &ModelId, took: &[Took<'_>], all: usize) -> Result<CumulativeRow, PublishError> {
    let figures = |figure: fn(&Took<'_>) -> f64| -> Vec<f64> { took.iter().map(figure).collect() };
    let returns = figures(|t| t.standing.scored.outcome.decision_return.get());
    let reference = figures(|t| t.resolved.returns.reference().get());
    let alphas = figures(|t| t.standing.scored.outcome.alpha.get());
    let hits = |hit: fn(&Took<'_>) -> bool| took.iter().filter(|t| hit(t)).count();
    let regrets: Vec<f64> = took
        .iter()
        .filter_map(|t| t.standing.scored.outcome.regret.map(Return::get))
        .collect();
    let costs: Vec<f64> = took
        .iter()
        .filter_map(|t| t.standing.scored.submission.cost_usd)
        .collect();
    let paired = took.iter().map(|t| {
        let value = t.standing.scored.outcome.decision_return;
        (value, t.resolved.returns.oracle())
    });
    let score = summed_score(model_id.as_str(), paired)?;
    let (compounded_return, compounded_reference, log_alpha) =
        compounded(model_id, took, &returns, &reference)?;
    let first = |t: &Took<'_>| {
        t.resolved.models.first().map(Standing::model_id) == Some(t.standing.model_id())
    };
    Ok(CumulativeRow {
        model_id: model_id.clone(),
        provider: took.first().map_or_else(String::new, |t| {
            t.standing.scored.submission.provider.clone()
        }),
        rounds: took.iter().map(|t| t.round_id.clone()).collect(),
        complete: took.len() == all,
        score,
        firsts: took.iter().filter(|t| first(t)).count(),
        average_return: mean(&returns).unwrap_or_default(),
        average_reference: mean(&reference).unwrap_or_default(),
        average_alpha: mean(&alphas).unwrap_or_default(),
        median_alpha: median(&alphas).unwrap_or_default(),
        compounded_return,
        compounded_reference,
        log_alpha,
        hit_rate_reference: share(
            hits(|t| t.standing.scored.outcome.beats_reference),
            took.len(),
        ),
        hit_rate_cash: share(hits(|t| t.standing.scored.outcome.beats_cash), took.len()),
        average_regret: mean(&regrets),
        best_alpha: alphas.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        worst_alpha: alphas.iter().copied().fold(f64::INFINITY, f64::min),
        total_cost_usd: (!costs.is_empty()).then(|| compensated_sum(costs.iter().copied())),
        average_cost_usd: mean(&costs),
        rounds_with_cost: costs.len(),
    })
}

fn compounded(
    model_id: &ModelId,
    took: &[Took<'_>],
    returns: &[f64],
    reference: &[f64],
) -> Result<(f64, f64, f64), PublishError> {
    let (mut model, mut market, mut log_alpha) = (1.0, 1.0, 0.0);
    for ((value, base), took) in returns.iter().zip(reference).zip(took) {
        if *value <= -1.0 || *base <= -1.0 {
            return Err(PublishError::TotalLoss {
                round_id: took.round_id.clone(),
                model_id: model_id.clone(),
            });
        }
        model *= 1.0 + value;
        market *= 1.0 + base;
        log_alpha += (1.0 + value).ln() - (1.0 + base).ln();
    }
    Ok((model - 1.0, market - 1.0, log_alpha))
}

/// Points, the lowest possible where there are none.
pub(crate) fn points(score: Score) -> f64 {
    match score {
        Score::Points(points) => points,
        Score::Undefined(_) => f64::NEG_INFINITY,
    }
}

fn by_score(a: &CumulativeRow, b: &CumulativeRow, names: &BTreeMap<ModelId, String>) -> Ordering {
    b.complete
        .cmp(&a.complete)
        .then_with(|| points(b.score).total_cmp(&points(a.score)))
        .then_with(|| b.average_alpha.total_cmp(&a.average_alpha))
        .then_with(|| name_in(names, &a.model_id).cmp(name_in(names, &b.model_id)))
}

/// The order of the older table: mean alpha, log alpha, hit rate, model id.
pub fn by_alpha(rows: &[CumulativeRow]) -> Vec<&CumulativeRow> {
    let mut sorted: Vec<&CumulativeRow> = rows.iter().collect();
    sorted.sort_by(|a, b| {
        b.average_alpha
            .total_cmp(&a.average_alpha)
            .then_with(|| b.log_alpha.total_cmp(&a.log_alpha))
            .then_with(|| b.hit_rate_reference.total_cmp(&a.hit_rate_reference))
            .then_with(|| a.model_id.cmp(&b.model_id))
    });
    sorted
}
