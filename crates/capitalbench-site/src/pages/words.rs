//! Sentences made from figures; none claims more than its figures show.

use std::cmp::Ordering;

use capitalbench_core::evidence::claim::{Claim, retired_sentence};
use capitalbench_core::publication::boards::comparison_set::{ComparisonSet, SetRow};
use capitalbench_core::publication::{PublicRound, ResolvedRound, RoundState};
use capitalbench_core::round::lifecycle::Due;
use capitalbench_core::values::ids::ModelId;

use super::view::View;

use crate::figures::{count, day, signed_percent};
use crate::html::Html;
use crate::page::Page;

/// What a set may claim: how many models are below the S&P 500, then which ones can be told apart.
pub(crate) fn claim(view: &View<'_>, page: &mut Page, set: &ComparisonSet) {
    let models = set.rows.len();
    let count = |holds: fn(&SetRow) -> bool| set.rows.iter().filter(|row| holds(row)).count();
    let under = count(|row| row.average_alpha < 0.0);
    let first = match under {
        0 if count(|row| row.average_alpha > 0.0) == models => {
            "Every model is above the S&P 500".to_owned()
        }
        0 => "No model is below the S&P 500".to_owned(),
        all if all == models => "Every model is below the S&P 500".to_owned(),
        some => format!("{some} of {models} models are below the S&P 500"),
    };
    let name = |id: &ModelId| view.name(id).to_owned();
    let told = view.statistics(set);
    let told = told.map(|found| format!(" {}", Claim::of(found).sentence("S&P 500", name)));
    let gone = view.statistics(set);
    let gone = gone.and_then(|found| retired_sentence(&found.retired, "S&P 500", name));
    let gone = gone.map_or(String::new(), |gone| format!(" {gone}"));
    let mut words = Html::text(&format!("{first}.{}{gone} ", told.unwrap_or_default()));
    words.add(&page.here.link("method/statistics/", "Why?"));
    page.body.paragraph("claim", words);
}

pub(crate) fn state(round: &PublicRound) -> &'static str {
    match &round.state {
        RoundState::Draft => "draft",
        RoundState::Ended(tombstone) => tombstone.ending.as_str(),
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
        (RoundState::Ended(_), _) => "none; it ended without a record".to_owned(),
        (RoundState::Draft, _) => {
            let deadline = round.manifest.decision_deadline.as_ref();
            deadline.map_or_else(
                || "models are asked".to_owned(),
                |deadline| format!("models decide by {}", deadline.text()),
            )
        }
        (RoundState::Open(_), None) => "the result; its day is not set yet".to_owned(),
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
