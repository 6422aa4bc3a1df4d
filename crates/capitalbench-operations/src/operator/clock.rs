//! The only clock of the program.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

/// The given instant, or now.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the clock"
)]
pub fn now_or(given: Option<Timestamp>) -> Timestamp {
    given.unwrap_or_else(Timestamp::now)
}

/// The latest instant that this process was shown, in seconds since 1970.
static LATEST: AtomicI64 = AtomicI64::new(i64::MIN);

/// The given instant, or the latest one before it: the instants that this process records one after
/// the other do not run backwards when somebody sets the machine's clock.
fn not_before_the_last(now: Timestamp) -> Timestamp {
    let latest = LATEST.fetch_max(now.as_second(), Ordering::Relaxed);
    Timestamp::from_second(latest).map_or(now, |latest| now.max(latest))
}

#[derive(Debug, Clone, Copy)]
pub enum Clock {
    /// Starts at the given instant and advances as time passes: setting the machine's clock does
    /// not move it.
    From(Timestamp, Instant),
    /// Stands at the given instant: everything happens at once, and no wait takes time. Rehearsals
    /// go by it, so that the same steps write the same bytes.
    Still(Timestamp),
    /// The machine's clock, which other machines share.
    Wall,
}

impl Clock {
    pub fn starting_at(given: Option<Timestamp>) -> Self {
        given.map_or(Self::Wall, |start| Self::From(start, Instant::now()))
    }

    /// Whether waiting brings a later instant nearer.
    pub fn advances(self) -> bool {
        !matches!(self, Self::Still(_))
    }

    /// Waits where waiting takes time.
    pub async fn pause(self, wait: Duration) {
        if self.advances() {
            tokio::time::sleep(wait).await;
        }
    }

    pub fn now(self) -> Timestamp {
        match self {
            Self::Still(at) => at,
            Self::Wall => not_before_the_last(now_or(None)),
            Self::From(start, since) => {
                let passed = SignedDuration::try_from(since.elapsed());
                let passed = passed.unwrap_or(SignedDuration::MAX);
                start.checked_add(passed).unwrap_or(Timestamp::MAX)
            }
        }
    }
}
