//! The only clock.

use jiff::{SignedDuration, Timestamp};

/// The given instant, or now.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that asks the clock"
)]
pub(crate) fn now_or(given: Option<Timestamp>) -> Timestamp {
    given.unwrap_or_else(Timestamp::now)
}

/// A clock that starts at a given instant, or goes like everybody's.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    ahead: SignedDuration,
}

impl Clock {
    pub(crate) fn starting_at(given: Option<Timestamp>) -> Self {
        let real = now_or(None);
        Self {
            ahead: given.unwrap_or(real).duration_since(real),
        }
    }

    pub(crate) fn now(self) -> Timestamp {
        let real = now_or(None);
        real.checked_add(self.ahead).unwrap_or(real)
    }
}
