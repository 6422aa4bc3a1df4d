//! How models decide, whatever came of it: each figure one small function over public portfolios.
//!
//! Open rounds count where only portfolios are looked at; confidence is held against outcomes in
//! resolved rounds alone.

use std::collections::{BTreeMap, BTreeSet};

use super::{mean, share};
use crate::decision::portfolio::Holding;
use crate::decision::submission::Submission;
use crate::market::universe::{RiskBucket, Universe};
use crate::publication::PublicRound;
use crate::values::ids::{ModelId, OptionId, RoundId};

/// Weights by option, one being the whole.
pub type Weights = BTreeMap<OptionId, f64>;

/// One model's habits in a track.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Behaviour {
    pub model_id: ModelId,
    /// One entry per public decision, in order of decision.
    pub decisions: Vec<Habit>,
    /// Mean number of holdings.
    pub average_holdings: f64,
    /// Mean concentration: sum of squared weights.
    pub average_hhi: f64,
    /// Mean weight of the largest holding.
    pub average_largest: f64,
    /// Mean turnover between consecutive decisions; none for a single one.
    pub average_turnover: Option<f64>,
    /// Mean difference from the other models; none where there never were two others.
    pub average_difference: Option<f64>,
    /// Mean weight by group of the universe.
    pub groups: BTreeMap<String, f64>,
    /// Mean weight by risk grade.
    pub risk: BTreeMap<RiskBucket, f64>,
    /// Mean risk-taking: 0 is all cash, 100 all in the highest grade.
    pub average_risk_taking: f64,
    /// Mean stated confidence over all decisions.
    pub average_confidence: f64,
    /// Confidence held against outcomes; none without a resolved round.
    pub calibration: Option<Calibration>,
    /// Mean known cost of a decision.
    pub cost_per_decision_usd: Option<f64>,
}

/// Figures of one decision that need no outcome.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Habit {
    pub round_id: RoundId,
    /// Sum of squared weights.
    pub hhi: f64,
    /// Half the sum of weight changes since the decision before.
    pub turnover: Option<f64>,
    /// Half the sum of differences from the mean of the others.
    pub difference: Option<f64>,
    /// Risk-taking of this portfolio.
    pub risk_taking: f64,
}

/// Stated confidence against what happened.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Calibration {
    /// Resolved decisions.
    pub rounds: usize,
    /// Mean stated confidence in them.
    pub confidence: f64,
    /// Share that beat the reference.
    pub hit_rate: f64,
    /// Mean squared difference of confidence and outcome: 0 is perfect, 0.25 a coin.
    pub brier: f64,
}

/// A decision as weights; an option that is listed twice counts twice.
pub fn weights(holdings: &[Holding]) -> Weights {
    let mut weights = Weights::new();
    for holding in holdings {
        *weights.entry(holding.option_id.clone()).or_default() += holding.weight.weight();
    }
    weights
}

/// Sum of squared weights: 1 is one holding, 0.2 five alike.
pub fn concentration(weights: &Weights) -> f64 {
    weights.values().map(|weight| weight * weight).sum()
}

/// Half the sum of absolute weight differences: 0 is the same portfolio, 1 nothing in common.
pub fn distance(a: &Weights, b: &Weights) -> f64 {
    let options: BTreeSet<&OptionId> = a.keys().chain(b.keys()).collect();
    let weight = |weights: &Weights, id: &OptionId| weights.get(id).copied().unwrap_or_default();
    let gaps = options
        .into_iter()
        .map(|id| (weight(a, id) - weight(b, id)).abs());
    gaps.sum::<f64>() / 2.0
}

/// Distance from the mean portfolio of the others; none with fewer than two others.
pub fn difference(own: &Weights, others: &[&Weights]) -> Option<f64> {
    let all: Vec<&Weights> = std::iter::once(own).chain(others.iter().copied()).collect();
    differences(&all).first().copied().flatten()
}

/// The difference of every portfolio of a round from the mean of the others.
fn differences(portfolios: &[&Weights]) -> Vec<Option<f64>> {
    if portfolios.len() < 3 {
        return vec![None; portfolios.len()];
    }
    // Options by place in one list: looking names up for every pair of models would be slow.
    let mut options: Vec<&OptionId> = portfolios.iter().flat_map(|held| held.keys()).collect();
    options.sort_unstable();
    options.dedup();
    let placed = |held: &&Weights| -> Vec<(usize, f64)> {
        let place = |id: &OptionId| options.binary_search(&id).unwrap_or_default();
        held.iter()
            .map(|(id, weight)| (place(id), *weight))
            .collect()
    };
    let placed: Vec<Vec<(usize, f64)>> = portfolios.iter().map(placed).collect();
    let others = share(portfolios.len() - 1, 1);
    let mut gaps = vec![0.0; options.len()];
    let mut found = Vec::with_capacity(portfolios.len());
    for own in 0..placed.len() {
        gaps.fill(0.0);
        for (other, held) in placed.iter().enumerate() {
            if other != own {
                for (place, weight) in held {
                    gaps[*place] += weight / others;
                }
            }
        }
        for (place, weight) in &placed[own] {
            gaps[*place] = weight - gaps[*place];
        }
        let total = gaps.iter().map(|gap| gap.abs()).sum::<f64>();
        found.push(Some((total / 2.0).clamp(0.0, 1.0)));
    }
    found
}

/// Weight by group of the universe; what the universe does not know has no group.
pub fn exposure_by_group(weights: &Weights, universe: &Universe) -> BTreeMap<String, f64> {
    let mut groups = BTreeMap::new();
    for (id, weight) in weights {
        if let Some(option) = universe.get(id) {
            *groups.entry(option.group.clone()).or_default() += weight;
        }
    }
    groups
}

/// Weight by risk grade of the universe.
pub fn exposure_by_risk(weights: &Weights, universe: &Universe) -> BTreeMap<RiskBucket, f64> {
    let mut grades = BTreeMap::new();
    for (id, weight) in weights {
        if let Some(option) = universe.get(id) {
            *grades.entry(option.risk_bucket).or_default() += weight;
        }
    }
    grades
}

/// Risk-taking from the grades: cash 0, low 25, medium 50, high 75, very high 100.
pub fn risk_taking(grades: &BTreeMap<RiskBucket, f64>) -> f64 {
    let points = |grade: &RiskBucket| match grade {
        RiskBucket::Cash => 0.0,
        RiskBucket::Low => 25.0,
        RiskBucket::Medium => 50.0,
        RiskBucket::High => 75.0,
        RiskBucket::VeryHigh => 100.0,
    };
    grades
        .iter()
        .map(|(grade, weight)| points(grade) * weight)
        .sum()
}

/// Confidence, taken as the chance to beat the reference, against what happened.
pub fn calibration(decisions: &[(f64, bool)]) -> Option<Calibration> {
    let stated: Vec<f64> = decisions
        .iter()
        .map(|(confidence, _)| *confidence)
        .collect();
    let error =
        |(confidence, beat): &(f64, bool)| (confidence - f64::from(u8::from(*beat))).powi(2);
    let errors: Vec<f64> = decisions.iter().map(error).collect();
    Some(Calibration {
        rounds: decisions.len(),
        confidence: mean(&stated)?,
        hit_rate: share(
            decisions.iter().filter(|(_, beat)| *beat).count(),
            decisions.len(),
        ),
        brier: mean(&errors)?,
    })
}

struct Seen<'a> {
    round: &'a PublicRound,
    submission: &'a Submission,
    weights: Weights,
    difference: Option<f64>,
}

/// The habits of every model of a track, in order of model id.
pub(crate) fn behaviour(rounds: &[&PublicRound]) -> Vec<Behaviour> {
    let mut ordered: Vec<&&PublicRound> = rounds.iter().collect();
    let decided = |round: &PublicRound| {
        let deadline = round.manifest.decision_deadline.as_ref();
        let entry = round.manifest.window.map(|window| window.entry);
        (
            deadline.map(crate::values::time::WrittenInstant::at),
            entry,
            round.id().clone(),
        )
    };
    ordered.sort_by_cached_key(|round| decided(round));
    let mut by_model: BTreeMap<&ModelId, Vec<Seen<'_>>> = BTreeMap::new();
    for round in ordered {
        let submissions = round.submissions();
        let portfolios: Vec<Weights> = submissions
            .iter()
            .map(|submission| weights(&submission.decision.holdings()))
            .collect();
        let differences = differences(&portfolios.iter().collect::<Vec<_>>());
        let decided = submissions.iter().zip(portfolios).zip(differences);
        for ((submission, weights), difference) in decided {
            let id = round.contestant(&submission.model_id);
            let seen = by_model.entry(id).or_default();
            seen.push(Seen {
                round,
                submission,
                weights,
                difference,
            });
        }
    }
    by_model
        .iter()
        .map(|(id, seen)| of_model(id, seen))
        .collect()
}

fn of_model(model_id: &ModelId, seen: &[Seen<'_>]) -> Behaviour {
    let mut groups: BTreeMap<String, f64> = BTreeMap::new();
    let mut risk: BTreeMap<RiskBucket, f64> = BTreeMap::new();
    let mut decisions: Vec<Habit> = Vec::with_capacity(seen.len());
    for (place, decision) in seen.iter().enumerate() {
        let universe = &decision.round.universe;
        for (group, weight) in exposure_by_group(&decision.weights, universe) {
            *groups.entry(group).or_default() += weight / share(seen.len(), 1);
        }
        let grades = exposure_by_risk(&decision.weights, universe);
        for (grade, weight) in &grades {
            *risk.entry(*grade).or_default() += weight / share(seen.len(), 1);
        }
        let before = place.checked_sub(1).map(|before| &seen[before].weights);
        decisions.push(Habit {
            round_id: decision.round.id().clone(),
            hhi: concentration(&decision.weights),
            turnover: before.map(|before| distance(before, &decision.weights)),
            difference: decision.difference,
            risk_taking: risk_taking(&grades),
        });
    }
    let average = |figure: fn(&Seen<'_>) -> f64| {
        mean(&seen.iter().map(figure).collect::<Vec<_>>()).unwrap_or_default()
    };
    let of = |figure: fn(&Habit) -> Option<f64>| -> Option<f64> {
        mean(&decisions.iter().filter_map(figure).collect::<Vec<_>>())
    };
    let outcomes: Vec<(f64, bool)> = seen.iter().filter_map(outcome).collect();
    let costs: Vec<f64> = seen.iter().filter_map(|s| s.submission.cost_usd).collect();
    Behaviour {
        model_id: model_id.clone(),
        average_holdings: average(|s| share(s.weights.len(), 1)),
        average_hhi: average(|s| concentration(&s.weights)),
        average_largest: average(|s| s.weights.values().copied().fold(0.0, f64::max)),
        average_turnover: of(|habit| habit.turnover),
        average_difference: of(|habit| habit.difference),
        average_risk_taking: of(|habit| Some(habit.risk_taking)).unwrap_or_default(),
        groups,
        risk,
        average_confidence: average(|s| s.submission.confidence),
        calibration: calibration(&outcomes),
        cost_per_decision_usd: mean(&costs),
        decisions,
    }
}

/// Stated confidence and whether the decision beat the reference, where the round asked for that
/// and the answer is known.
fn outcome(seen: &Seen<'_>) -> Option<(f64, bool)> {
    let standing = seen.round.standing(&seen.submission.model_id)?;
    match seen.round.stated(standing) {
        Ok(stated) => Some((stated.confidence, stated.beat)),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests;
