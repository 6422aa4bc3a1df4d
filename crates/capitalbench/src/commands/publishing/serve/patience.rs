//! How long a peer is waited for that takes too little.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep};

/// How long all waiting for a peer may take together until it has taken enough.
const TAKES_WITHIN: Duration = Duration::from_secs(30);
/// What is enough: about a kilobyte a second, so that nobody holds a connection by single bytes.
const TAKES_AT_LEAST: usize = 32 << 10;

/// The limit on how long the peer of a connection may be waited for.
///
/// Only time in which a write has to wait counts, so a peer that takes every answer at once may ask
/// for small ones for as long as it likes.
pub(super) struct Patience {
    /// Since when a write waits.
    waiting: Option<Instant>,
    /// How long writes waited, and how much was taken, since enough was taken last.
    waited: Duration,
    taken: usize,
    limit: Pin<Box<Sleep>>,
}

impl Patience {
    pub(super) fn new() -> Self {
        Self {
            waiting: None,
            waited: Duration::ZERO,
            taken: 0,
            limit: Box::pin(sleep(TAKES_WITHIN)),
        }
    }

    /// Passes a result on, or gives up when too little was taken within the limit.
    pub(super) fn within(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(result) = written {
            if let Some(since) = self.waiting.take() {
                self.waited += since.elapsed();
            }
            self.taken += result.as_ref().map_or(0, |count| *count);
            if self.taken >= TAKES_AT_LEAST {
                (self.waited, self.taken) = (Duration::ZERO, 0);
            }
            return Poll::Ready(result);
        }
        if self.waiting.is_none() {
            let now = Instant::now();
            self.waiting = Some(now);
            let left = TAKES_WITHIN.saturating_sub(self.waited);
            self.limit.as_mut().reset(now + left);
        }
        ready!(self.limit.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

#[cfg(test)]
mod tests;
