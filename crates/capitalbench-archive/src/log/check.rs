//! The whole log, leaf by leaf, in memory that does not grow with it.
//!
//! It computes everything again from the leaves: the hashes of every level and the roots of every
//! kept checkpoint, and names each place where a file differs.

use std::collections::BTreeMap;
use std::path::Path;

use capitalbench_proof::checkpoint::Checkpoint;
use capitalbench_proof::event::Event;
use capitalbench_proof::merkle::{Edge, Hash, leaf_hash};
use capitalbench_proof::note::VerifierKey;
use capitalbench_proof::tiles::{self, Content, HEIGHT, Tile, WIDTH};

use super::append::PREVIOUS;
use super::{LogFolder, read};
use crate::disk::error::FileError;
use crate::disk::file_ops;
use crate::disk::layout;
use crate::round::round_folder::entries_in;

/// Problems after this many are counted, not listed.
const MOST_PROBLEMS: usize = 100;

/// One thing that is wrong with the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogProblem {
    /// File of the log, or leaf.
    pub place: String,
    pub problem: String,
}

/// What a check of the whole log found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogCheck {
    /// The present state; none when nothing is signed.
    pub checkpoint: Option<Checkpoint>,
    /// Kept checkpoints that hold.
    pub checkpoints: u64,
    /// Empty when the log holds.
    pub problems: Vec<LogProblem>,
    /// Problems that are not listed.
    pub more: u64,
}

impl LogCheck {
    pub fn holds(&self) -> bool {
        self.problems.is_empty()
    }

    fn find(&mut self, place: impl Into<String>, problem: impl Into<String>) {
        if self.problems.len() == MOST_PROBLEMS {
            self.more += 1;
            return;
        }
        self.problems.push(LogProblem {
            place: place.into(),
            problem: problem.into(),
        });
    }
}

/// Checks every file of the log, and passes every event with its index to `visit`.
///
/// Only a failing disk is an error; problems of the log are in the result.
pub fn check(log: &LogFolder, visit: &mut dyn FnMut(u64, &Event)) -> Result<LogCheck, FileError> {
    let mut found = LogCheck::default();
    let key = match log.verifier() {
        Ok(Some(key)) => key,
        Ok(None) => {
            if log.file(layout::LOG).exists() {
                found.find("vkey", "is missing, so nothing can be checked");
            }
            return Ok(found);
        }
        Err(error) => {
            found.find("vkey", error.problem());
            return Ok(found);
        }
    };
    let size = match log.checkpoint() {
        Ok(Some(signed)) => {
            let size = signed.checkpoint.size;
            found.checkpoint = Some(signed.checkpoint);
            size
        }
        Ok(None) => {
            if log.file("log/tile").exists() || log.file(layout::LOG_CHECKPOINTS).exists() {
                found.find("checkpoint", "is missing, although the log has leaves");
            }
            return Ok(found);
        }
        Err(error) => {
            found.find("checkpoint", error.problem());
            return Ok(found);
        }
    };
    let mut pass = Pass {
        log,
        key: &key,
        size,
        edge: Edge::default(),
        rows: BTreeMap::new(),
        last_kept: 0,
        found,
    };
    pass.leaves(visit)?;
    let intended = log.intended(size)?;
    pass.files("tile", intended)?;
    pass.kept()?;
    Ok(pass.found)
}

/// One pass over the log.
struct Pass<'a> {
    log: &'a LogFolder,
    key: &'a VerifierKey,
    size: u64,
    edge: Edge,
    /// The tile of each level that is being filled.
    rows: BTreeMap<u32, Vec<Hash>>,
    /// Size of the last kept checkpoint.
    last_kept: u64,
    found: LogCheck,
}

impl Pass<'_> {
    fn leaves(&mut self, visit: &mut dyn FnMut(u64, &Event)) -> Result<(), FileError> {
        for number in 0..self.size.div_ceil(WIDTH) {
            let leaves = match self.log.bundle(number, self.size) {
                Ok(leaves) => leaves,
                Err(error) => {
                    let tile = Tile::at_size(Content::Entries, number, self.size);
                    let place = tile.map_or_else(String::new, |tile| tile.path());
                    self.found.find(place, error.problem());
                    return Ok(());
                }
            };
            for leaf in leaves {
                let index = self.edge.size();
                match Event::parse(&leaf) {
                    Ok(event) => visit(index, &event),
                    Err(error) => self.found.find(format!("leaf {index}"), error.to_string()),
                }
                self.add(leaf_hash(&leaf))?;
            }
        }
        for (level, row) in std::mem::take(&mut self.rows) {
            self.compare(level, &row)?;
        }
        let root = self.edge.root();
        let signed = self.found.checkpoint.as_ref().map(|signed| signed.root);
        if signed != Some(root) {
            let text = "signs another root than the leaves give: leaves were changed or moved";
            self.found.find("checkpoint", text);
        }
        Ok(())
    }

    fn add(&mut self, leaf: Hash) -> Result<(), FileError> {
        let mut completed = Vec::new();
        self.edge.append(leaf, |level, _, hash| {
            if level % HEIGHT == 0 {
                completed.push((level / HEIGHT, hash));
            }
        });
        for (level, hash) in completed {
            let row = self.rows.entry(level).or_default();
            row.push(hash);
            if row.len() as u64 == WIDTH {
                let row = std::mem::take(row);
                self.compare(level, &row)?;
            }
        }
        self.kept_at(self.edge.size())
    }

    /// Compares a tile of hashes with the hashes that the leaves have.
    fn compare(&mut self, level: u32, row: &[Hash]) -> Result<(), FileError> {
        if row.is_empty() {
            return Ok(());
        }
        let count = self.edge.size() >> (HEIGHT * level);
        let tile = Tile {
            content: Content::Hashes(level),
            index: (count - 1) / WIDTH,
            width: row.len() as u64,
        };
        match read(&self.log.tile_file(tile))? {
            None => self.found.find(tile.path(), "is missing"),
            Some(bytes) if bytes != tiles::hash_tile(row) => {
                let text = "does not hold the hashes that the leaves give";
                self.found.find(tile.path(), text);
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// A checkpoint that was signed when the log had this size must sign this root.
    fn kept_at(&mut self, size: u64) -> Result<(), FileError> {
        let Some(bytes) = read(&self.log.kept_file(size))? else {
            return Ok(());
        };
        let place = || format!("checkpoints/{size}");
        match Checkpoint::open(&bytes, self.key, &[]) {
            Err(error) => self.found.find(place(), error.to_string()),
            Ok((kept, _)) if kept.size != size => {
                self.found
                    .find(place(), format!("has the size {}", kept.size));
            }
            Ok((kept, _)) if kept.root != self.edge.root() => {
                let text = "signs another root than these leaves give: history was changed";
                self.found.find(place(), text);
            }
            Ok((kept, _)) => {
                self.found.checkpoints += 1;
                let last = std::mem::replace(&mut self.last_kept, size);
                if !kept.extensions.contains(&format!("{PREVIOUS}{last}")) {
                    let text = format!(
                        "does not name {last} as the one before it: a checkpoint in between is missing"
                    );
                    self.found.find(place(), text);
                }
                self.partial_tiles(size);
            }
        }
        Ok(())
    }

    /// The partial tiles of a signed size must exist until the full tile does.
    fn partial_tiles(&mut self, size: u64) {
        let levels = (0..HEIGHT).map(Content::Hashes);
        for content in std::iter::once(Content::Entries).chain(levels) {
            let count = match content {
                Content::Entries => size,
                Content::Hashes(level) => size.checked_shr(HEIGHT * level).unwrap_or(0),
            };
            let tile = Tile::at_size(content, count / WIDTH, size);
            let present = Tile::at_size(content, count / WIDTH, self.size);
            if let (Some(tile), Some(present)) = (tile, present)
                && present.is_partial()
                && !self.log.tile_file(tile).is_file()
            {
                self.found.find(tile.path(), "is missing");
            }
        }
    }

    /// The folder of kept checkpoints must hold the present one, and nothing but checkpoints.
    fn kept(&mut self) -> Result<(), FileError> {
        let folder = self.log.file(layout::LOG_CHECKPOINTS);
        if !self.log.kept_file(self.size).is_file() {
            let text = "is missing; the next append writes it";
            self.found.find(format!("checkpoints/{}", self.size), text);
        }
        each_name(&folder, &mut |name| {
            if is_unfinished(name) {
                return;
            }
            let size = name.parse::<u64>().ok();
            let own = size.filter(|size| size.to_string() == *name);
            match own {
                Some(size) if (1..=self.size).contains(&size) => {}
                Some(_) => {
                    let text = format!("signs more leaves than the log has ({})", self.size);
                    self.found.find(format!("checkpoints/{name}"), text);
                }
                None => self
                    .found
                    .find(format!("checkpoints/{name}"), "is not a file of the log"),
            }
        })
    }

    /// Checks files that do not belong to the present size, and partial tiles of older sizes.
    fn files(&mut self, below: &str, intended: u64) -> Result<(), FileError> {
        let folder = self.log.file(layout::LOG).join(below);
        for (name, kind) in entries_in(&folder)? {
            let path = format!("{below}/{name}");
            if kind.is_dir() {
                self.files(&path, intended)?;
                continue;
            }
            if is_unfinished(&name) {
                continue;
            }
            let Some(tile) = Tile::parse(&path).filter(|_| kind.is_file()) else {
                self.found.find(path, "is not a file of the log");
                continue;
            };
            match Tile::at_size(tile.content, tile.index, self.size) {
                Some(present) if present == tile => {}
                Some(present) if tile.width < present.width => self.prefix(tile, present)?,
                // A crash left it; it does not count, and the next append removes it.
                _ if Tile::at_size(tile.content, tile.index, intended) == Some(tile) => {}
                _ => self.found.find(path, "is beyond the signed leaves"),
            }
        }
        Ok(())
    }

    /// A partial tile of an older size must be the beginning of the present one.
    fn prefix(&mut self, older: Tile, present: Tile) -> Result<(), FileError> {
        let old = read(&self.log.tile_file(older))?.unwrap_or_default();
        let new = read(&self.log.tile_file(present))?.unwrap_or_default();
        let count = |bytes: &[u8]| match older.content {
            Content::Entries => tiles::leaves_of(bytes).map(|leaves| leaves.len() as u64),
            Content::Hashes(_) => tiles::hashes_of(bytes).map(|hashes| hashes.len() as u64),
        };
        if !new.starts_with(&old) || count(&old) != Some(older.width) {
            let text = "is not the beginning of the tile that it became";
            self.found.find(older.path(), text);
        }
        Ok(())
    }
}

/// Whether a crash left this temporary file.
fn is_unfinished(name: &str) -> bool {
    name.starts_with(file_ops::TEMPORARY_PREFIX)
}

fn each_name(folder: &Path, look: &mut dyn FnMut(&str)) -> Result<(), FileError> {
    let failed = |error: std::io::Error| FileError::folder(folder, error);
    let found = match std::fs::read_dir(folder) {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    for entry in found {
        look(&entry.map_err(failed)?.file_name().to_string_lossy());
    }
    Ok(())
}
