//! What models hold now: the open decisions, option by option.

use std::collections::{BTreeMap, BTreeSet};

use super::mean;
use crate::publication::{PublicRound, RoundState};
use crate::values::ids::{ModelId, OptionId};

/// All open decisions together. Nothing here follows from prices, so nothing is ranked.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Consensus {
    /// Open decisions.
    pub decisions: usize,
    /// Models with an open decision.
    pub models: BTreeSet<ModelId>,
    /// Options that somebody holds, by mean weight, the largest first; then by id.
    pub options: Vec<HeldOption>,
}

/// An option among the open decisions.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOption {
    pub option_id: OptionId,
    /// Mean weight over all open decisions, with zero where it is not held.
    pub mean_weight: f64,
    /// Decisions that hold it.
    pub decisions: usize,
    /// The mean weight over each holder's own open decisions.
    pub holders: BTreeMap<ModelId, f64>,
}

/// Puts the decisions of all open rounds together.
pub fn consensus(rounds: &[PublicRound]) -> Consensus {
    let mut counted: BTreeMap<&ModelId, usize> = BTreeMap::new();
    let mut weights: BTreeMap<OptionId, BTreeMap<&ModelId, Vec<f64>>> = BTreeMap::new();
    for round in rounds {
        let RoundState::Open(open) = &round.state else {
            continue;
        };
        for submission in &open.submissions {
            *counted.entry(&submission.model_id).or_default() += 1;
            let mut own: BTreeMap<OptionId, f64> = BTreeMap::new();
            for holding in submission.decision.holdings() {
                *own.entry(holding.option_id).or_default() += holding.weight.weight();
            }
            for (option, weight) in own {
                let of = weights.entry(option).or_default();
                of.entry(&submission.model_id).or_default().push(weight);
            }
        }
    }
    let all: usize = counted.values().sum();
    let over = |weights: &[f64], decisions: usize| {
        let mut whole = weights.to_vec();
        whole.resize(decisions, 0.0);
        mean(&whole).unwrap_or_default()
    };
    let mut options: Vec<HeldOption> = weights
        .into_iter()
        .map(|(option_id, by_model)| {
            let held: Vec<f64> = by_model.values().flatten().copied().collect();
            let holder =
                |(id, own): (&&ModelId, &Vec<f64>)| ((*id).clone(), over(own, counted[id]));
            HeldOption {
                option_id,
                mean_weight: over(&held, all),
                decisions: held.len(),
                holders: by_model.iter().map(holder).collect(),
            }
        })
        .collect();
    options.sort_by(|a, b| b.mean_weight.total_cmp(&a.mean_weight));
    Consensus {
        decisions: all,
        models: counted.into_keys().cloned().collect(),
        options,
    }
}
