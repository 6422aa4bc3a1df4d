//! Lists the files of a round in the log, so that none can be changed, added or dropped unnoticed.
//!
//! An inventory lists only what differs from the ones before it. Digests are sealed: an inventory
//! reveals names, not bytes. Locks and leases name workers and are not part of a round.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_proof::event::{Event, Fact, Instant, Sealed};

use super::{LogFolder, Observer};
use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops::TEMPORARY_PREFIX;
use crate::disk::layout;
use crate::round::round_folder::RoundFolder;
use crate::verify::walk;

/// Files in one leaf; they fit even with the longest names.
const MOST_FILES: usize = 150;

/// The combined inventories of a round.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inventory {
    /// Number of inventories so far.
    pub count: u64,
    /// The present files, with their sealed digests.
    pub bodies: BTreeMap<String, Sealed>,
}

impl Inventory {
    /// Adds the next inventory; false when one before it is missing.
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
    /// The combined inventories of a round in the log.
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

/// The files of a round that the log knows and a public copy does not hold.
pub fn hidden_files(round: &RoundFolder) -> Result<BTreeSet<String>, FileError> {
    let told = LogFolder::of_round(round).inventory(&round.name())?;
    let here = files_of(round)?;
    let mut hidden: BTreeSet<String> = told.bodies.into_keys().collect();
    hidden.retain(|path| !here.contains(path));
    Ok(hidden)
}

/// The files of a round that belong into its inventories.
pub fn files_of(round: &RoundFolder) -> Result<Vec<String>, FileError> {
    let mut files = walk(round.path())?;
    files.retain(|path| is_told(path));
    Ok(files)
}

/// Whether a file belongs into inventories.
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
    let at =
        at.ok_or_else(|| Fault::new("the current time is out of range").in_file(round.path()))?;
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
