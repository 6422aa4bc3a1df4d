//! Agreement of a model with itself across replicates.

use std::collections::BTreeMap;

use crate::decision::submission::Submission;
use crate::publication::boards::behaviour::{Weights, distance, weights};
use crate::result::leaderboard::Scored;
use crate::result::returns::RoundReturns;
use crate::round::methodology::ModalTie;
use crate::values::ids::{ModelId, OptionId};
use crate::values::sums::{compensated_sum, mean, real};
use crate::values::units::Return;

/// One model's replicates, summed up.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ModelConsistency {
    pub model_id: ModelId,
    /// Whose model it is.
    pub provider: String,
    /// Valid replicates.
    pub valid: usize,
    /// Raw attempts that were not valid.
    pub invalid: usize,
    /// Figures; none when no replicate was valid.
    pub figures: Option<Figures>,
}

/// Figures over the valid replicates, in replicate order.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Figures {
    /// Largest holding of each replicate.
    pub picks: Vec<OptionId>,
    /// Pick to count.
    pub distribution: BTreeMap<OptionId, usize>,
    /// Most frequent pick; the methodology breaks ties.
    pub modal_pick: OptionId,
    /// Whether another pick was as frequent.
    pub modal_tie: bool,
    /// Alpha of each replicate.
    pub alphas: Vec<f64>,
    /// Mean decision return.
    pub average_return: f64,
    /// That mean minus the reference.
    pub average_alpha: f64,
    /// Best replicate: return and pick.
    pub best: (Return, OptionId),
    /// Worst replicate: return and pick.
    pub worst: (Return, OptionId),
    /// Return of the modal option.
    pub modal_return: Return,
    /// Sum of known costs.
    pub total_cost: Option<f64>,
    /// One minus the mean half-L1 distance between replicate portfolios.
    pub overlap: f64,
}

impl Figures {
    /// Share of replicates that chose the modal pick.
    pub fn consistency_rate(&self) -> f64 {
        ratio(self.modal_count(), self.picks.len())
    }

    /// How often the modal pick was chosen.
    pub fn modal_count(&self) -> usize {
        self.distribution
            .get(&self.modal_pick)
            .copied()
            .unwrap_or(0)
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    real(part) / real(whole)
}

/// Sums up one model; `attempts` counts its raw files.
pub fn summarise(
    model_id: &ModelId,
    provider: &str,
    replicates: &[&Scored],
    attempts: usize,
    (returns, tie): (&RoundReturns, ModalTie),
) -> ModelConsistency {
    ModelConsistency {
        model_id: model_id.clone(),
        provider: provider.to_owned(),
        valid: replicates.len(),
        invalid: attempts.saturating_sub(replicates.len()),
        figures: figures(replicates, returns, tie),
    }
}

fn figures(replicates: &[&Scored], returns: &RoundReturns, tie: ModalTie) -> Option<Figures> {
    let picks: Vec<OptionId> = replicates
        .iter()
        .map(|r| r.outcome.primary.clone())
        .collect();
    let mut distribution: BTreeMap<OptionId, usize> = BTreeMap::new();
    for pick in &picks {
        *distribution.entry(pick.clone()).or_default() += 1;
    }
    let most = distribution.values().copied().max()?;
    let return_of = |id: &OptionId| returns.get(id).map(|o| o.value).unwrap_or_default();
    let modal: Vec<&OptionId> = distribution
        .iter()
        .filter(|(_, count)| **count == most)
        .map(|(id, _)| id)
        .collect();
    let first = modal.iter().copied();
    let modal_pick = match tie {
        ModalTie::HigherReturn => {
            first.reduce(|a, b| if return_of(b) > return_of(a) { b } else { a })
        }
        ModalTie::SmallerId => first.min(),
    };
    let modal_pick = modal_pick?.clone();
    let values: Vec<(Return, OptionId)> = replicates
        .iter()
        .map(|r| (r.outcome.decision_return, r.outcome.primary.clone()))
        .collect();
    let by_value = |a: &&(Return, OptionId), b: &&(Return, OptionId)| {
        a.0.get().total_cmp(&b.0.get()).then_with(|| a.1.cmp(&b.1))
    };
    let average_return =
        compensated_sum(values.iter().map(|(value, _)| value.get())) / real(values.len());
    let costs: Vec<f64> = replicates
        .iter()
        .filter_map(|r| r.submission.cost_usd)
        .collect();
    Some(Figures {
        alphas: replicates.iter().map(|r| r.outcome.alpha.get()).collect(),
        modal_tie: modal.len() > 1,
        modal_return: return_of(&modal_pick),
        average_alpha: average_return - returns.reference().get(),
        best: values.iter().max_by(by_value)?.clone(),
        worst: values.iter().min_by(by_value)?.clone(),
        total_cost: (!costs.is_empty()).then(|| compensated_sum(costs)),
        overlap: overlap(&replicates.iter().map(|r| &r.submission).collect::<Vec<_>>()),
        average_return,
        picks,
        distribution,
        modal_pick,
    })
}

/// One minus the mean half-L1 distance over all pairs; 1 for identical portfolios.
pub fn overlap(submissions: &[&Submission]) -> f64 {
    let portfolios = submissions.iter().map(|s| weights(&s.decision.holdings()));
    let portfolios: Vec<Weights> = portfolios.collect();
    let mut distances = Vec::new();
    for (index, a) in portfolios.iter().enumerate() {
        let later = portfolios[index + 1..].iter();
        distances.extend(later.map(|b| distance(a, b)));
    }
    if distances.is_empty() {
        return 1.0;
    }
    1.0 - mean(&distances)
}

#[cfg(test)]
mod tests;
