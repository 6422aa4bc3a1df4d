//! Numbers as people read them on boards, pages and terminals.

use std::fmt::Write as _;

pub use capitalbench_core::evidence::explanation::words::ordinal;
use capitalbench_core::publication::boards::comparison_set::ComparisonSet;
use capitalbench_core::publication::boards::first_board::Absence;
use capitalbench_core::publication::calls::CostSum;
use capitalbench_core::publication::{PublicRound, Publication};
use capitalbench_core::result::score::Score;

/// The warning beside figures of an invented market.
pub const SYNTHETIC: &str = "synthetic, nothing here is real";

/// A fraction as a percentage with its sign: `+1.25 %`.
pub fn percent(fraction: f64) -> String {
    signed(fraction * 100.0, 2, " %")
}

/// A fraction as percentage points with its sign: `−0.31`.
pub fn points(fraction: f64) -> String {
    signed(fraction * 100.0, 2, "")
}

/// A share without a sign: `56 %`.
pub fn share(fraction: f64) -> String {
    format!("{:.0} %", fraction * 100.0)
}

/// What calls cost, which providers bill in US dollars; four digits below one.
pub fn dollars(value: f64) -> String {
    if value.abs() < 1.0 {
        format!("{value:.4}\u{a0}USD")
    } else {
        format!("{value:.2}\u{a0}USD")
    }
}

/// What several models cost together, as a sentence; nothing for no models.
pub fn cost_sentence(sum: CostSum) -> Option<String> {
    let models = if sum.models == 1 { "model" } else { "models" };
    let (unknown, all) = (sum.unknown, sum.models);
    if all == 0 {
        return None;
    }
    let Some(known) = sum.known_usd else {
        return Some(format!("Cost unknown for {unknown} of {all} {models}."));
    };
    let mut text = format!("Known cost {}", dollars(known));
    // Writing to a String cannot fail.
    if unknown > 0 {
        let _ = write!(text, "; cost unknown for {unknown} of {all} {models}");
    }
    if sum.incomplete > 0 {
        let part = sum.incomplete;
        let _ = write!(text, "; known only in part for {part} of {all} {models}");
    }
    Some(text + ".")
}

/// Digits with a sign; zero has no sign.
fn signed(value: f64, digits: usize, unit: &str) -> String {
    let text = format!("{:.digits$}", value.abs());
    let zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let sign = match (zero, value < 0.0) {
        (true, _) => "",
        (false, true) => "−",
        (false, false) => "+",
    };
    format!("{sign}{text}{unit}")
}

/// A score with one digit, or a dash.
pub fn score(score: Score) -> String {
    match score {
        Score::Points(points) => {
            let text = signed(points, 1, "");
            text.trim_start_matches('+').to_owned()
        }
        Score::Undefined(_) => "–".to_owned(),
    }
}

/// Why a model of the newest roster has no result in some rounds, a sentence each.
pub fn absence_sentences(absence: &Absence, name: &str) -> Vec<String> {
    let mut told = Vec::new();
    if let Some(day) = absence.joined {
        told.push(format!("{name} joined on {day}."));
    }
    let rounds = absence.rounds;
    let unanswered: usize = absence.no_answer.values().sum();
    if unanswered > 0 {
        let reasons = absence.no_answer.iter().map(|(why, count)| {
            if *count == unanswered {
                why.meaning().to_owned()
            } else {
                format!("{} ({count})", why.meaning())
            }
        });
        let reasons = reasons.collect::<Vec<_>>().join(", ");
        told.push(format!(
            "{name}: no valid answer in {unanswered} of {rounds} rounds: {reasons}."
        ));
    }
    if absence.not_asked > 0 {
        let count = absence.not_asked;
        told.push(format!(
            "{name} was not asked in {count} of {rounds} rounds."
        ));
    }
    told
}

/// The name of a set's reference; `reference` if no round of the set is known.
pub fn reference_name<'a>(publication: &'a Publication, set: &ComparisonSet) -> &'a str {
    let round = set.included.first().and_then(|id| publication.round(id));
    round.map_or("reference", reference_of)
}

/// The name of a round's reference.
pub fn reference_of(round: &PublicRound) -> &str {
    &round.universe.reference().name
}

#[cfg(test)]
mod tests;
