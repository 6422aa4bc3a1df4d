//! Which events replace each other: only the last one of a kind is the word on what the files say.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_proof::event::{Event, Fact};
use capitalbench_proof::merkle::Hash;

use super::LogFolder;
use super::index::Index;
use crate::error::FileError;

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
        | Fact::Accepted { .. }
        | Fact::Pick { .. }
        | Fact::Correction { .. }
        | Fact::Inventory { .. } => None,
    }
}

/// What the log holds of one round while events are added to it.
pub(super) struct Told {
    places: Vec<u64>,
    identities: BTreeSet<Hash>,
    /// The last word of each kind; read when it is first asked for.
    last: Option<BTreeMap<String, Hash>>,
}

impl Told {
    pub(super) fn of_round(log: &LogFolder, known: &Index, round: &str) -> Result<Self, FileError> {
        let (places, identities) = known.events(log, round)?.into_iter().unzip();
        Ok(Self {
            places,
            identities,
            last: None,
        })
    }

    /// Whether a log of this size does not say it yet. Results that return to what they were
    /// before a correction are said again: the last word would otherwise be the correction's.
    pub(super) fn is_news(
        &mut self,
        (log, size): (&LogFolder, u64),
        event: &Event,
        identity: Hash,
    ) -> Result<bool, FileError> {
        let is_new = self.identities.insert(identity);
        let Some(kind) = replaced_kind(&event.fact) else {
            return Ok(is_new);
        };
        let last = match &mut self.last {
            Some(last) => last,
            none => none.insert(last_words(log, &self.places, size)?),
        };
        Ok(last.insert(kind, identity) != Some(identity))
    }
}

fn last_words(
    log: &LogFolder,
    places: &[u64],
    size: u64,
) -> Result<BTreeMap<String, Hash>, FileError> {
    let leaves = log.leaves(places, size)?.into_iter();
    let word = |(_, leaf): (u64, Vec<u8>)| {
        let event = Event::parse(&leaf).ok()?;
        Some((replaced_kind(&event.fact)?, event.identity().ok()?))
    };
    Ok(leaves.filter_map(word).collect())
}
