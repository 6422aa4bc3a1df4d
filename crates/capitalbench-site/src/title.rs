//! What people call a round: its kind and its window. The code of the round comes second.

use capitalbench_core::publication::PublicRound;
use capitalbench_core::round::manifest::{Track, Window};
use jiff::civil::Date;

/// Such as `Week of 5–12 August 2026`; the code where neither window nor day is known.
pub(crate) fn title(round: &PublicRound) -> String {
    let kind = match round.track {
        Some(Track::Weekly) => "Week",
        Some(Track::Monthly) => "Month",
        None => "Round",
    };
    let manifest = &round.manifest;
    match (manifest.window, manifest.decision_date) {
        (Some(window), _) => format!("{kind} of {}", span(window)),
        (None, Some(day)) => format!("{kind} decided on {}", written(day)),
        (None, None) => round.id().to_string(),
    }
}

/// Both days of a window, without repeating the month and the year.
pub(crate) fn span(window: Window) -> String {
    let Window { entry, exit, .. } = window;
    let first = match (entry.year() == exit.year(), entry.month() == exit.month()) {
        (true, true) => entry.day().to_string(),
        (true, false) => entry.strftime("%-d %B").to_string(),
        (false, _) => written(entry),
    };
    format!("{first}–{}", written(exit))
}

/// A day in words, such as `5 August 2026`.
pub(crate) fn written(day: Date) -> String {
    day.strftime("%-d %B %Y").to_string()
}

#[cfg(test)]
mod tests;
