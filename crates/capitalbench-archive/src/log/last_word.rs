//! Which events replace each other: only the latest of a kind must agree with the files.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::values::ids::Digest;
use capitalbench_proof::event::{Event, EventError, Fact, Files};
use capitalbench_proof::merkle::Hash;
use jiff::Timestamp;

use super::index::Index;
use super::{LogFolder, instant};
use crate::disk::error::FileError;
use crate::disk::layout;
use crate::format::round::hashes::Digests;

/// The kind of an event that a later one replaces; none for those that all stay true.
pub(crate) fn replaced_kind(fact: &Fact) -> Option<String> {
    match fact {
        Fact::EntryPrices { .. }
        | Fact::ExitPrices { .. }
        | Fact::Freeze { .. }
        | Fact::Methodology { .. } => Some(fact.name().to_owned()),
        Fact::Score { run, .. } => Some(format!("score {run}")),
        Fact::Claim { statement, .. } => Some(format!("claim {statement}")),
        Fact::Slots { .. }
        | Fact::AttemptBegin { .. }
        | Fact::AttemptEnd { .. }
        | Fact::Repaired { .. }
        | Fact::Accepted { .. }
        | Fact::Pick { .. }
        | Fact::Correction { .. }
        | Fact::Ended { .. }
        | Fact::Explained { .. }
        | Fact::Registered(_)
        | Fact::Entrant { .. }
        | Fact::EntrySealed { .. }
        | Fact::EntryOpened { .. }
        | Fact::AgentAsked { .. }
        | Fact::AgentAnswered { .. }
        | Fact::Inventory { .. } => None,
    }
}

impl LogFolder {
    /// The files of the latest exit prices of a round, with the entry sheet of the same fetch; empty
    /// where the log has none.
    pub fn signed_prices(&self, round: &str) -> Result<Digests, FileError> {
        let (mut entry, mut exit) = (Digests::new(), Digests::new());
        for event in self.round_facts(round)? {
            match event {
                Fact::EntryPrices { files, .. } => entry = digests(files),
                Fact::ExitPrices { files, .. } => exit = digests(files),
                _ => {}
            }
        }
        if !exit.is_empty() {
            exit.extend(entry);
        }
        Ok(exit)
    }

    /// The files of the latest result of a run; empty where the log has none.
    pub fn signed_results(&self, round: &str, run: &str) -> Result<Digests, FileError> {
        let mut facts = self.round_facts(round)?.into_iter().rev();
        let results = facts.find_map(|fact| match fact {
            Fact::Score { run: own, results } if own == run => Some(digests(results)),
            _ => None,
        });
        Ok(results.unwrap_or_default())
    }

    /// The latest instant in the events of a round; none where the log has no event of it.
    pub fn last_instant(&self, round: &str) -> Result<Option<Timestamp>, FileError> {
        let events = self.events_of_round(round)?.into_iter();
        Ok(events.filter_map(|(_, event)| instant(&event)).max())
    }

    fn round_facts(&self, round: &str) -> Result<Vec<Fact>, FileError> {
        let events = self.events_of_round(round)?.into_iter();
        Ok(events.map(|(_, event)| event.fact).collect())
    }

    /// The events of a round with their leaves, in the order of the log.
    pub(super) fn events_of_round(&self, round: &str) -> Result<Vec<(u64, Event)>, FileError> {
        let leaves = self.leaves_of_round(round)?.into_iter();
        let parse = |(index, leaf): (u64, Vec<u8>)| {
            let named = |error: EventError| {
                let text = format!("leaf {index}: {error}");
                FileError::folder(&self.rounds().join(layout::LOG), text)
            };
            Ok((index, Event::parse(&leaf).map_err(named)?))
        };
        leaves.map(parse).collect()
    }
}

fn digests(files: Files) -> Digests {
    let digest = |(path, hash): (String, Hash)| (path, Digest::from_bytes(*hash.as_bytes()));
    files.into_iter().map(digest).collect()
}

/// The events of one round in the log, while others are added.
pub(super) struct Told<'a> {
    log: &'a LogFolder,
    /// Size of the log before anything is added.
    size: u64,
    places: Vec<u64>,
    identities: BTreeSet<Hash>,
    /// The latest event of each kind; read when it is first needed.
    last: Option<BTreeMap<String, Hash>>,
}

impl<'a> Told<'a> {
    pub(super) fn of_round(
        log: &'a LogFolder,
        size: u64,
        known: &Index,
        round: &str,
    ) -> Result<Self, FileError> {
        let (places, identities) = known.events(log, round)?.into_iter().unzip();
        Ok(Self {
            log,
            size,
            places,
            identities,
            last: None,
        })
    }

    /// Whether the log must gain this event. Results that return to what they were before a
    /// correction are added again; otherwise the correction would stay the latest event.
    pub(super) fn is_news(&mut self, event: &Event, identity: Hash) -> Result<bool, FileError> {
        let is_new = self.identities.insert(identity);
        let Some(kind) = replaced_kind(&event.fact) else {
            return Ok(is_new);
        };
        let last = match &mut self.last {
            Some(last) => last,
            none => none.insert(latest(self.log, &self.places, self.size)?),
        };
        Ok(last.insert(kind, identity) != Some(identity))
    }
}

fn latest(log: &LogFolder, places: &[u64], size: u64) -> Result<BTreeMap<String, Hash>, FileError> {
    let leaves = log.leaves(places, size)?.into_iter();
    let word = |(_, leaf): (u64, Vec<u8>)| {
        let event = Event::parse(&leaf).ok()?;
        Some((replaced_kind(&event.fact)?, event.identity().ok()?))
    };
    Ok(leaves.filter_map(word).collect())
}
