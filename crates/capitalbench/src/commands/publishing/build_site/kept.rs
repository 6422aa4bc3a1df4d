//! What the inputs of each round gave in an earlier build, beside the other caches of the rounds.
//!
//! Only digests are kept. The pages themselves are those in the output, and count as rendered only
//! while their bytes have the digest that the same inputs and the same program gave on this machine.
//!
//! Neither the files of a round nor what the output has of it are read while the file system says that all of
//! them are the files they were: the same names, inodes, sizes and times.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use capitalbench_archive::disk::file_ops;
use capitalbench_archive::disk::file_ops::scratch::{replace_unflushed, time_in};
use capitalbench_archive::public::cache_key::CacheKey;
use capitalbench_archive::public::fact_cache::{self, SETTLED, sealed, unsealed};
use capitalbench_archive::public::public_files::Listing;
use capitalbench_core::values::ids::{Digest, RoundId};
use capitalbench_site::{Files, STAMP};
use serde::{Deserialize, Serialize};

/// The file among the caches.
const NAME: &str = "site";

/// What a round's inputs gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptRound {
    pub(super) inputs: Digest,
    /// Of paths and bytes.
    pub(super) outputs: Digest,
    pub(super) bytes: usize,
    pub(super) paths: Vec<String>,
    pub(super) own: KeptOwn,
    /// Of the marks of its pages and files in the output; none where one had changed a moment before.
    pub(super) placed: Option<Digest>,
}

/// The public files of a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptOwn {
    /// Of their names and marks; none where one had changed a moment before.
    pub(super) listing: Option<Digest>,
    /// Of their names and bytes.
    pub(super) digest: Digest,
    pub(super) bytes: usize,
    /// Where the site serves them.
    pub(super) paths: Vec<String>,
}

impl KeptOwn {
    pub(super) fn of(listing: Option<Digest>, digest: Digest, served: &Files) -> Self {
        Self {
            listing,
            digest,
            bytes: served.values().map(bytes::Bytes::len).sum(),
            paths: served.keys().cloned().collect(),
        }
    }
}

impl KeptRound {
    /// The same with other files that gave the same pages.
    pub(super) fn with(&self, own: KeptOwn) -> Self {
        Self {
            own,
            placed: None,
            ..self.clone()
        }
    }

    pub(super) fn of(inputs: Digest, files: &Files, own: KeptOwn) -> Self {
        let mut found = Gathered::default();
        for (path, bytes) in files {
            found.add(path, bytes);
        }
        Self {
            inputs,
            outputs: found.digest(),
            bytes: files.values().map(bytes::Bytes::len).sum(),
            paths: files.keys().cloned().collect(),
            own,
            placed: None,
        }
    }

    /// Where everything lies that the output has of the round.
    pub(super) fn places(&self) -> impl Iterator<Item = &String> {
        self.own.paths.iter().chain(&self.paths)
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
    /// When this began, by the clock of the file system.
    began: i128,
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
            began: time_in(&folder).ok()?,
        })
    }

    /// The digest of a listing, unless a file changed so shortly before that it may change again unseen.
    pub(super) fn settled(&self, listing: &Listing) -> Option<Digest> {
        (listing.changed <= self.began - SETTLED).then_some(listing.digest)
    }

    /// What a round gave whose files are those they were.
    pub(super) fn unread(&self, id: &RoundId, listing: Digest) -> Option<&KeptRound> {
        let found = self.rounds.get(id)?;
        (found.own.listing == Some(listing)).then_some(found)
    }

    /// What these inputs of a round gave.
    pub(super) fn of(&self, id: &RoundId, inputs: Digest) -> Option<&KeptRound> {
        let found = self.rounds.get(id)?;
        (found.inputs == inputs).then_some(found)
    }

    /// Keeps what this build gave; a folder that cannot be written costs the next build some time.
    pub(super) fn finish(self, rounds: &BTreeMap<RoundId, KeptRound>, images: &KeptImages) {
        if *rounds == self.rounds && *images == self.images {
            return;
        }
        if let Some(bytes) = sealed(&self.key, NAME, STAMP, &(rounds, images)) {
            let _ = replace_unflushed(&self.file, &bytes);
        }
    }
}
