//! Order and tie-breaks within a round.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::decision::submission::Submission;
use crate::market::prices::PriceSheet;
use crate::market::universe::Universe;
use crate::result::returns::RoundReturns;
use crate::result::score::{Outcome, ScoreError, score_submission};
use crate::round::methodology::TieRule;
use crate::values::ids::OptionId;
use crate::values::units::Return;

/// A submission with its figures.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Scored {
    /// What was decided.
    pub submission: Submission,
    /// What it came to.
    pub outcome: Outcome,
}

/// Prices a round and scores its submissions, in the order given.
pub fn score_all(
    submissions: Vec<Submission>,
    universe: &Universe,
    entry: &PriceSheet,
    exit: &PriceSheet,
) -> Result<(RoundReturns, Vec<Scored>), ScoreError> {
    let held: BTreeSet<OptionId> = submissions
        .iter()
        .flat_map(|submission| submission.decision.option_ids())
        .cloned()
        .collect();
    let returns = RoundReturns::new(universe, entry, exit, &held)?;
    let mut scored = Vec::with_capacity(submissions.len());
    for submission in submissions {
        let outcome = score_submission(&submission, universe, &returns)?;
        scored.push(Scored {
            submission,
            outcome,
        });
    }
    Ok((returns, scored))
}

/// Sorts by alpha (descending), regret (ascending), confidence (descending), model id.
pub fn sort(scored: &mut [Scored], ties: TieRule) {
    scored.sort_by(|a, b| order(a, b, ties));
}

/// The order of two decisions of a round.
pub fn order(a: &Scored, b: &Scored, ties: TieRule) -> Ordering {
    let (x, y) = (&a.outcome, &b.outcome);
    let regret = |outcome: &Outcome| outcome.regret.map_or(0.0, Return::get);
    compare(y.alpha.get(), x.alpha.get(), ties)
        .then_with(|| compare(regret(x), regret(y), ties))
        .then_with(|| numeric(b.submission.confidence, a.submission.confidence))
        .then_with(|| a.submission.model_id.cmp(&b.submission.model_id))
}

fn compare(a: f64, b: f64, ties: TieRule) -> Ordering {
    match ties {
        TieRule::ExactDoubles => numeric(a, b),
        TieRule::TwelveDecimals => numeric((a * 1e12).round(), (b * 1e12).round()),
    }
}

/// Order of numbers; adding zero makes a negative zero, as rounding leaves it, equal to zero.
fn numeric(a: f64, b: f64) -> Ordering {
    (a + 0.0).total_cmp(&(b + 0.0))
}

#[cfg(test)]
mod tests;
