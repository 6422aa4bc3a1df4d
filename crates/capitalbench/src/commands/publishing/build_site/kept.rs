//! What the inputs of each round gave in an earlier build, beside the other caches of the rounds.
//!
//! Only digests are kept. The pages themselves are those in the output, and count as rendered only
//! while their bytes have the digest that the same inputs and the same program gave on this machine.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use capitalbench_archive::disk::file_ops::{self, scratch::replace_unflushed};
use capitalbench_archive::public::cache_key::CacheKey;
use capitalbench_archive::public::fact_cache::{self, sealed, unsealed};
use capitalbench_core::values::ids::{Digest, RoundId};
use capitalbench_site::{Files, STAMP};
use serde::{Deserialize, Serialize};

/// The file among the caches.
const NAME: &str = "site";

/// What a round's inputs gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptRound {
    inputs: Digest,
    /// Of paths and bytes.
    pub(super) outputs: Digest,
    pub(super) bytes: usize,
    pub(super) paths: Vec<String>,
}

impl KeptRound {
    pub(super) fn of(inputs: Digest, files: &Files) -> Self {
        let mut found = Gathered::default();
        for (path, bytes) in files {
            found.add(path, bytes);
        }
        Self {
            inputs,
            outputs: found.digest(),
            bytes: files.values().map(bytes::Bytes::len).sum(),
            paths: files.keys().cloned().collect(),
        }
    }
}

/// An image: what it shows, and its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptImage {
    pub(super) content: Digest,
    pub(super) bytes: Digest,
}

/// Images by their paths.
pub(super) type KeptImages = BTreeMap<String, KeptImage>;

/// A digest of paths and bytes, in the order they are added.
#[derive(Debug, Default)]
pub(super) struct Gathered(String);

impl Gathered {
    pub(super) fn add(&mut self, path: &str, bytes: &[u8]) {
        // Writing to a text cannot fail.
        let _ = writeln!(self.0, "{path} {}", Digest::of(bytes).to_hex());
    }

    pub(super) fn digest(&self) -> Digest {
        Digest::of(self.0.as_bytes())
    }
}

/// What earlier builds gave.
#[derive(Debug)]
pub(super) struct Kept {
    file: PathBuf,
    key: CacheKey,
    rounds: BTreeMap<RoundId, KeptRound>,
    pub(super) images: KeptImages,
}

impl Kept {
    /// Reads what is kept in the cache of a folder of rounds; none where there is no cache.
    pub(super) fn open(rounds: &Path, key: CacheKey) -> Option<Self> {
        let folder = rounds.join(fact_cache::FOLDER);
        if !folder.is_dir() {
            return None;
        }
        let file = folder.join(NAME);
        let bytes = file_ops::read(&file).unwrap_or_default();
        let (rounds, images) = unsealed(&key, NAME, STAMP, &bytes).unwrap_or_default();
        Some(Self {
            file,
            key,
            rounds,
            images,
        })
    }

    /// What these inputs of a round gave.
    pub(super) fn of(&self, id: &RoundId, inputs: Digest) -> Option<&KeptRound> {
        let found = self.rounds.get(id)?;
        (found.inputs == inputs).then_some(found)
    }

    /// Keeps what this build gave; a folder that cannot be written costs the next build some time.
    pub(super) fn finish(self, rounds: &BTreeMap<RoundId, KeptRound>, images: KeptImages) {
        if let Some(bytes) = sealed(&self.key, NAME, STAMP, &(rounds, images)) {
            let _ = replace_unflushed(&self.file, &bytes);
        }
    }
}
