//! A stream that gives up on a peer that takes too little for too long.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// How long all waiting for a peer may take together until it has taken enough.
const TAKES_WITHIN: Duration = Duration::from_secs(30);
/// What is enough: about a kilobyte a second, so that nobody holds a connection by single bytes.
const TAKES_AT_LEAST: usize = 32 << 10;

/// A stream with a limit on how long its peer may be waited for.
///
/// Only time in which a write has to wait counts, so a peer that takes every answer at once may ask
/// for small ones for as long as it likes.
pub(super) struct Patient<S> {
    stream: S,
    /// Since when a write waits.
    waiting: Option<Instant>,
    /// How long writes waited, and how much was taken, since enough was taken last.
    waited: Duration,
    taken: usize,
    limit: Pin<Box<Sleep>>,
}

impl<S> Patient<S> {
    pub(super) fn new(stream: S) -> Self {
        Self {
            stream,
            waiting: None,
            waited: Duration::ZERO,
            taken: 0,
            limit: Box::pin(sleep(TAKES_WITHIN)),
        }
    }

    /// Passes a result on, or gives up when too little was taken within the limit.
    fn within(
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

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.within(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.within(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests;
