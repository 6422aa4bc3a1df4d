//! Words that follow the numbers: no sentence claims more than its figures carry.

use std::cmp::Ordering;

use capitalbench_core::boards::comparison_set::ComparisonSet;
use capitalbench_core::inference::ties::holm;
use capitalbench_core::lifecycle::Due;
use capitalbench_core::publication::{PublicRound, ResolvedRound, RoundState};
use capitalbench_core::statistics::{Basis, LEVEL, SetStatistics};

use crate::figures::{count, day, signed_percent};

/// What may be claimed of a set.
pub(crate) fn claim(set: &ComparisonSet, statistics: Option<&SetStatistics>) -> String {
    let models = set.rows.len();
    let below = set
        .rows
        .iter()
        .filter(|row| row.average_alpha < 0.0)
        .count();
    let first = match below {
        0 => "Every model is above the S&P 500".to_owned(),
        all if all == models => "Every model is below the S&P 500".to_owned(),
        some => format!("{some} of {models} models are below the S&P 500"),
    };
    let Some(statistics) = statistics else {
        return format!("{first}.");
    };
    let clear = |found: &capitalbench_core::statistics::Estimate| {
        found.basis != Basis::NotInformative && (found.low > 0.0 || found.high < 0.0)
    };
    let alphas = statistics
        .models
        .iter()
        .filter_map(|m| m.model.alpha.as_ref());
    let from_index = alphas.filter(|alpha| clear(alpha)).count();
    let apart = |p: Option<f64>| p.is_some_and(|p| p < 1.0 - LEVEL);
    let pairs = statistics
        .pairs
        .iter()
        .filter(|pair| apart(pair.p_adjusted))
        .count();
    let chances = statistics.models.iter();
    let chances: Vec<f64> = chances
        .map(|m| m.model.luck.map_or(1.0, |luck| luck.p_value))
        .collect();
    let skilled = holm(&chances)
        .into_iter()
        .filter(|p| *p < 1.0 - LEVEL)
        .count();
    let index = match from_index {
        0 => "no gap is separable from zero".to_owned(),
        some => format!("{some} of {models} gaps are separable from zero"),
    };
    let pairs = match pairs {
        0 => "no model is separable from another".to_owned(),
        some => format!(
            "{some} of {} are separable",
            count(statistics.pairs.len(), "pair", "pairs")
        ),
    };
    let luck = match skilled {
        0 => "none from random portfolios".to_owned(),
        some => format!("{some} of {models} above random portfolios"),
    };
    format!("{first}; {index}; {pairs}, {luck}.")
}

/// The state of a round.
pub(crate) fn state(round: &PublicRound) -> &'static str {
    match &round.state {
        RoundState::Draft => "draft",
        RoundState::Open(open) if open.due == Due::Overdue => "result due",
        RoundState::Open(_) => "open",
        RoundState::Resolved(_) => "resolved",
    }
}

/// What happens next in a round.
pub(crate) fn next_event(round: &PublicRound) -> String {
    let window = round.manifest.window;
    match (&round.state, window) {
        (RoundState::Resolved(_), _) => "none; the result is final".to_owned(),
        (RoundState::Draft, _) => {
            let deadline = round.manifest.decision_deadline.as_ref();
            deadline.map_or_else(
                || "models are asked".to_owned(),
                |deadline| format!("models decide by {}", deadline.text()),
            )
        }
        (RoundState::Open(_), None) => "the result, at a day not yet set".to_owned(),
        (RoundState::Open(open), Some(window)) if open.due == Due::Overdue => {
            format!("the result, due since {}", day(window.exit))
        }
        (RoundState::Open(open), Some(window)) if open.entry.is_none() => {
            format!("starting prices of {}", day(window.entry))
        }
        (RoundState::Open(_), Some(window)) => {
            format!("result after the close of {}", day(window.exit))
        }
    }
}

/// The result of a round in a sentence.
pub(crate) fn result(resolved: &ResolvedRound, name: &dyn Fn(usize) -> String) -> String {
    let reference = resolved.returns.reference().get();
    let Some(first) = resolved.models.first() else {
        return "No model has a result.".to_owned();
    };
    let outcome = &first.scored.outcome;
    let value = outcome.decision_return.get();
    let above = resolved
        .models
        .iter()
        .filter(|m| m.scored.outcome.beats_reference)
        .count();
    let side = match value.total_cmp(&reference) {
        Ordering::Greater => "above",
        Ordering::Equal => "level with",
        Ordering::Less => "below",
    };
    format!(
        "Highest return among models: {}, {}, {side} the S&P 500 ({}). {} of {} were above it.",
        name(0),
        signed_percent(value),
        signed_percent(reference),
        above,
        count(resolved.models.len(), "model", "models"),
    )
}
