//! Facts of rounds that did not change since they were computed.
//!
//! `.capitalbench/cache/` in the folder of rounds holds an index, one file of facts per round, and
//! shelves with the outlines of many rounds. The index tells which files a round's facts were
//! computed from, the metadata (size, times, inode) these files had, and the digest of their
//! content; everything kept carries the digest of the content it was computed from. While the
//! metadata is the same, the content is taken to be the same. If the metadata changed, the files
//! are hashed again, and if the content changed too, the facts are computed again. Whatever is
//! damaged or was written by another program is ignored. Every file ends in a tag made with a
//! secret that only this machine has, so a cache that came with a folder from elsewhere is ignored.
//!
//! A file that changed within the last two seconds may change again without a trace in its times;
//! a round with such a file is computed and not kept. The clock is the file system's own.
//! Everything here can be deleted at any time.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use capitalbench_core::publication::facts::RoundFacts;
use capitalbench_core::values::ids::Digest;

use crate::disk::file_ops::{self, reads::recorded, scratch::replace_unflushed};
use crate::disk::layout;
use crate::disk::state_folder;
use crate::public::cache_key::CacheKey;
use crate::public::public_files::changed_at;
use crate::public::public_record::{Depth, PublicationError, Shared, round_facts};
use crate::round::round_folder::RoundFolder;

mod fingerprint;
mod index;
mod sealing;
mod shelves;
mod stored;

use fingerprint::Fingerprint;
use index::{Entry, Index};
pub use sealing::{sealed, unsealed};
use stored::Kept;

/// Where the cache lies, seen from the folder of rounds.
pub const FOLDER: &str = ".capitalbench/cache";
/// The file of the index.
const INDEX: &str = "index";
/// Changes younger than this may not be the last of their instant.
pub const SETTLED: i128 = 2_000_000_000;
/// Which program wrote a file: its version, and the state of everything that computes facts.
const STAMP: &str = concat!(
    "capitalbench facts 2 ",
    env!("CARGO_PKG_VERSION"),
    " ",
    env!("CAPITALBENCH_SOURCES")
);

/// The cache of one folder of rounds.
#[derive(Debug)]
pub struct FactCache {
    folder: PathBuf,
    key: CacheKey,
    known: Index,
    seen: Mutex<Index>,
    /// The file system's time when this began.
    began: i128,
}

impl FactCache {
    /// Opens the cache of a folder of rounds; none where nothing can be kept.
    ///
    /// A folder that nobody may write to is left as it is, whoever asks.
    pub fn open(rounds: &Path, key: CacheKey) -> Option<Self> {
        let writable = |path: &Path| fs::metadata(path).is_ok_and(|m| !m.permissions().readonly());
        if !writable(rounds) {
            return None;
        }
        let folder = rounds.join(FOLDER);
        state_folder::create(&rounds.join(layout::STATE)).ok()?;
        let began = folder.join("began");
        replace_unflushed(&began, b"").ok()?;
        let began = changed_at(&fs::symlink_metadata(&began).ok()?);
        let bytes = file_ops::read(&folder.join(INDEX)).unwrap_or_default();
        Some(Self {
            known: unsealed(&key, INDEX, STAMP, &bytes).unwrap_or_default(),
            key,
            seen: Mutex::default(),
            began,
            folder,
        })
    }

    /// The facts of a round: kept ones where its files are as they were, else computed.
    pub fn facts(
        &self,
        folder: &RoundFolder,
        shared: &Shared,
    ) -> Result<RoundFacts, PublicationError> {
        if let Some(entry) = self.look(folder)
            && let Some(facts) = self.kept(entry.content, folder, shared)
        {
            self.saw(folder.name(), entry);
            return Ok(facts);
        }
        let (facts, entry) = self.compute(folder, shared)?;
        if let Some(entry) = entry
            && self.keep(entry.content, &facts, folder, shared).is_some()
        {
            self.saw(folder.name(), entry);
        }
        Ok(facts)
    }

    /// What the index says of a round whose files hold what they held.
    fn look(&self, folder: &RoundFolder) -> Option<Entry> {
        let entry = self.known.0.get(&folder.name())?;
        let found = Fingerprint::of(folder.path(), &entry.watched)?;
        if found.digest == entry.fingerprint {
            return Some(entry.clone());
        }
        let content = self.content(folder, &entry.watched, &found)?;
        (content == entry.content).then(|| Entry {
            fingerprint: found.digest,
            ..entry.clone()
        })
    }

    /// The content of files that were settled when this began, and are as they were found.
    fn content(
        &self,
        folder: &RoundFolder,
        watched: &[String],
        found: &Fingerprint,
    ) -> Option<Digest> {
        if found.changed > self.began - SETTLED {
            return None;
        }
        let content = fingerprint::content(folder.path(), watched)?;
        let after = Fingerprint::of(folder.path(), watched)?;
        (after == *found).then_some(content)
    }

    /// Computes facts, and what they follow from where that was settled before this began.
    fn compute(
        &self,
        folder: &RoundFolder,
        shared: &Shared,
    ) -> Result<(RoundFacts, Option<Entry>), PublicationError> {
        let (facts, read) = recorded(|| round_facts(folder.clone(), shared, Depth::Everything));
        let entry = fingerprint::watched(folder.path(), &read).and_then(|watched| {
            let found = Fingerprint::of(folder.path(), &watched)?;
            Some(Entry {
                content: self.content(folder, &watched, &found)?,
                fingerprint: found.digest,
                watched,
            })
        });
        Ok((facts?, entry))
    }

    fn saw(&self, name: String, entry: Entry) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.0.insert(name, entry);
    }

    fn file(&self, content: Digest) -> PathBuf {
        let name = content.to_hex();
        self.folder.join(&name[..2]).join(name)
    }

    fn kept(&self, content: Digest, folder: &RoundFolder, shared: &Shared) -> Option<RoundFacts> {
        let bytes = file_ops::read(&self.file(content)).ok()?;
        let kept: Kept = unsealed(&self.key, &content.to_hex(), STAMP, &bytes)?;
        let kept = Some(kept).filter(|kept| kept.is_of(content, shared))?;
        kept.into_facts(folder, shared)
    }

    fn keep(
        &self,
        content: Digest,
        facts: &RoundFacts,
        folder: &RoundFolder,
        shared: &Shared,
    ) -> Option<()> {
        let kept = Kept::of(facts.clone(), content, folder, shared)?;
        let bytes = sealed(&self.key, &content.to_hex(), STAMP, &kept)?;
        replace_unflushed(&self.file(content), &bytes).ok()
    }

    /// Writes the index of what was seen, and removes what no round has any more.
    ///
    /// A cache that cannot be written is no failure: the next one computes again.
    pub fn finish(mut self) {
        let seen = self.seen.get_mut().unwrap_or_else(PoisonError::into_inner);
        let seen = std::mem::take(seen);
        if seen == self.known {
            return;
        }
        let written = sealed(&self.key, INDEX, STAMP, &seen)
            .is_some_and(|bytes| replace_unflushed(&self.folder.join(INDEX), &bytes).is_ok());
        if !written {
            return;
        }
        let current: BTreeSet<Digest> = seen.0.values().map(|entry| entry.content).collect();
        let stale = self.known.0.values().map(|entry| entry.content);
        for content in stale.filter(|content| !current.contains(content)) {
            // One that stays is only a file too many.
            let _ = file_ops::scratch::remove_unflushed(&self.file(content));
        }
    }
}
