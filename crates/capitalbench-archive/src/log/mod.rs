//! The transparency log of a folder of rounds: what happened, in order, so that anybody can check it.
//!
//! ```text
//! <rounds>/log/vkey                  the public key
//! <rounds>/log/checkpoint            size and root, signed; written last
//! <rounds>/log/checkpoints/<size>    every checkpoint that was ever signed
//! <rounds>/log/anchors/<size>/...    what outside clocks and witnesses said about one of them
//! <rounds>/log/roots/*.pem           root certificates of clocks that the operator trusts
//! <rounds>/log/witnesses             keys of witnesses, and how many must sign checkpoints too
//! <rounds>/log/salts/<round>.json    salts of the public files
//! <rounds>/log/claims/<claim>.json   registered claims
//! <rounds>/log/entrants/...          registrations of entrants
//! <rounds>/log/entries/<round>/...   sealed entries, openings and receipts
//! <rounds>/log/agents/<round>/...    what agents were asked and answered, after the entry close
//! <rounds>/log/tile/...              hashes and leaves, as C2SP tlog-tiles lays them out
//! <rounds>/.capitalbench/log/        the lock of the appending process, and an index
//! <rounds>/.capitalbench/keys/       the private key, unless it lies elsewhere
//! ```
//!
//! The folder `log` may be served as it is. Only `checkpoint`, `witnesses` and the files in `salts` ever change;
//! `anchors` and `roots` gain files, and the full tile replaces a partial one. A crash may leave files
//! beyond the checkpoint; they do not count, and the next append removes them.

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
use crate::round::round_folder::{RoundFolder, parse_file, read_file as read};

pub mod agents;
mod anchors;
mod append;
pub mod check;
pub mod claims;
mod contradictions;
mod ending_events;
pub mod entrants;
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
mod repair_events;
mod repairs;
mod replacements;
pub mod salts;
mod witnesses;

pub use anchors::{Anchor, Believed, Proofs, Trust, clock_name};
pub use append::Appended;
pub(crate) use contradictions::{Kind, contradictions};
pub use events::{LedgerAttempt, Observer, attempt_events, round_events};
pub(crate) use fixed_files::inside_run;
pub use history::{history, stamped_freeze};
pub(crate) use history::{instant, mark_of, marks, steps};
pub use key::LogKey;
pub(crate) use last_word::replaced_kind;
pub use published::{LOG_LIST, SIGNED, log_list, places_file, signed_list};
pub use witnesses::Cosigned;

/// The log of a folder of rounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFolder {
    rounds: PathBuf,
    /// Whether whoever works on it has its key, wherever that lies.
    has_own_index: bool,
}

/// A checkpoint whose signature holds, with the signed note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedCheckpoint {
    pub checkpoint: Checkpoint,
    pub note: String,
}

impl LogFolder {
    /// The log of a folder of rounds.
    pub fn of_rounds(rounds: &Path) -> Self {
        Self {
            rounds: rounds.to_owned(),
            has_own_index: false,
        }
    }

    /// The log beside a round.
    pub fn of_round(round: &RoundFolder) -> Self {
        Self::of_rounds(&round.rounds())
    }

    /// The same for whoever has its key: nobody else writes an index for it here.
    #[must_use]
    fn with_key(&self) -> Self {
        Self {
            has_own_index: true,
            ..self.clone()
        }
    }

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
        parse_file(&self.file(layout::LOG_VKEY), |bytes| {
            let line = utf8(bytes)?.strip_suffix('\n');
            let line = line.ok_or_else(|| Fault::new("its last line must end with a line feed"))?;
            VerifierKey::parse(line).map_err(Fault::new)
        })
    }

    /// Refuses a folder of the log that is a link, because a link may lead anywhere.
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

    /// The present checkpoint; none before the first append.
    pub fn checkpoint(&self) -> Result<Option<SignedCheckpoint>, FileError> {
        self.signed_in(&self.file(layout::LOG_CHECKPOINT))
    }

    pub fn checkpoint_at(&self, size: u64) -> Result<Option<SignedCheckpoint>, FileError> {
        self.signed_in(&self.kept_file(size))
    }

    fn signed_in(&self, file: &Path) -> Result<Option<SignedCheckpoint>, FileError> {
        match self.verifier()? {
            Some(key) => signed(file, &key),
            None => Ok(None),
        }
    }

    /// How many leaves are signed.
    fn size(&self) -> Result<u64, FileError> {
        let signed = self.checkpoint()?;
        Ok(signed.map_or(0, |signed| signed.checkpoint.size))
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
            let mut leaves = self.bundle(places[0] / tiles::WIDTH, size)?;
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
        Ok(self.leaves(&[index], size)?.pop().map(|(_, leaf)| leaf))
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

    /// Partial tiles of old sizes may be missing, so older trees are read from the present tiles.
    fn present_reader(&self, least: u64) -> Result<TileReader<TileFiles<'_>>, FileError> {
        Ok(self.reader(self.size()?.max(least)))
    }

    /// Where the events of a round stand in the log: index and leaf, in order.
    pub fn leaves_of_round(&self, round: &str) -> Result<Vec<(u64, Vec<u8>)>, FileError> {
        let Some(signed) = self.checkpoint()? else {
            return Ok(Vec::new());
        };
        let size = signed.checkpoint.size;
        self.leaves(&self.index(size)?.places(self, round)?, size)
    }

    /// Which leaves are of which round. Only the owner of the key wrote the stored index; in a folder
    /// from elsewhere it could hide events.
    fn index(&self, size: u64) -> Result<index::Index, FileError> {
        if self.has_own_index || self.file(layout::LOG_KEY).exists() {
            index::load(self, size)
        } else {
            index::from_leaves(self, size)
        }
    }
}

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
    parse_file(file, |bytes| {
        let (checkpoint, _) = Checkpoint::open(bytes, key, &[]).map_err(Fault::new)?;
        let note = utf8(bytes)?.to_owned();
        Ok(SignedCheckpoint { checkpoint, note })
    })
}

#[cfg(test)]
mod tests;
