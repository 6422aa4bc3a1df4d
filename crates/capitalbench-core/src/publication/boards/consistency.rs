//! Agreement of models with themselves over resolved rounds, apart from the record.

use std::collections::BTreeMap;

use super::{mean, median};
use crate::publication::PublicRound;
use crate::result::consistency::Figures;
use crate::result::score::compensated_sum;
use crate::values::ids::{ModelId, RoundId};
use crate::values::units::Return;

/// The consistency board of a track.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct ConsistencyBoard {
    /// One row per model, in order of mean repeated alpha.
    pub rows: Vec<ConsistencyRow>,
    /// Model and round pairs without a valid replicate, left out of the means.
    pub without_valid: Vec<(ModelId, RoundId)>,
}

/// One model over its runs of repeated calls.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ConsistencyRow {
    pub model_id: ModelId,
    /// Whose model it is.
    pub provider: String,
    /// Rounds with a valid replicate, in order of id.
    pub rounds: Vec<RoundId>,
    /// Valid replicates in all.
    pub replicates: usize,
    /// Mean of the mean replicate returns.
    pub average_return: f64,
    /// Mean of the mean replicate alphas.
    pub average_alpha: f64,
    /// Middle of the mean replicate alphas.
    pub median_alpha: f64,
    /// Largest mean replicate alpha of a round.
    pub best_alpha: f64,
    /// Smallest mean replicate alpha of a round.
    pub worst_alpha: f64,
    /// Mean share of the most frequent pick.
    pub average_consistency_rate: f64,
    /// Mean likeness of whole portfolios: 1 is identical.
    pub average_overlap: f64,
    /// Mean alpha of the most frequent pick.
    pub average_modal_alpha: f64,
    /// Mean return of the most frequent pick.
    pub average_modal_return: f64,
    /// Mean return of the best replicate.
    pub average_best_return: f64,
    /// Mean return of the worst replicate.
    pub average_worst_return: f64,
    /// Sum of known costs.
    pub total_cost_usd: Option<f64>,
    /// Mean cost of rounds with a known one.
    pub average_cost_per_round_usd: Option<f64>,
}

struct Seen<'a> {
    round_id: &'a RoundId,
    provider: &'a str,
    valid: usize,
    reference: Return,
    figures: &'a Figures,
}

pub(crate) fn consistency(rounds: &[&PublicRound]) -> ConsistencyBoard {
    let mut ordered: Vec<&&PublicRound> = rounds.iter().collect();
    ordered.sort_by(|a, b| a.id().cmp(b.id()));
    let mut by_model: BTreeMap<&ModelId, Vec<Seen<'_>>> = BTreeMap::new();
    let mut without_valid = Vec::new();
    for round in ordered {
        let Some(resolved) = round.resolved() else {
            continue;
        };
        for run in &resolved.repeated {
            for model in &run.models {
                let Some(figures) = &model.figures else {
                    let id = round.contestant(&model.model_id);
                    without_valid.push((id.clone(), round.id().clone()));
                    continue;
                };
                let id = round.contestant(&model.model_id);
                by_model.entry(id).or_default().push(Seen {
                    round_id: round.id(),
                    provider: &model.provider,
                    valid: model.valid,
                    reference: run.reference,
                    figures,
                });
            }
        }
    }
    let mut rows: Vec<ConsistencyRow> = by_model.iter().map(|(id, seen)| row(id, seen)).collect();
    rows.sort_by(|a, b| {
        b.average_alpha
            .total_cmp(&a.average_alpha)
            .then_with(|| {
                b.average_consistency_rate
                    .total_cmp(&a.average_consistency_rate)
            })
            .then_with(|| b.average_modal_alpha.total_cmp(&a.average_modal_alpha))
            .then_with(|| a.model_id.cmp(&b.model_id))
    });
    ConsistencyBoard {
        rows,
        without_valid,
    }
}

fn row(model_id: &ModelId, seen: &[Seen<'_>]) -> ConsistencyRow {
    let figures = |figure: fn(&Seen<'_>) -> f64| -> Vec<f64> { seen.iter().map(figure).collect() };
    let average = |figure: fn(&Seen<'_>) -> f64| mean(&figures(figure)).unwrap_or_default();
    let alphas = figures(|s| s.figures.average_alpha);
    let costs: Vec<f64> = seen.iter().filter_map(|s| s.figures.total_cost).collect();
    ConsistencyRow {
        model_id: model_id.clone(),
        provider: seen
            .first()
            .map_or_else(String::new, |s| s.provider.to_owned()),
        rounds: seen.iter().map(|s| s.round_id.clone()).collect(),
        replicates: seen.iter().map(|s| s.valid).sum(),
        average_return: average(|s| s.figures.average_return),
        average_alpha: mean(&alphas).unwrap_or_default(),
        median_alpha: median(&alphas).unwrap_or_default(),
        best_alpha: alphas.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        worst_alpha: alphas.iter().copied().fold(f64::INFINITY, f64::min),
        average_consistency_rate: average(|s| s.figures.consistency_rate()),
        average_overlap: average(|s| s.figures.overlap),
        average_modal_alpha: average(|s| (s.figures.modal_return - s.reference).get()),
        average_modal_return: average(|s| s.figures.modal_return.get()),
        average_best_return: average(|s| s.figures.best.0.get()),
        average_worst_return: average(|s| s.figures.worst.0.get()),
        total_cost_usd: (!costs.is_empty()).then(|| compensated_sum(costs.iter().copied())),
        average_cost_per_round_usd: mean(&costs),
    }
}
