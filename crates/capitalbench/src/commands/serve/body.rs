//! What is sent: bytes in memory, or a file piece by piece.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use capitalbench_archive::file_ops::spool::Slice;
use capitalbench_core::ids::{Digest, Digesting};
use hyper::body::{Body, Bytes, Frame, SizeHint};

/// How much of a file is read at a time.
const PIECE: usize = 64 << 10;

/// The body of an answer.
pub(super) enum Sent {
    /// All of it at once.
    Whole(Bytes),
    /// Piece by piece.
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
    /// A file of our own making.
    pub(super) fn spooled(slice: Slice) -> Self {
        Self::Pieces(Pieces {
            slice,
            at: 0,
            guard: None,
        })
    }

    /// A file that must have this digest.
    pub(super) fn guarded(slice: Slice, digest: Digest) -> Self {
        Self::Pieces(Pieces {
            slice,
            at: 0,
            guard: Some((Digesting::default(), digest)),
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
mod tests {
    use super::*;
    use capitalbench_archive::file_ops::spool::Spool;
    use http_body_util::BodyExt as _;

    fn slice(bytes: &[u8]) -> Slice {
        Spool::new().unwrap().put(bytes).unwrap()
    }

    #[tokio::test]
    async fn a_file_is_sent_in_pieces_and_broken_off_when_it_is_another() {
        let bytes: Vec<u8> = (0..200_000_u32).map(|i| (i % 251) as u8).collect();
        let digest = Digest::of(&bytes);
        for sent in [
            Sent::Whole(bytes.clone().into()),
            Sent::spooled(slice(&bytes)),
            Sent::guarded(slice(&bytes), digest),
        ] {
            assert_eq!(sent.size_hint().exact(), Some(200_000));
            let whole = sent.collect().await.unwrap().to_bytes();
            assert!(whole == bytes);
        }
        let mut other = bytes.clone();
        other[3] = 250;
        let mut sent = Sent::guarded(slice(&other), digest);
        let mut seen = 0;
        let fault = loop {
            match sent.frame().await.expect("a piece or a fault") {
                Ok(piece) => seen += piece.into_data().unwrap().len(),
                Err(fault) => break fault,
            }
        };
        assert!(seen < 200_000, "{fault}");
    }
}
