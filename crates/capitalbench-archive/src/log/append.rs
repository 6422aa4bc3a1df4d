//! Adding events: leaves, then hashes, then the signed checkpoint that makes them count.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;

use capitalbench_proof::checkpoint::Checkpoint;
use capitalbench_proof::event::{Event, EventError, Fact};
use capitalbench_proof::merkle::{Edge, Hash, leaf_hash};
use capitalbench_proof::tiles::{self, Content, HEIGHT, Tile, TileSource as _, WIDTH};

use super::contradictions::{Contradiction, contradictions};
use super::index;
use super::inventory::inventory_events;
use super::last_word::Told;
use super::{LogFolder, LogKey, Observer, SignedCheckpoint, TileFiles, read, round_events};
use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops;
use crate::disk::layout;
use crate::disk::state_folder;
use crate::round::round_folder::{RoundFolder, names_in};

/// How many leaves the last append set out to reach.
const INTENDED: &str = "intended";
/// The most leaves of one append; the program never writes a note of more.
const MOST_INTENDED: u64 = 1 << 20;

/// The line of a checkpoint that names the size of the previous one, so that none can be dropped.
pub(super) const PREVIOUS: &str = "previous ";

/// The result of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    /// Leaves of the log after it.
    pub size: u64,
    /// Leaves that were added; events that the log already holds are not added again.
    pub added: u64,
}

/// What happens with an event that the log already holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    Skipped,
    Added,
}

/// Everything that an append writes, in order; the checkpoint comes last.
pub(super) struct Plan {
    pub(super) tiles: Vec<(PathBuf, Vec<u8>)>,
    pub(super) checkpoint: SignedCheckpoint,
    old_size: u64,
}

impl LogFolder {
    /// Adds the events that are not in the log yet, in their order, with one checkpoint.
    ///
    /// Another process that appends waits. When this returns, the events are on the disk.
    pub fn append(&self, key: &LogKey, events: &[Event]) -> Result<Appended, FileError> {
        let _hold = self.take_turn()?;
        self.append_held(key, events, Known::Skipped)
    }

    /// Adds every event that the files of a round record and the log lacks, then publishes the salts
    /// of its public files.
    pub fn append_round(
        &self,
        key: &LogKey,
        round: &RoundFolder,
        by: Observer<'_>,
    ) -> Result<Appended, FileError> {
        let own = self.with_key();
        let _hold = own.take_turn()?;
        own.append_round_held(key, round, by)
    }

    /// The same for a round whose inputs were just frozen. A second freeze of the same inputs is added
    /// too, because the research beside them may have changed.
    pub fn append_freeze(
        &self,
        key: &LogKey,
        round: &RoundFolder,
        by: Observer<'_>,
    ) -> Result<Appended, FileError> {
        let own = self.with_key();
        let _hold = own.take_turn()?;
        let is_freeze = |event: &Event| matches!(event.fact, Fact::Freeze { .. });
        let events = own.events_of_round(&round.name())?;
        let last = events.iter().rev().find(|(_, event)| is_freeze(event));
        let last = last.and_then(|(_, event)| event.identity().ok());
        let fresh = round_events(round, by)?.into_iter().find(is_freeze);
        let again = fresh.filter(|fresh| last.is_some() && fresh.identity().ok() == last);
        if let Some(freeze) = again {
            let size = own.size()?;
            let told = [&events[..], &[(size, freeze.clone())]].concat();
            refuse(round, &told, size)?;
            own.append_held(key, &[freeze], Known::Added)?;
        }
        own.append_round_held(key, round, by)
    }

    fn append_round_held(
        &self,
        key: &LogKey,
        round: &RoundFolder,
        by: Observer<'_>,
    ) -> Result<Appended, FileError> {
        let events = round_events(round, by)?;
        let is_unknown = events.is_empty() && self.leaves_of_round(&round.name())?.is_empty();
        let inventories = if is_unknown {
            Vec::new()
        } else {
            inventory_events(self, round, by)?
        };
        self.refuse_contradictions(round, events.iter().chain(&inventories))?;
        let of_events = self.append_held(key, &events, Known::Skipped)?;
        if inventories.is_empty() {
            // A process that was killed may have added the inventory and not the salts.
            if !is_unknown {
                self.disclose(key, round)?;
            }
            return Ok(of_events);
        }
        let of_files = self.append_held(key, &inventories, Known::Skipped)?;
        self.disclose(key, round)?;
        Ok(Appended {
            size: of_files.size,
            added: of_events.added + of_files.added,
        })
    }

    /// Refuses to sign what `verify` would report as an error: a fixed file that changed, or prices and
    /// results that replaced others without a correction.
    fn refuse_contradictions<'a>(
        &self,
        round: &RoundFolder,
        new: impl Iterator<Item = &'a Event>,
    ) -> Result<(), FileError> {
        let size = self.size()?;
        let known = index::load(self, size)?;
        let mut told = Told::of_round(self, size, &known, &round.name())?;
        let mut events = self.events_of_round(&round.name())?;
        for event in new {
            let refused = |error: EventError| FileError::folder(round.path(), error);
            let identity = event.identity().map_err(refused)?;
            if told.is_news(event, identity)? {
                events.push((size, event.clone()));
            }
        }
        refuse(round, &events, size)
    }

    pub(super) fn take_turn(&self) -> Result<file_ops::Hold, FileError> {
        let state = self.file(layout::LOG_STATE);
        state_folder::create(&self.file(layout::STATE))?;
        file_ops::create_folder(&state)?;
        Ok(file_ops::hold_in_turn(&state.join("lock"))?)
    }

    pub(super) fn append_held(
        &self,
        key: &LogKey,
        events: &[Event],
        twice: Known,
    ) -> Result<Appended, FileError> {
        key.announce(self)?;
        let present = self.checkpoint()?;
        if let Some(present) = &present
            && !self.kept_file(present.checkpoint.size).exists()
        {
            self.keep(present)?;
            file_ops::remove_unfinished(&self.file(layout::LOG_CHECKPOINTS))?;
        }
        let size = present.as_ref().map_or(0, |signed| signed.checkpoint.size);
        self.remove_unfinished(size)?;
        let mut known = index::load(self, size)?;
        let mut leaves = Vec::new();
        let mut of_round: BTreeMap<&str, Told<'_>> = BTreeMap::new();
        for event in events {
            let refused = |error| {
                let text = format!("{} of {}: {error}", event.fact.name(), event.round);
                FileError::folder(&self.file(layout::LOG), text)
            };
            let identity = event.identity().map_err(refused)?;
            let told = match of_round.entry(event.round.as_str()) {
                Entry::Occupied(told) => told.into_mut(),
                Entry::Vacant(place) => {
                    place.insert(Told::of_round(self, size, &known, &event.round)?)
                }
            };
            if !told.is_news(event, identity)? && twice == Known::Skipped {
                continue;
            }
            known.add(&event.round, size + leaves.len() as u64, identity);
            leaves.push(event.to_leaf().map_err(refused)?);
        }
        let added = leaves.len() as u64;
        if added > 0 {
            let plan = self.plan(key, present.as_ref(), &leaves)?;
            self.commit(&plan)?;
            known.store(self, size + added)?;
        }
        Ok(Appended {
            size: size + added,
            added,
        })
    }

    /// The files of a log with these leaves more; nothing is written.
    pub(super) fn plan(
        &self,
        key: &LogKey,
        present: Option<&SignedCheckpoint>,
        leaves: &[Vec<u8>],
    ) -> Result<Plan, FileError> {
        let old = present.map_or(0, |signed| signed.checkpoint.size);
        let mut edge = Edge::read(&self.reader(old), old)?;
        if present.is_some_and(|signed| signed.checkpoint.root != edge.root()) {
            let text = "the tiles do not match the root of the signed checkpoint, so somebody changed \
                        them; nothing was appended; find the place with `capitalbench verify`";
            return Err(FileError::folder(&self.file(layout::LOG), text));
        }
        let mut completed: BTreeMap<u32, Vec<Hash>> = BTreeMap::new();
        for leaf in leaves {
            edge.append(leaf_hash(leaf), |level, _, hash| {
                if level % HEIGHT == 0 {
                    completed.entry(level / HEIGHT).or_default().push(hash);
                }
            });
        }
        let mut files = Vec::new();
        for tile in tiles::added(old, edge.size()) {
            let bytes = match tile.content {
                Content::Entries => self.grown_bundle(tile, old, leaves)?,
                Content::Hashes(level) => {
                    let new = completed.get(&level).map_or(&[][..], Vec::as_slice);
                    self.grown_hashes(tile, old, new)?
                }
            };
            files.push((self.tile_file(tile), bytes));
        }
        let checkpoint = Checkpoint {
            origin: key.verifier().name().to_owned(),
            size: edge.size(),
            root: edge.root(),
            extensions: vec![format!("{PREVIOUS}{old}")],
        };
        let note = checkpoint.sign(key.signer());
        let note =
            note.map_err(|error| Fault::new(error).in_file(&self.file(layout::LOG_CHECKPOINT)))?;
        Ok(Plan {
            tiles: files,
            checkpoint: SignedCheckpoint {
                checkpoint,
                note: note.to_string(),
            },
            old_size: old,
        })
    }

    fn grown_bundle(&self, tile: Tile, old: u64, new: &[Vec<u8>]) -> Result<Vec<u8>, FileError> {
        let before = self.bundle(tile.index, old)?;
        let all = before.iter().map(Vec::as_slice);
        let added = part(tile, old, new).iter().map(Vec::as_slice);
        let bytes = tiles::bundle(all.chain(added));
        bytes.ok_or_else(|| Fault::new("a leaf is too long").in_file(&self.tile_file(tile)))
    }

    fn grown_hashes(&self, tile: Tile, old: u64, new: &[Hash]) -> Result<Vec<u8>, FileError> {
        let mut hashes = match Tile::at_size(tile.content, tile.index, old) {
            Some(before) => TileFiles(self).hashes(before)?,
            None => Vec::new(),
        };
        hashes.extend(part(tile, old, new));
        Ok(tiles::hash_tile(&hashes))
    }

    fn commit(&self, plan: &Plan) -> Result<(), FileError> {
        self.write_tiles(plan, plan.tiles.len())?;
        let checkpoint = &plan.checkpoint;
        let file = self.file(layout::LOG_CHECKPOINT);
        file_ops::replace(&file, checkpoint.note.as_bytes())?;
        self.keep(checkpoint)?;
        self.tidy(plan)
    }

    /// Writes the first tiles of a plan, after a note of the size that is to be reached.
    pub(super) fn write_tiles(&self, plan: &Plan, count: usize) -> Result<(), FileError> {
        let size = plan.checkpoint.checkpoint.size;
        let note = self.file(layout::LOG_STATE).join(INTENDED);
        file_ops::replace(&note, format!("{size}\n").as_bytes())?;
        Ok(file_ops::replace_all(&plan.tiles[..count])?)
    }

    /// The size that an interrupted append was to reach; the present size if none was interrupted.
    pub(super) fn intended(&self, size: u64) -> Result<u64, FileError> {
        let note = read(&self.file(layout::LOG_STATE).join(INTENDED))?;
        let text = String::from_utf8(note.unwrap_or_default()).unwrap_or_default();
        let intended = text.trim_end().parse().unwrap_or(size);
        Ok(intended.clamp(size, size.saturating_add(MOST_INTENDED)))
    }

    fn remove_unfinished(&self, size: u64) -> Result<(), FileError> {
        for folder in [layout::LOG, layout::LOG_STATE] {
            file_ops::remove_unfinished(&self.file(folder))?;
        }
        for tile in tiles::added(size, self.intended(size)?) {
            let file = self.tile_file(tile);
            if file.exists() {
                file_ops::remove(&file)?;
            }
            if let Some(folder) = file.parent() {
                file_ops::remove_unfinished(folder)?;
            }
        }
        Ok(())
    }

    /// Keeps a checkpoint for good, but only once it is current: a checkpoint of leaves that never
    /// counted would contradict the next one of its size.
    fn keep(&self, signed: &SignedCheckpoint) -> Result<(), FileError> {
        let file = self.kept_file(signed.checkpoint.size);
        file_ops::create_folder(&self.file(layout::LOG_CHECKPOINTS))?;
        Ok(file_ops::create_new(&file, signed.note.as_bytes())?)
    }

    /// Removes the partial forms of tiles that became full.
    fn tidy(&self, plan: &Plan) -> Result<(), FileError> {
        let added = tiles::added(plan.old_size, plan.checkpoint.checkpoint.size);
        for tile in added.iter().filter(|tile| !tile.is_partial()) {
            let folder = self.file(layout::LOG).join(tile.partial_folder());
            for name in names_in(&folder)? {
                file_ops::remove(&folder.join(name))?;
            }
            file_ops::remove_empty_folder(&folder)?;
        }
        Ok(())
    }
}

/// Refuses new events, from this size of the log on, that contradict others.
fn refuse(round: &RoundFolder, events: &[(u64, Event)], size: u64) -> Result<(), FileError> {
    let condemned = |found: &Contradiction| found.leaf >= size && found.kind.is_error();
    match contradictions(events).into_iter().find(condemned) {
        None => Ok(()),
        Some(found) => {
            let text = format!(
                "{} {}; nothing was signed, because `capitalbench verify` would report an error: \
                 restore the file from a copy, or give the command --correct REASON",
                found.about, found.text
            );
            Err(FileError::folder(round.path(), text))
        }
    }
}

/// The new items that belong into a tile.
fn part<T>(tile: Tile, old_size: u64, new: &[T]) -> &[T] {
    let before = match tile.content {
        Content::Entries => old_size,
        Content::Hashes(level) => old_size >> (HEIGHT * level),
    };
    let start = tile.index * WIDTH;
    let from = start.max(before) - before;
    let to = start + tile.width - before;
    let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    new.get(place(from)..place(to)).unwrap_or_default()
}
