//! Options over rounds: who held them, and what came of them.

use std::collections::BTreeMap;

use super::{mean, share};
use crate::publication::PublicRound;
use crate::round::manifest::Track;
use crate::values::ids::{ModelId, OptionId, RoundId};
use crate::values::units::BasisPoints;

/// One option in one track.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct OptionRecord {
    pub option_id: OptionId,
    /// Every round that offered it, in key order.
    pub rounds: Vec<OptionRound>,
    /// Public decisions that held it, open rounds included.
    pub decisions: usize,
    /// Public decisions of the rounds that offered it.
    pub of_decisions: usize,
    /// Mean weight over the decisions that held it; none where nobody did.
    pub average_weight: Option<f64>,
    /// Mean return over resolved rounds; none without one.
    pub average_return: Option<f64>,
    /// Share of resolved rounds in which it returned more than the reference.
    pub above_reference: Option<f64>,
    /// The same over decisions that held it: how often holding it was right.
    pub hit_rate: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct OptionRound {
    pub round_id: RoundId,
    /// Who held it and how much, in order of model id.
    pub holders: Vec<(ModelId, BasisPoints)>,
    /// Return and whether it was above the reference, once resolved.
    pub result: Option<OptionResult>,
}

/// What came of an option.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct OptionResult {
    /// Its return.
    pub value: f64,
    /// Its return less the reference's.
    pub alpha: f64,
    /// Rank among all options; none where not all are priced.
    pub rank: Option<u32>,
}

/// The options of a track's rounds, in order of id.
pub(crate) fn option_records(rounds: &[PublicRound], track: Track) -> Vec<OptionRecord> {
    let mut found: BTreeMap<&OptionId, Vec<OptionRound>> = BTreeMap::new();
    let mut decisions: BTreeMap<&OptionId, usize> = BTreeMap::new();
    for round in rounds.iter().filter(|round| round.track == Some(track)) {
        let submissions = round.submissions();
        let mut holders: BTreeMap<OptionId, Vec<(ModelId, BasisPoints)>> = BTreeMap::new();
        for submission in &submissions {
            for holding in submission.decision.holdings() {
                let id = round.contestant(&submission.model_id);
                let held = (id.clone(), holding.weight);
                holders.entry(holding.option_id).or_default().push(held);
            }
        }
        for option in round.universe.options() {
            let mut held = holders.remove(&option.id).unwrap_or_default();
            held.sort_by(|a, b| a.0.cmp(&b.0));
            found.entry(&option.id).or_default().push(OptionRound {
                round_id: round.id().clone(),
                holders: held,
                result: result(round, &option.id),
            });
            *decisions.entry(&option.id).or_default() += submissions.len();
        }
    }
    let of = |(id, rounds): (&OptionId, Vec<OptionRound>)| {
        record(id, rounds, decisions.get(id).copied().unwrap_or_default())
    };
    found.into_iter().map(of).collect()
}

fn result(round: &PublicRound, id: &OptionId) -> Option<OptionResult> {
    let returns = &round.resolved()?.returns;
    let own = returns.get(id)?;
    Some(OptionResult {
        value: own.value.get(),
        alpha: (own.value - returns.reference()).get(),
        rank: own.rank,
    })
}

fn record(option_id: &OptionId, rounds: Vec<OptionRound>, of_decisions: usize) -> OptionRecord {
    let holders = rounds.iter().flat_map(|round| &round.holders);
    let weights: Vec<f64> = holders.map(|(_, weight)| weight.weight()).collect();
    let known = rounds
        .iter()
        .filter_map(|round| Some((round.result?, round.holders.len())));
    let known: Vec<(OptionResult, usize)> = known.collect();
    let values: Vec<f64> = known.iter().map(|(result, _)| result.value).collect();
    let above = known.iter().filter(|(result, _)| result.alpha > 0.0);
    let held: usize = known.iter().map(|(_, held)| held).sum();
    let right: usize = above.clone().map(|(_, held)| held).sum();
    OptionRecord {
        option_id: option_id.clone(),
        decisions: weights.len(),
        of_decisions,
        average_weight: mean(&weights),
        average_return: mean(&values),
        above_reference: (!known.is_empty()).then(|| share(above.count(), known.len())),
        hit_rate: (held > 0).then(|| share(right, held)),
        rounds,
    }
}
