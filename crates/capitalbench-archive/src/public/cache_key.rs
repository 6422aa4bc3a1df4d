//! The secret of this machine under which it keeps what it computed.
//!
//! A cache lies in the folder of rounds and travels with it. What another machine wrote there, or
//! somebody by hand, does not have the tag of this secret and is as good as absent.

use std::fmt;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use capitalbench_core::values::ids::Digest;
use capitalbench_proof::note::hmac_sha256;

use crate::disk::file_ops;

/// Bytes of a tag behind what it vouches for.
pub const TAG: usize = 32;

/// A secret of 32 bytes; it is never printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct CacheKey([u8; 32]);

impl CacheKey {
    /// A secret that is known already.
    pub const fn new(secret: [u8; 32]) -> Self {
        Self(secret)
    }

    /// The secret in a file; where there is none, `fresh` is kept there for its owner alone.
    ///
    /// None when the file cannot be made, is no secret, or may be read by others: then nothing is
    /// taken from a cache.
    pub fn load_or_create(file: &Path, fresh: [u8; 32]) -> Option<Self> {
        if let Some(key) = Self::load(file) {
            return Some(key);
        }
        file_ops::create_folder(file.parent()?).ok()?;
        // Another process may have made one in between; the one that is there counts.
        let _ = file_ops::create_private(file, &fresh);
        Self::load(file)
    }

    fn load(file: &Path) -> Option<Self> {
        let found = fs::symlink_metadata(file).ok()?;
        if !found.is_file() || found.permissions().mode() & 0o077 != 0 {
            return None;
        }
        let bytes = file_ops::read(file).ok()?;
        Some(Self(bytes.try_into().ok()?))
    }

    /// HMAC-SHA-256 over the name of a file and the digest of its bytes.
    pub fn tag(&self, name: &str, bytes: &[u8]) -> [u8; TAG] {
        hmac_sha256(&self.0, &[&Digest::of(bytes).bytes(), name.as_bytes()])
    }

    /// Bytes with their tag behind them.
    pub fn seal(&self, name: &str, mut bytes: Vec<u8>) -> Vec<u8> {
        let tag = self.tag(name, &bytes);
        bytes.extend_from_slice(&tag);
        bytes
    }

    /// The bytes before the tag; none where it is not that of this secret.
    pub fn open<'a>(&self, name: &str, sealed: &'a [u8]) -> Option<&'a [u8]> {
        let (bytes, tag) = sealed.split_last_chunk::<TAG>()?;
        // Whoever can measure time here can read the secret's file.
        (self.tag(name, bytes) == *tag).then_some(bytes)
    }
}

impl fmt::Debug for CacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CacheKey(…)")
    }
}

#[cfg(test)]
mod tests;
