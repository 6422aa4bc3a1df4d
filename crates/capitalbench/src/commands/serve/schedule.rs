//! When a site that follows the clock says something else although no file changed.

use capitalbench_core::lifecycle::overdue_from;
use capitalbench_core::publication::Publication;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// A round that is not public yet tells nobody when it will be, so the site looks again by then.
const AT_THE_LATEST: SignedDuration = SignedDuration::from_mins(10);

/// The next instant at which the publication may differ: a close of a window, a day after it, midnight, or soon.
pub(super) fn next_change(publication: &Publication) -> Timestamp {
    let now = publication.as_of;
    let windows = publication
        .rounds
        .iter()
        .filter_map(|round| round.manifest.window);
    let closes = windows.flat_map(|window| {
        let exit = window.exit_close();
        [window.entry_close(), exit, exit.map(overdue_from)]
    });
    let midnight = now
        .to_zoned(TimeZone::UTC)
        .date()
        .tomorrow()
        .ok()
        .and_then(|day| day.to_zoned(TimeZone::UTC).ok())
        .map(|midnight| midnight.timestamp());
    let known = closes.flatten().chain(midnight);
    known
        .filter(|at| *at > now)
        .chain([later(now)])
        .min()
        .unwrap_or(now)
}

/// The instant at which a site is made anew whatever is known.
pub(super) fn later(now: Timestamp) -> Timestamp {
    now.checked_add(AT_THE_LATEST).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use capitalbench_archive::public_record::publication;
    use std::path::Path;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("an instant")
    }

    #[test]
    fn the_next_close_is_waited_for_and_nothing_for_long() {
        let rounds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/rounds");
        let next = |now: &str| {
            let found = publication(&rounds, at(now), &|| ()).expect("a publication");
            next_change(&found)
        };
        // The exit close of the weekly fixture: four in the afternoon in New York.
        assert_eq!(next("2026-03-09T19:55:00Z"), at("2026-03-09T20:00:00Z"));
        assert_eq!(next("2026-03-09T20:00:00Z"), at("2026-03-09T20:10:00Z"));
        assert_eq!(next("2026-03-09T23:56:00Z"), at("2026-03-10T00:00:00Z"));
        // A day later a round without a result is overdue.
        assert_eq!(next("2026-03-10T19:56:00Z"), at("2026-03-10T20:00:00Z"));
    }
}
