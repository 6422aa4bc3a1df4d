//! The only clock.

use std::time::Instant;

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
pub(crate) enum Clock {
    /// From the given instant on as time passes: setting the machine's clock does not move it.
    From(Timestamp, Instant),
    /// The machine's clock, which other machines share.
    Wall,
}

impl Clock {
    pub(crate) fn starting_at(given: Option<Timestamp>) -> Self {
        given.map_or(Self::Wall, |start| Self::From(start, Instant::now()))
    }

    pub(crate) fn now(self) -> Timestamp {
        match self {
            Self::Wall => now_or(None),
            Self::From(start, since) => {
                let passed = SignedDuration::try_from(since.elapsed());
                let passed = passed.unwrap_or(SignedDuration::MAX);
                start.checked_add(passed).unwrap_or(Timestamp::MAX)
            }
        }
    }
}
