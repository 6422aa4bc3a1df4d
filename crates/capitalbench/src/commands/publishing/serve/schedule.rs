//! When a site that follows the clock says something else although no file changed.

use capitalbench_core::publication::Publication;
use capitalbench_core::round::lifecycle::overdue_from;
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
mod tests;
