//! [`Backoff`]: how long to pause before a question is repeated.

use std::time::Duration;

/// The first pause doubles with every failure; whoever asks for a longer one gets it.
///
/// What may be repeated, and how often, is decided elsewhere: for models by
/// [`capitalbench_core::asking::attempt::next_step`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    pub first: Duration,
}

impl Backoff {
    pub const SECOND: Self = Self {
        first: Duration::from_secs(1),
    };

    /// The pause after so many failures in a row.
    pub fn pause(self, failures: u32, asked_for: Option<Duration>) -> Duration {
        let doublings = failures.saturating_sub(1).min(20);
        let own = self.first.saturating_mul(1 << doublings);
        own.max(asked_for.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests;
