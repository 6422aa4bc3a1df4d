//! Which events the log holds, by round: no event is appended twice, and a round finds its own.
//!
//! The index is computed from the leaves. It is written once per full bundle and may lag behind the
//! log; then the later leaves are read again. An index of another log is computed anew.

use std::collections::BTreeMap;
use std::path::PathBuf;

use capitalbench_core::values::ids::RoundId;
use capitalbench_proof::event::Event;
use capitalbench_proof::merkle::{self, Hash};
use capitalbench_proof::tiles::WIDTH;

use super::{LogFolder, read};
use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops;
use crate::disk::layout;
use crate::round::round_folder::names_in;

/// Index and identity of events.
type Places = Vec<(u64, Hash)>;

/// Bytes of one event in a file: eight of its index, 32 of its identity.
const ROW: usize = 40;

/// The index of a log.
#[derive(Debug)]
pub(super) struct Index {
    /// Number of leaves that the files cover.
    covered: u64,
    /// Events after them, by round.
    tail: BTreeMap<String, Places>,
}

/// The index of a log of this size, up to its last leaf.
pub(super) fn load(log: &LogFolder, size: u64) -> Result<Index, FileError> {
    read_from(log, size, covered(log, size)?)
}

/// The same from the leaves alone, because the index may come from somebody else.
pub(super) fn from_leaves(log: &LogFolder, size: u64) -> Result<Index, FileError> {
    read_from(log, size, 0)
}

fn read_from(log: &LogFolder, size: u64, covered: u64) -> Result<Index, FileError> {
    let mut tail: BTreeMap<String, Places> = BTreeMap::new();
    let mut index = covered;
    while index < size {
        let number = index / WIDTH;
        let skipped = usize::try_from(index % WIDTH).unwrap_or_default();
        for leaf in log.bundle(number, size)?.iter().skip(skipped) {
            let event =
                event(leaf, index).map_err(|fault| fault.in_file(&log.file(layout::LOG)))?;
            tail.entry(event.0).or_default().push((index, event.1));
            index += 1;
        }
    }
    Ok(Index { covered, tail })
}

fn event(leaf: &[u8], index: u64) -> Result<(String, Hash), Fault> {
    let named = |error| Fault::field(format!("leaf {index}"), format!("{error}"));
    let event = Event::parse(leaf).map_err(named)?;
    let identity = event.identity().map_err(named)?;
    Ok((event.round, identity))
}

impl Index {
    pub(super) fn events(&self, log: &LogFolder, round: &str) -> Result<Places, FileError> {
        let mut places = stored(log, round, self.covered)?;
        places.extend(self.tail.get(round).into_iter().flatten());
        Ok(places)
    }

    /// The indices of the leaves of a round.
    pub(super) fn places(&self, log: &LogFolder, round: &str) -> Result<Vec<u64>, FileError> {
        let events = self.events(log, round)?;
        Ok(events.into_iter().map(|(index, _)| index).collect())
    }

    /// Notes an event that is being appended.
    pub(super) fn add(&mut self, round: &str, index: u64, identity: Hash) {
        let own = self.tail.entry(round.to_owned()).or_default();
        own.push((index, identity));
    }

    /// Writes the entries of full bundles; later leaves will be read again.
    pub(super) fn store(self, log: &LogFolder, size: u64) -> Result<(), FileError> {
        let full = size - size % WIDTH;
        if full <= self.covered {
            return Ok(());
        }
        if self.covered == 0 {
            // What another log left here would make events of this one look known.
            let folder = log.file(layout::LOG_STATE).join("index");
            for name in names_in(&folder)? {
                file_ops::remove(&folder.join(name))?;
            }
        }
        let mut files = Vec::new();
        for (round, added) in &self.tail {
            let mut places = stored(log, round, self.covered)?;
            places.extend(added.iter().filter(|(index, _)| *index < full));
            files.push((file(log, round)?, bytes(&places)));
        }
        file_ops::replace_all(&files)?;
        let root = merkle::root(&log.reader(size), full)?;
        let text = format!("{full} {}\n", root.to_hex());
        Ok(file_ops::replace(&mark(log), text.as_bytes())?)
    }
}

fn mark(log: &LogFolder) -> PathBuf {
    log.file(layout::LOG_STATE).join("indexed")
}

fn file(log: &LogFolder, round: &str) -> Result<PathBuf, FileError> {
    let folder = log.file(layout::LOG_STATE).join("index");
    // The name comes from a leaf; it must not lead out of the folder.
    let name = RoundId::parse(round)
        .map_err(|error| FileError::folder(&folder, format!("{round}: {error}")))?;
    Ok(folder.join(name.as_str()))
}

/// How many leaves the files cover; 0 when they belong to another log.
fn covered(log: &LogFolder, size: u64) -> Result<u64, FileError> {
    let Some(bytes) = read(&mark(log))? else {
        return Ok(0);
    };
    let text = String::from_utf8_lossy(&bytes);
    let parts = text.trim_end().split_once(' ');
    let Some((covered, root)) = parts.and_then(|(covered, root)| {
        let covered: u64 = covered.parse().ok()?;
        Some((covered, Hash::parse_hex(root)?))
    }) else {
        return Ok(0);
    };
    let fits = covered <= size && merkle::root(&log.reader(size), covered)? == root;
    Ok(if fits { covered } else { 0 })
}

/// The events of a round below a size, as the file says.
fn stored(log: &LogFolder, round: &str, covered: u64) -> Result<Places, FileError> {
    let bytes = read(&file(log, round)?)?.unwrap_or_default();
    let rows = bytes.chunks_exact(ROW).filter_map(|row| {
        let (index, identity) = row.split_first_chunk::<8>()?;
        Some((u64::from_be_bytes(*index), Hash::from_slice(identity)?))
    });
    Ok(rows.filter(|(index, _)| *index < covered).collect())
}

fn bytes(places: &Places) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(places.len() * ROW);
    for (index, identity) in places {
        bytes.extend(index.to_be_bytes());
        bytes.extend(identity.as_bytes());
    }
    bytes
}
