//! What waits in a store to be resolved: the heads of the rounds say so.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use capitalbench_archive::round::lease::Holder;
use capitalbench_archive::store::head::Head;
use capitalbench_archive::store::unit::{ROUND_HEADS, Unit};
use jiff::Timestamp;

use crate::error::Error;
use crate::syncing::store::Store;

/// Among so many of the longest waiting rounds a worker picks one by chance, so that workers seldom meet.
const CHOICE: usize = 16;

/// Rounds of a store, as the workers of a process saw them last.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// Heads with their tags.
    heads: Mutex<BTreeMap<String, (String, Head)>>,
}

impl Waiting {
    /// A round whose job is due and that nobody holds.
    pub(super) fn next_due(
        &self,
        store: &Store,
        now: Timestamp,
        skipped: &BTreeSet<Unit>,
    ) -> Result<Option<Unit>, Error> {
        let free = self.free(store, now)?.into_iter();
        let mut due: Vec<(Timestamp, Unit)> = free.map(|(unit, at)| (at, unit)).collect();
        due.retain(|(at, unit)| *at <= now && !skipped.contains(unit));
        due.sort_unstable();
        due.truncate(CHOICE);
        if due.is_empty() {
            return Ok(None);
        }
        let mut chance = [0];
        getrandom::fill(&mut chance)
            .map_err(|error| Error::new(format!("the system gives no randomness: {error}")))?;
        let own = usize::from(chance[0]) % due.len();
        Ok(Some(due.swap_remove(own).1))
    }

    /// Due rounds that others hold, as seen last: name, holder and until when.
    pub(super) fn held(&self, now: Timestamp) -> Vec<(String, Holder)> {
        let heads = self.heads.lock().unwrap_or_else(PoisonError::into_inner);
        let held = heads.iter().filter_map(|(key, (_, head))| {
            let due = head.content.as_ref()?.next_attempt_at_utc?;
            let term = head.holder(now).filter(|_| due <= now)?;
            let holder = Holder {
                who: term.owner.clone(),
                until: term.expires_at_utc,
            };
            Some((Unit::of_key(key)?.name().to_owned(), holder))
        });
        held.collect()
    }

    /// Rounds that wait for their resolution and that nobody holds, and since when or from when on; only
    /// heads that changed are read.
    pub(super) fn free(
        &self,
        store: &Store,
        now: Timestamp,
    ) -> Result<Vec<(Unit, Timestamp)>, Error> {
        let listed = store.list(ROUND_HEADS)?;
        let mut heads = self.heads.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = |key: &str, tag: &str| heads.get(key).is_none_or(|(own, _)| own != tag);
        let changed: Vec<String> = listed
            .into_iter()
            .filter(|own| is_new(&own.key, &own.tag))
            .map(|own| own.key)
            .collect();
        let found = store.each(&changed, |key| store.head(key))?;
        for (key, found) in changed.into_iter().zip(found) {
            if let Some((head, tag)) = found {
                heads.insert(key, (tag, head));
            }
        }
        let free = heads
            .iter()
            .filter(|(_, (_, head))| head.holder(now).is_none());
        let waits = free.filter_map(|(key, (_, head))| {
            let next = head.content.as_ref()?.next_attempt_at_utc?;
            Some((Unit::of_key(key)?, next))
        });
        Ok(waits.collect())
    }
}
