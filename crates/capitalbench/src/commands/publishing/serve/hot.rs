//! Bodies that were asked for lately, plain and compressed, in bounded memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use capitalbench_archive::disk::file_ops::spool::Slice;
use capitalbench_core::values::ids::Digest;
use hyper::body::Bytes;

/// What all of them may take.
const MOST_BYTES: usize = 16 << 20;
/// What one that lies in a file counts for: the file is open as long as it is kept.
const FILE_WEIGHT: usize = 1 << 20;

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Coding {
    Plain,
    Gzip,
}

/// A body that is kept.
#[derive(Debug, Clone)]
pub(super) enum Held {
    Whole(Bytes),
    Spooled(Slice),
    /// Compressed it would be no smaller.
    Useless,
}

impl Held {
    fn weight(&self) -> usize {
        match self {
            Self::Whole(bytes) => bytes.len(),
            Self::Spooled(_) => FILE_WEIGHT,
            Self::Useless => 0,
        }
    }
}

type Key = ([u8; 32], Coding);

/// Two shelves: what is asked for moves to the first, and when that is full the second is emptied and
/// takes its place.
#[derive(Default)]
pub(super) struct Hot(Mutex<Shelves>);

#[derive(Default)]
struct Shelves {
    young: BTreeMap<Key, Held>,
    old: BTreeMap<Key, Held>,
    weight: usize,
}

impl Shelves {
    fn put(&mut self, key: Key, held: Held) {
        // Names and nodes take memory too.
        self.weight += held.weight() + 128;
        self.young.insert(key, held);
        if self.weight > MOST_BYTES / 2 {
            self.old = std::mem::take(&mut self.young);
            self.weight = 0;
        }
    }
}

impl Hot {
    pub(super) fn find(&self, digest: Digest, coding: Coding) -> Option<Held> {
        let mut shelves = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (digest.bytes(), coding);
        if let Some(found) = shelves.young.get(&key) {
            return Some(found.clone());
        }
        let found = shelves.old.remove(&key)?;
        shelves.put(key, found.clone());
        Some(found)
    }

    pub(super) fn keep(&self, digest: Digest, coding: Coding, held: Held) {
        let mut shelves = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shelves.put((digest.bytes(), coding), held);
    }
}

#[cfg(test)]
mod tests;
