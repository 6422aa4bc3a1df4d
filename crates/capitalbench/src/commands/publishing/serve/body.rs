//! What is sent: bytes in memory, or a file piece by piece.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use capitalbench_archive::disk::file_ops::spool::Slice;
use capitalbench_core::values::ids::{Digest, Digesting};
use hyper::body::{Body, Bytes, Frame, SizeHint};

/// How much of a file is read at a time.
const PIECE: usize = 64 << 10;

/// The body of an answer.
pub(super) enum Sent {
    /// All of it at once.
    Whole(Bytes),
    Pieces(Pieces),
}

/// A file on its way.
pub(super) struct Pieces {
    slice: Slice,
    at: u64,
    /// What was sent so far, and what all of it must be; an answer whose file changed on the way is
    /// broken off before its last piece.
    guard: Option<(Digesting, Digest)>,
}

impl Sent {
    /// A file; one that somebody else may change must have this digest.
    pub(super) fn file(slice: Slice, digest: Option<Digest>) -> Self {
        Self::Pieces(Pieces {
            slice,
            at: 0,
            guard: digest.map(|digest| (Digesting::default(), digest)),
        })
    }

    pub(super) fn length(&self) -> u64 {
        match self {
            Self::Whole(bytes) => bytes.len() as u64,
            Self::Pieces(pieces) => pieces.slice.length() - pieces.at,
        }
    }
}

impl Pieces {
    fn next(&mut self) -> io::Result<Bytes> {
        let bytes = self.slice.read(self.at, PIECE)?;
        self.at += bytes.len() as u64;
        if let Some((told, _)) = &mut self.guard {
            told.add(&bytes);
        }
        if self.at == self.slice.length()
            && let Some((told, digest)) = self.guard.take()
            && told.finish() != digest
        {
            return Err(io::Error::other("the file has changed"));
        }
        Ok(bytes.into())
    }
}

impl Body for Sent {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.is_end_stream() {
            return Poll::Ready(None);
        }
        let next = match &mut *self {
            Self::Whole(bytes) => Ok(std::mem::take(bytes)),
            Self::Pieces(pieces) => pieces.next(),
        };
        Poll::Ready(Some(next.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.length() == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.length())
    }
}

#[cfg(test)]
mod tests;
