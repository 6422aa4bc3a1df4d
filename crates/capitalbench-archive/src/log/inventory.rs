//! What the folder of a round holds, file by file, so that none can be changed, added or dropped.
//!
//! An inventory tells only what differs from the ones before it. Digests are sealed: names are told,
//! bytes are not. Locks and leases say who works on a round and are no part of it.

use std::collections::BTreeMap;

use capitalbench_proof::event::{Event, Fact, Instant, Sealed};

use super::{LogFolder, Observer};
use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops::TEMPORARY_PREFIX;
use crate::disk::layout;
use crate::round::round_folder::RoundFolder;
use crate::verify::walk;

/// Files in one leaf; with the longest names they still fit.
const MOST_FILES: usize = 150;

/// Everything that the inventories of a round told, taken together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inventory {
    /// How many there were.
    pub count: u64,
    /// The files that are there.
    pub bodies: BTreeMap<String, Sealed>,
}

impl Inventory {
    /// Takes in the next one; false when one before it is missing.
    pub fn add(&mut self, fact: &Fact) -> bool {
        let Fact::Inventory {
            number,
            bodies,
            gone,
        } = fact
        else {
            return true;
        };
        let follows = *number == self.count + 1;
        self.count = *number;
        for path in gone {
            self.bodies.remove(path);
        }
        let new = bodies.iter().map(|(path, sealed)| (path.clone(), *sealed));
        self.bodies.extend(new);
        follows
    }
}

impl LogFolder {
    /// What the inventories of a round tell by now.
    pub(super) fn inventory(&self, round: &str) -> Result<Inventory, FileError> {
        let mut told = Inventory::default();
        for (_, leaf) in self.leaves_of_round(round)? {
            if let Ok(event) = Event::parse(&leaf) {
                told.add(&event.fact);
            }
        }
        Ok(told)
    }
}

/// The files of a round that its inventories tell of.
pub fn files_of(round: &RoundFolder) -> Result<Vec<String>, FileError> {
    let mut files = walk(round.path())?;
    files.retain(|path| is_told(path));
    Ok(files)
}

/// Whether inventories tell of a file.
pub(crate) fn is_told(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let lease = path
        .strip_prefix(layout::AUTOMATION)
        .is_some_and(|rest| rest.starts_with("/lease-"));
    !lease && name != layout::run::LOCK && !name.starts_with(TEMPORARY_PREFIX)
}

/// The inventories that bring the log up to what the folder holds now.
pub(super) fn inventory_events(
    log: &LogFolder,
    round: &RoundFolder,
    by: Observer<'_>,
) -> Result<Vec<Event>, FileError> {
    let name = round.name();
    let told = log.inventory(&name)?;
    let files = files_of(round)?;
    let mut new = Vec::new();
    for path in &files {
        let sealed = by.seal(&name, path, &round.read(path)?);
        if told.bodies.get(path) != Some(&sealed) {
            new.push((path.clone(), sealed));
        }
    }
    let mut gone: Vec<String> = told.bodies.into_keys().collect();
    gone.retain(|path| !files.contains(path));
    let at = Instant::parse(&by.now.to_string());
    let at = at.ok_or_else(|| Fault::new("the clock names no instant").in_file(round.path()))?;
    let leaves = new.len().max(gone.len()).div_ceil(MOST_FILES);
    let part = |at: usize, length: usize| {
        (at * MOST_FILES).min(length)..((at + 1) * MOST_FILES).min(length)
    };
    let event = |place: usize| Event {
        round: name.clone(),
        at: at.clone(),
        fact: Fact::Inventory {
            number: told.count + 1 + place as u64,
            bodies: new[part(place, new.len())].iter().cloned().collect(),
            gone: gone[part(place, gone.len())].to_vec(),
        },
    };
    Ok((0..leaves).map(event).collect())
}
