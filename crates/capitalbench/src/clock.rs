//! The only clock.

use jiff::Timestamp;

/// The given instant, or now.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that asks the clock"
)]
pub(crate) fn now_or(given: Option<Timestamp>) -> Timestamp {
    given.unwrap_or_else(Timestamp::now)
}
