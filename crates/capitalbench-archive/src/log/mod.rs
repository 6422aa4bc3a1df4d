//! The transparency log of a folder of rounds: what happened, in order, for anybody to check.
//!
//! ```text
//! <rounds>/log/vkey                  the public key
//! <rounds>/log/checkpoint            size and root, signed; written last
//! <rounds>/log/checkpoints/<size>    every checkpoint that was ever signed
//! <rounds>/log/anchors/<size>/...    what outside clocks said about one of them
//! <rounds>/log/roots/*.pem           whose clocks the operator trusts
//! <rounds>/log/witnesses             keys of others who may sign checkpoints too
//! <rounds>/log/salts/<round>.json    salts of the files that everybody may read
//! <rounds>/log/tile/...              hashes and leaves, as C2SP tlog-tiles lays them out
//! <rounds>/.capitalbench/log/        who is appending, and an index that can be made again
//! <rounds>/.capitalbench/keys/       the private key, unless it lies elsewhere
//! ```
//!
//! The folder `log` may be served as it is. Only `checkpoint` and the files in `salts` ever change;
//! `anchors` and `roots` gain files, and a partial tile goes away when the full one is there. A
//! crash leaves files beyond the checkpoint, which nobody was told of; the next append removes them.

use std::path::{Path, PathBuf};

use capitalbench_proof::checkpoint::Checkpoint;
use capitalbench_proof::merkle::{self, Hash};
use capitalbench_proof::note::VerifierKey;
use capitalbench_proof::tiles::{self, Content, Tile, TileReader, TileSource};
use capitalbench_proof::tlog_proof::TlogProof;

use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops;
use crate::disk::layout;
use crate::format::utf8;
use crate::round::round_folder::{RoundFolder, optional};

mod anchors;
mod append;
pub mod check;
mod contradictions;
mod events;
mod find;
mod fixed_files;
mod history;
mod index;
mod instants;
pub mod inventory;
pub mod key;
mod last_word;
mod places;
mod published;
mod replacements;
pub mod salts;

pub use anchors::{Anchor, Believed, Proofs, Trust, clock_name};
pub use append::Appended;
pub(crate) use contradictions::{Kind, contradictions};
pub use events::{Observer, attempt_events, round_events};
pub use history::{history, stamped_freeze};
pub(crate) use history::{marks, steps};
pub use key::LogKey;
pub(crate) use last_word::replaced_kind;
pub use published::{LOG_LIST, SIGNED, log_list, places_file, signed_list};

/// Where the log of a folder of rounds lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFolder {
    rounds: PathBuf,
}

/// A checkpoint whose signature holds, and the bytes that say so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedCheckpoint {
    /// What it says.
    pub checkpoint: Checkpoint,
    /// The signed note.
    pub note: String,
}

impl LogFolder {
    /// The log of a folder of rounds.
    pub fn of_rounds(rounds: &Path) -> Self {
        Self {
            rounds: rounds.to_owned(),
        }
    }

    /// The log beside a round.
    pub fn of_round(round: &RoundFolder) -> Self {
        Self {
            rounds: round.rounds(),
        }
    }

    /// The folder of rounds.
    pub fn rounds(&self) -> &Path {
        &self.rounds
    }

    fn file(&self, relative: &str) -> PathBuf {
        self.rounds.join(relative)
    }

    fn tile_file(&self, tile: Tile) -> PathBuf {
        self.rounds.join(layout::LOG).join(tile.path())
    }

    /// The public key; none where there is no log.
    pub fn verifier(&self) -> Result<Option<VerifierKey>, FileError> {
        self.refuse_links()?;
        let file = self.file(layout::LOG_VKEY);
        let Some(bytes) = read(&file)? else {
            return Ok(None);
        };
        let parsed = utf8(&bytes).and_then(|text| {
            let line = text.strip_suffix('\n');
            let line = line.ok_or_else(|| Fault::new("its last line has no end"))?;
            VerifierKey::parse(line).map_err(|error| Fault::new(error.to_string()))
        });
        parsed.map(Some).map_err(|fault| fault.in_file(&file))
    }

    /// Refuses a link in the place of a folder of the log, because it may lead anywhere.
    fn refuse_links(&self) -> Result<(), FileError> {
        let mut folders = layout::LOG_FOLDERS.into_iter();
        let Some(name) = folders.find(|name| self.file(name).is_symlink()) else {
            return Ok(());
        };
        let text = format!(
            "{name} is a symbolic link; a log holds plain folders only: put the folder itself in \
             its place"
        );
        Err(FileError::folder(&self.file(name), text))
    }

    /// The present checkpoint; none while nothing was appended.
    pub fn checkpoint(&self) -> Result<Option<SignedCheckpoint>, FileError> {
        match self.verifier()? {
            Some(key) => signed(&self.file(layout::LOG_CHECKPOINT), &key),
            None => Ok(None),
        }
    }

    /// The checkpoint that was signed at this size; none where there was none.
    pub fn checkpoint_at(&self, size: u64) -> Result<Option<SignedCheckpoint>, FileError> {
        match self.verifier()? {
            Some(key) => signed(&self.kept_file(size), &key),
            None => Ok(None),
        }
    }

    fn kept_file(&self, size: u64) -> PathBuf {
        self.file(layout::LOG_CHECKPOINTS).join(size.to_string())
    }

    /// Subtrees of the log at a size that it has or had.
    pub fn reader(&self, size: u64) -> TileReader<TileFiles<'_>> {
        TileReader::new(TileFiles(self), size)
    }

    /// The leaves of one bundle, as they are at this size.
    fn bundle(&self, index: u64, size: u64) -> Result<Vec<Vec<u8>>, FileError> {
        let Some(tile) = Tile::at_size(Content::Entries, index, size) else {
            return Ok(Vec::new());
        };
        let file = self.tile_file(tile);
        let bytes = file_ops::read(&file)?;
        let leaves = tiles::leaves_of(&bytes);
        let leaves = leaves.filter(|leaves| leaves.len() as u64 == tile.width);
        let broken = || Fault::new(format!("does not hold {} leaves", tile.width));
        let leaves = leaves.ok_or_else(|| broken().in_file(&file))?;
        Ok(leaves.into_iter().map(<[u8]>::to_vec).collect())
    }

    /// Leaves of a log of this size by their indexes, which are in order.
    pub fn leaves(&self, indexes: &[u64], size: u64) -> Result<Vec<(u64, Vec<u8>)>, FileError> {
        let mut found = Vec::with_capacity(indexes.len());
        for places in indexes.chunk_by(|a, b| a / tiles::WIDTH == b / tiles::WIDTH) {
            let Some(first) = places.first() else {
                continue;
            };
            let mut leaves = self.bundle(first / tiles::WIDTH, size)?;
            for index in places {
                let place = usize::try_from(index % tiles::WIDTH).unwrap_or(usize::MAX);
                if let Some(leaf) = leaves.get_mut(place) {
                    found.push((*index, std::mem::take(leaf)));
                }
            }
        }
        Ok(found)
    }

    /// One leaf of a log of this size.
    pub fn leaf(&self, index: u64, size: u64) -> Result<Option<Vec<u8>>, FileError> {
        let leaves = self.bundle(index / tiles::WIDTH, size)?;
        let place = usize::try_from(index % tiles::WIDTH).unwrap_or(usize::MAX);
        Ok(leaves.into_iter().nth(place).filter(|_| index < size))
    }

    /// The proof that a leaf is in the log as a checkpoint says; none when it is not.
    pub fn prove(
        &self,
        index: u64,
        signed: &SignedCheckpoint,
    ) -> Result<Option<TlogProof>, FileError> {
        let size = signed.checkpoint.size;
        let path = merkle::prove_inclusion(&self.present_reader(size)?, index, size)?;
        Ok(path.map(|path| TlogProof {
            extra: None,
            index,
            path,
            checkpoint: signed.note.clone(),
        }))
    }

    /// The proof that the log only grew from one size to another; none when it shrank.
    pub fn prove_growth(&self, old: u64, new: u64) -> Result<Option<Vec<Hash>>, FileError> {
        merkle::prove_consistency(&self.present_reader(new)?, old, new)
    }

    /// Partial tiles of old sizes may be gone, so older trees are read out of the present one.
    fn present_reader(&self, least: u64) -> Result<TileReader<TileFiles<'_>>, FileError> {
        let present = self
            .checkpoint()?
            .map_or(0, |signed| signed.checkpoint.size);
        Ok(self.reader(present.max(least)))
    }

    /// Where the events of a round stand in the log: index and leaf, in order.
    pub fn leaves_of_round(&self, round: &str) -> Result<Vec<(u64, Vec<u8>)>, FileError> {
        let Some(signed) = self.checkpoint()? else {
            return Ok(Vec::new());
        };
        let size = signed.checkpoint.size;
        // Only who holds the key wrote the index; in a folder from elsewhere it could hide events.
        let known = if self.file(layout::LOG_KEY).exists() {
            index::load(self, size)?
        } else {
            index::from_leaves(self, size)?
        };
        self.leaves(&known.places(self, round)?, size)
    }
}

/// Tiles as files.
#[derive(Debug, Clone, Copy)]
pub struct TileFiles<'a>(&'a LogFolder);

impl TileSource for TileFiles<'_> {
    type Error = FileError;

    fn hashes(&self, tile: Tile) -> Result<Vec<Hash>, FileError> {
        let file = self.0.tile_file(tile);
        let bytes = file_ops::read(&file)?;
        let hashes = tiles::hashes_of(&bytes);
        let hashes = hashes.filter(|hashes| hashes.len() as u64 == tile.width);
        let broken = || Fault::new(format!("does not hold {} hashes", tile.width));
        hashes.ok_or_else(|| broken().in_file(&file))
    }
}

fn signed(file: &Path, key: &VerifierKey) -> Result<Option<SignedCheckpoint>, FileError> {
    let Some(bytes) = read(file)? else {
        return Ok(None);
    };
    let opened = Checkpoint::open(&bytes, key, &[]);
    let (checkpoint, _) = opened.map_err(|error| Fault::new(error.to_string()).in_file(file))?;
    let note = utf8(&bytes)
        .map_err(|fault| fault.in_file(file))?
        .to_owned();
    Ok(Some(SignedCheckpoint { checkpoint, note }))
}

fn read(file: &Path) -> Result<Option<Vec<u8>>, FileError> {
    optional(file_ops::read(file).map_err(FileError::from))
}

#[cfg(test)]
mod tests;
