//! Numbers as people read them on boards, pages and terminals.

use capitalbench_core::publication::boards::comparison_set::ComparisonSet;
use capitalbench_core::publication::{PublicRound, Publication};
use capitalbench_core::result::score::Score;

/// What is said of rounds of an invented market.
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

/// Digits with a sign; what rounds to zero has none.
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

/// A percentile as an ordinal: `71st`.
pub fn ordinal(fraction: f64) -> String {
    let number = (fraction * 100.0).round();
    let text = format!("{number:.0}");
    let ending = match text.as_bytes() {
        [.., b'1', _] => "th",
        [.., b'1'] => "st",
        [.., b'2'] => "nd",
        [.., b'3'] => "rd",
        _ => "th",
    };
    format!("{text}{ending}")
}

/// What the reference of a set is called; `reference` where its rounds are not known.
pub fn reference_name<'a>(publication: &'a Publication, set: &ComparisonSet) -> &'a str {
    let round = set.included.first().and_then(|id| publication.round(id));
    round.map_or("reference", reference_of)
}

/// What the reference of a round is called.
pub fn reference_of(round: &PublicRound) -> &str {
    &round.universe.reference().name
}

#[cfg(test)]
mod tests;
