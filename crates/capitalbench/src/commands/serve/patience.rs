//! A stream that gives up on a peer that takes nothing for too long.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// How long a peer may take nothing of an answer.
const TAKES_WITHIN: Duration = Duration::from_secs(30);

/// A stream with a limit on how long one write may wait.
pub(super) struct Patient<S> {
    stream: S,
    waiting: bool,
    limit: Pin<Box<Sleep>>,
}

impl<S> Patient<S> {
    pub(super) fn new(stream: S) -> Self {
        Self {
            stream,
            waiting: false,
            limit: Box::pin(sleep(TAKES_WITHIN)),
        }
    }

    /// Passes a result on, or gives up when nothing was taken within the limit.
    fn within<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = false;
            return written;
        }
        if !self.waiting {
            self.waiting = true;
            self.limit.as_mut().reset(Instant::now() + TAKES_WITHIN);
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
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt as _;

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_takes_nothing_is_given_up() {
        let (near, far) = tokio::io::duplex(16);
        let mut patient = Patient::new(near);
        let fault = patient.write_all(&[0; 64]).await.expect_err("a limit");
        assert_eq!(fault.kind(), io::ErrorKind::TimedOut);
        drop(far);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_peer_is_waited_for() {
        use tokio::io::AsyncReadExt as _;
        let (near, mut far) = tokio::io::duplex(16);
        let mut patient = Patient::new(near);
        let reading = tokio::spawn(async move {
            let mut taken = [0; 16];
            for _ in 0..4 {
                sleep(TAKES_WITHIN / 2).await;
                far.read_exact(&mut taken).await.expect("bytes");
            }
        });
        patient.write_all(&[0; 64]).await.expect("all taken");
        reading.await.expect("a reader");
    }
}
