//! The Merkle tree of RFC 6962 over SHA-256: growing, roots, inclusion and consistency.
//!
//! [`HashReader`] reads only complete subtrees; this module computes everything else from them, with
//! a number of hashes that grows with the logarithm of the tree.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::encoding;

mod verify;

pub use verify::{ProofError, verify_consistency, verify_inclusion};

/// A node of the tree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hash([u8; 32]);

impl Hash {
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// None unless the slice has exactly 32 bytes.
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub fn to_hex(self) -> String {
        encoding::to_hex(&self.0)
    }

    /// Reads lower-case hexadecimal text only, so that every hash has one text.
    pub fn parse_hex(text: &str) -> Option<Self> {
        encoding::from_hex(text).map(Self)
    }

    /// The form in checkpoints and proofs.
    pub fn to_base64(self) -> String {
        encoding::to_base64(&self.0)
    }

    pub fn parse_base64(text: &str) -> Option<Self> {
        encoding::from_base64(text).and_then(|bytes| Self::from_slice(&bytes))
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_hex())
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong = || D::Error::custom("a digest is not 64 lower-case hexadecimal digits");
        Self::parse_hex(&text).ok_or_else(wrong)
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex())
    }
}

pub fn sha256(bytes: &[u8]) -> Hash {
    Hash(Sha256::digest(bytes).into())
}

pub fn leaf_hash(leaf: &[u8]) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update([0]);
    hasher.update(leaf);
    Hash(hasher.finalize().into())
}

/// The hash of two neighbouring subtrees.
pub fn node_hash(left: Hash, right: Hash) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update([1]);
    hasher.update(left.0);
    hasher.update(right.0);
    Hash(hasher.finalize().into())
}

/// The root of a tree without leaves.
pub fn empty_root() -> Hash {
    sha256(&[])
}

/// A source of the hashes of complete subtrees.
pub trait HashReader {
    type Error;

    /// The hash over the `2^level` leaves from `index * 2^level` on.
    fn read(&self, level: u32, index: u64) -> Result<Hash, Self::Error>;
}

/// The right edge of a tree, which is all that adding leaves needs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Edge {
    size: u64,
    /// Complete subtrees from left to right, one per bit of the size.
    peaks: Vec<Hash>,
}

impl Edge {
    /// Reads the edge of an existing tree.
    pub fn read<R: HashReader>(reader: &R, size: u64) -> Result<Self, R::Error> {
        let peaks: Result<Vec<Hash>, R::Error> = parts(0, size)
            .map(|(level, index)| reader.read(level, index))
            .collect();
        Ok(Self {
            size,
            peaks: peaks?,
        })
    }

    pub fn size(&self) -> u64 {
        self.size
    }

    /// Adds a leaf by its hash and calls `completed` with level, index and hash of every subtree that
    /// the leaf completes, the leaf itself first.
    pub fn append(&mut self, leaf: Hash, mut completed: impl FnMut(u32, u64, Hash)) {
        let mut hash = leaf;
        completed(0, self.size, hash);
        for level in 1..=self.size.trailing_ones() {
            if let Some(left) = self.peaks.pop() {
                hash = node_hash(left, hash);
                completed(level, self.size >> level, hash);
            }
        }
        self.peaks.push(hash);
        self.size += 1;
    }

    pub fn root(&self) -> Hash {
        join(&self.peaks)
    }
}

/// The root of the first `size` leaves.
pub fn root<R: HashReader>(reader: &R, size: u64) -> Result<Hash, R::Error> {
    range(reader, 0, size)
}

/// The audit path of a leaf in the tree of the first `size` leaves, from the leaf to the root.
/// None when the leaf is not in that tree.
pub fn prove_inclusion<R: HashReader>(
    reader: &R,
    index: u64,
    size: u64,
) -> Result<Option<Vec<Hash>>, R::Error> {
    if index >= size {
        return Ok(None);
    }
    let mut path = Vec::new();
    let (mut start, mut end) = (0, size);
    while end - start > 1 {
        let middle = start + split(end - start);
        if index < middle {
            path.push(range(reader, middle, end)?);
            end = middle;
        } else {
            path.push(range(reader, start, middle)?);
            start = middle;
        }
    }
    path.reverse();
    Ok(Some(path))
}

/// The proof that the first `old` leaves of a tree are still its first when it has `new`.
/// None when the old tree is the larger one.
pub fn prove_consistency<R: HashReader>(
    reader: &R,
    old: u64,
    new: u64,
) -> Result<Option<Vec<Hash>>, R::Error> {
    if old > new {
        return Ok(None);
    }
    if old == 0 || old == new {
        return Ok(Some(Vec::new()));
    }
    let mut path = Vec::new();
    let (mut start, mut end) = (0, new);
    while old != end {
        let middle = start + split(end - start);
        if old <= middle {
            path.push(range(reader, middle, end)?);
            end = middle;
        } else {
            path.push(range(reader, start, middle)?);
            start = middle;
        }
    }
    if start != 0 {
        path.push(range(reader, start, end)?);
    }
    path.reverse();
    Ok(Some(path))
}

/// The largest power of two below `size`, which must be at least 2.
fn split(size: u64) -> u64 {
    1 << (size - 1).ilog2()
}

/// The complete subtrees of a range whose start is a multiple of its largest part.
fn parts(start: u64, end: u64) -> impl Iterator<Item = (u32, u64)> {
    let length = end - start;
    let mut at = start;
    (0..64).rev().filter_map(move |level| {
        let part = 1_u64 << level;
        (length & part != 0).then(|| {
            let index = at >> level;
            at += part;
            (level, index)
        })
    })
}

fn range<R: HashReader>(reader: &R, start: u64, end: u64) -> Result<Hash, R::Error> {
    let hashes: Result<Vec<Hash>, R::Error> = parts(start, end)
        .map(|(level, index)| reader.read(level, index))
        .collect();
    Ok(join(&hashes?))
}

/// One hash from subtrees that stand side by side, each larger than the next.
fn join(peaks: &[Hash]) -> Hash {
    let joined = peaks.iter().copied().rev();
    joined
        .reduce(|right, left| node_hash(left, right))
        .unwrap_or_else(empty_root)
}

#[cfg(test)]
mod tests;
