//! Sentences made from figures; none claims more than its figures show.

use std::cmp::Ordering;

use capitalbench_core::evidence::claim::{Claim, retired_sentence};
use capitalbench_core::publication::boards::comparison_set::{ComparisonSet, SetRow};
use capitalbench_core::publication::{OpenRound, PublicRound, ResolvedRound, RoundState, Standing};
use capitalbench_core::round::lifecycle::Due;
use capitalbench_core::values::ids::ModelId;
use jiff::Timestamp;

use super::view::View;

use crate::figures::{count, count as number_of, decimal, instant, signed_percent};
use crate::html::Html;
use crate::page::Page;
use crate::title::written;

/// What a set may claim: how many models are below the reference, then which ones can be told apart.
pub(crate) fn claim(view: &View<'_>, page: &mut Page, set: &ComparisonSet) {
    let (reference, the) = (view.reference.to_string(), view.reference.the());
    let models = set.rows.len();
    let count = |holds: fn(&SetRow) -> bool| set.rows.iter().filter(|row| holds(row)).count();
    let under = count(|row| row.average_alpha < 0.0);
    let first = match under {
        0 if count(|row| row.average_alpha > 0.0) == models => {
            format!("every model was above {the}")
        }
        0 => format!("no model was below {the}"),
        all if all == models => format!("every model was below {the}"),
        some => format!("{some} of {models} models were below {the}"),
    };
    let name = |id: &ModelId| view.name(id).to_owned();
    let told = view.statistics(set);
    let told = told.map(|found| format!(" {}", Claim::of(found).sentence(&reference, name)));
    let gone = view.statistics(set);
    let gone = gone.and_then(|found| retired_sentence(&found.retired, &reference, name));
    let gone = gone.map_or(String::new(), |gone| format!(" {gone}"));
    let rounds = number_of(set.included.len(), "shared round", "shared rounds");
    let worth = view.statistics(set).map_or(String::new(), |found| {
        let windows = decimal(found.effective_windows, 1);
        format!(", which tell as much as {windows} that do not overlap,")
    });
    let told = told.unwrap_or_default();
    let mut words = Html::text(&format!("Over {rounds}{worth} {first}.{told}{gone} "));
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

/// A number of things at the beginning of a sentence.
pub(crate) fn number_word(number: usize) -> String {
    const WORDS: [&str; 13] = [
        "No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten",
        "Eleven", "Twelve",
    ];
    let word = WORDS.get(number).map(|word| (*word).to_owned());
    word.unwrap_or_else(|| number.to_string())
}

/// What happens next in a round; nothing that lies before the instant of the publication.
pub(crate) fn next_event(view: &View<'_>, round: &PublicRound) -> String {
    let window = round.manifest.window;
    let as_of = view.publication.as_of;
    let passed = |close: Option<Timestamp>| close.is_some_and(|close| close <= as_of);
    match (&round.state, window) {
        (RoundState::Resolved(_), _) => "none; the result is final".to_owned(),
        (RoundState::Ended(_), _) => "none; it ended without a record".to_owned(),
        (RoundState::Draft, _) => match round.manifest.decision_deadline.as_ref() {
            Some(deadline) if deadline.at() <= as_of => {
                "none; the deadline passed without a run that counts".to_owned()
            }
            Some(deadline) => format!("models decide by {}", instant(deadline.at())),
            None => "models are asked".to_owned(),
        },
        (RoundState::Open(_), None) => "the result; its day is not set yet".to_owned(),
        (RoundState::Open(open), Some(window)) if open.due == Due::Overdue => {
            format!("the result, due since {}", written(window.exit))
        }
        (RoundState::Open(_), Some(window)) if passed(window.exit_close()) => {
            format!("the result; the window ended on {}", written(window.exit))
        }
        (RoundState::Open(_), Some(window)) if !passed(window.entry_close()) => {
            format!("starting close of {}", written(window.entry))
        }
        (RoundState::Open(_), Some(window)) => {
            format!("result after the close of {}", written(window.exit))
        }
    }
}

/// Why an open round shows no provisional figures.
pub(crate) fn no_snapshot(open: &OpenRound) -> &'static str {
    match open.due {
        Due::NotYet => "There is no snapshot of prices inside the window yet.",
        Due::Overdue => "No snapshot of prices was taken inside the window.",
    }
}

/// The models that share the first place of a round.
pub(crate) fn firsts(resolved: &ResolvedRound) -> &[Standing] {
    let places = super::round::places(&resolved.models);
    let first = places.first();
    let tied = places.iter().take_while(|place| Some(*place) == first);
    &resolved.models[..tied.count()]
}

/// Who had the highest return: one model, or all that are tied.
pub(crate) fn highest(view: &View<'_>, resolved: &ResolvedRound) -> String {
    let tied = firsts(resolved);
    let names = view.names(tied.iter().map(Standing::model_id));
    match tied.len() {
        0 => "no model".to_owned(),
        1 => names,
        many => format!("{many} models tied ({names})"),
    }
}

/// The result of a round in a sentence.
pub(crate) fn result(view: &View<'_>, resolved: &ResolvedRound) -> String {
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
        "Highest return among models: {}, {}, {side} {} ({}). {} of {} were above it.",
        highest(view, resolved),
        signed_percent(value),
        view.reference.the(),
        signed_percent(reference),
        above,
        count(resolved.models.len(), "model", "models"),
    )
}
