//! The stream of a connection: it gives up on a peer that takes too little for too long, and its
//! first answer carries our headers even when the request could not be read.
//!
//! What cannot be read as a request never reaches [`super::answer`]: the protocol answers by itself
//! with a bare 400, 414 or 431 and closes. As long as no request was read on a connection, such an
//! answer is all that can be written to it, so it is replaced by one with the headers that every
//! answer carries and a sentence that says what was wrong.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use hyper::StatusCode;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::answer::refusal;
use super::patience::Patience;

/// Whether a request was read on a connection.
pub(super) type Read = Arc<AtomicBool>;

/// The stream of one connection.
pub(super) struct FirstWord<S> {
    stream: S,
    patience: Patience,
    read: Read,
    /// What is written in place of the protocol's own answer, and how much of it is out.
    instead: Option<(Vec<u8>, usize)>,
}

impl<S> FirstWord<S> {
    pub(super) fn new(stream: S, read: Read) -> Self {
        Self {
            stream,
            patience: Patience::new(),
            read,
            instead: None,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for FirstWord<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for FirstWord<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let own = &mut *self;
        if own.read.load(Ordering::Relaxed) {
            let written = Pin::new(&mut own.stream).poll_write(context, bytes);
            return own.patience.within(context, written);
        }
        let (instead, out) = own.instead.get_or_insert_with(|| (replaced(bytes), 0));
        while *out < instead.len() {
            let rest = &instead[*out..];
            let written = Pin::new(&mut own.stream).poll_write(context, rest);
            let written = ready!(own.patience.within(context, written))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            *out += written;
        }
        own.instead = None;
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.read.load(Ordering::Relaxed) {
            let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
            return self.patience.within(context, written);
        }
        let first = parts.iter().find(|part| !part.is_empty());
        self.poll_write(context, first.map_or(&[], |part| part))
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

/// The protocol's own refusal as one of ours; anything else stays as it is.
fn replaced(bytes: &[u8]) -> Vec<u8> {
    let status = bytes
        .strip_prefix(b"HTTP/1.1 ")
        .and_then(|rest| StatusCode::from_bytes(rest.get(..3)?).ok())
        .filter(StatusCode::is_client_error);
    let Some(status) = status else {
        return bytes.to_vec();
    };
    as_bytes(status)
}

/// A refusal with all its headers, as it is written before a connection is closed.
pub(super) fn as_bytes(status: StatusCode) -> Vec<u8> {
    let answer = refusal(status);
    let mut head = format!("HTTP/1.1 {status}\r\nconnection: close\r\n").into_bytes();
    for (name, value) in answer.headers() {
        head.extend_from_slice(name.as_str().as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value.as_bytes());
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    head.extend_from_slice(answer.body());
    head
}

#[cfg(test)]
mod tests;
