//! The bytes of a file as they are sent: from what was asked for lately, from where they lie, or packed.

use std::io::{self, Read as _, Write as _};

use capitalbench_archive::disk::file_ops::spool::{Slice, Spool};
use capitalbench_core::values::ids::{Digest, Digesting};
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::body::Bytes;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

use super::body::Sent;
use super::hot::{Coding, Held, Hot};
use super::stock::Found;

/// Smaller bodies are sent as they are.
const LEAST_GZIP: u64 = 600;
/// Larger files, and packed ones that are larger, are never in memory as a whole.
const MOST_WHOLE: u64 = 1 << 20;

/// Bodies in the making.
#[derive(Default)]
pub(super) struct Bodies {
    hot: Hot,
    /// One large file is packed at a time: it takes seconds, and the next one may be the same.
    packing: Mutex<()>,
}

impl Bodies {
    /// The bytes of a file, packed where that is asked for and pays; none when they are others by now.
    pub(super) async fn of(&self, file: &Found, packed: bool) -> Option<(Sent, Coding)> {
        if packed && file.kept.length >= LEAST_GZIP {
            let held = if file.kept.length > MOST_WHOLE {
                self.packed_large(file).await
            } else {
                self.packed(file)
            };
            match held? {
                Held::Whole(bytes) => return Some((Sent::Whole(bytes), Coding::Gzip)),
                Held::Spooled(slice) => return Some((Sent::file(slice, None), Coding::Gzip)),
                Held::Useless => {}
            }
        }
        let sent = if file.kept.length <= MOST_WHOLE {
            Sent::Whole(self.plain(file)?)
        } else {
            let guard = file.is_foreign().then_some(file.kept.digest);
            Sent::file(file.open()?, guard)
        };
        Some((sent, Coding::Plain))
    }

    /// A small file; it is compared with its digest before a byte of it is sent.
    fn plain(&self, file: &Found) -> Option<Bytes> {
        let digest = file.kept.digest;
        if let Some(Held::Whole(bytes)) = self.hot.find(digest, Coding::Plain) {
            return Some(bytes);
        }
        let bytes = file.open()?.bytes().ok()?;
        if file.is_foreign() && Digest::of(&bytes) != digest {
            return None;
        }
        let bytes = Bytes::from(bytes);
        let held = Held::Whole(bytes.clone());
        self.hot.keep(digest, Coding::Plain, held);
        Some(bytes)
    }

    fn packed(&self, file: &Found) -> Option<Held> {
        let digest = file.kept.digest;
        if let Some(held) = self.hot.find(digest, Coding::Gzip) {
            return Some(held);
        }
        let packed = compressed(&self.plain(file)?);
        let held = packed.map_or(Held::Useless, Held::Whole);
        self.hot.keep(digest, Coding::Gzip, held.clone());
        Some(held)
    }

    /// A large file, packed into another one beside the threads that answer.
    async fn packed_large(&self, file: &Found) -> Option<Held> {
        let digest = file.kept.digest;
        if let Some(held) = self.hot.find(digest, Coding::Gzip) {
            return Some(held);
        }
        let _turn = self.packing.lock().await;
        if let Some(held) = self.hot.find(digest, Coding::Gzip) {
            return Some(held);
        }
        let slice = file.open()?;
        let (length, foreign) = (file.kept.length, file.is_foreign());
        let packing = spawn_blocking(move || pack(&slice)).await;
        // Where nothing can be set aside, the file is sent as it is.
        let Ok(Ok((packed, told))) = packing else {
            return Some(Held::Useless);
        };
        if foreign && told != digest {
            return None;
        }
        let held = if packed.length() >= length {
            Held::Useless
        } else if packed.length() <= MOST_WHOLE {
            Held::Whole(packed.bytes().ok()?.into())
        } else {
            Held::Spooled(packed)
        };
        self.hot.keep(digest, Coding::Gzip, held.clone());
        Some(held)
    }
}

/// A file packed into another one, and the digest of what was packed.
fn pack(slice: &Slice) -> io::Result<(Slice, Digest)> {
    let mut told = Digesting::default();
    let mut encoder = GzEncoder::new(Spool::new()?, Compression::new(6));
    let mut reader = slice.reader();
    let mut piece = vec![0; 64 << 10];
    loop {
        let count = reader.read(&mut piece)?;
        if count == 0 {
            break;
        }
        told.add(&piece[..count]);
        encoder.write_all(&piece[..count])?;
    }
    Ok((encoder.finish()?.whole(), told.finish()))
}

/// The same bytes packed, where that pays.
pub(super) fn compressed(body: &[u8]) -> Option<Bytes> {
    if (body.len() as u64) < LEAST_GZIP {
        return None;
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(body).ok()?;
    let packed = encoder.finish().ok()?;
    (packed.len() < body.len()).then(|| packed.into())
}
