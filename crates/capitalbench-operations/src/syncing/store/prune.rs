//! Prune: objects that nothing names any more, and that are older than any push can be.

use std::collections::BTreeSet;

use capitalbench_archive::store::folder_store::{Condition, Listed};
use capitalbench_archive::store::head::{Generation, Head};
use capitalbench_archive::store::index::{is_nonce, is_object_key};
use capitalbench_archive::store::unit::HEADS;
use jiff::SignedDuration;

use super::local::Cache;
use super::push::LONGEST_PUSH;
use super::{Store, nonce};
use crate::error::Error;

/// What the probe and the clock of a store write and remove.
const PROBES: &str = "probes/";

/// What a prune found and removed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    pub objects: usize,
    pub removed: usize,
    pub bytes_removed: u64,
    /// Objects that nothing names, but that are too young to be removed.
    pub young: usize,
}

impl Store {
    /// Removes what nothing names and is older than the grace period, by the clock of the store.
    pub fn prune(&self, cache: &Cache, grace: SignedDuration) -> Result<Pruned, Error> {
        let least = 2 * i64::try_from(LONGEST_PUSH.as_secs()).unwrap_or(i64::MAX);
        if grace.as_secs() < least {
            let text = format!("a grace period of {} seconds is too short", grace.as_secs());
            let hint = format!(
                "use at least {} hours: a push may take half of that",
                least / 3600
            );
            return Err(Error::new(text).hint(hint));
        }
        self.require_heads()?;
        // Objects first, heads after: what a head came to name meanwhile is young.
        let mut objects = self.list("objects/")?;
        objects.retain(|own| is_object_key(&own.key));
        let before = self.store_clock()?.saturating_sub(grace.as_secs());
        let named = self.named(cache)?;
        let mut pruned = Pruned {
            objects: objects.len(),
            ..Pruned::default()
        };
        let name = |own: &Listed| own.key.rsplit('/').next().unwrap_or_default().to_owned();
        let unnamed = objects.iter().filter(|own| !named.contains(&name(own)));
        let (old, young): (Vec<&Listed>, Vec<&Listed>) =
            unnamed.partition(|own| own.written_at < before);
        pruned.young = young.len();
        pruned.removed = old.len();
        pruned.bytes_removed = old.iter().map(|own| own.size).sum();
        self.each(&old, |own| self.delete(&own.key))?;
        for probe in self.list(PROBES)? {
            let is_own = probe.key.strip_prefix(PROBES).is_some_and(is_nonce);
            if is_own && probe.written_at < before {
                self.delete(&probe.key)?;
            }
        }
        Ok(pruned)
    }

    /// Every object that a head or the log names.
    fn named(&self, cache: &Cache) -> Result<BTreeSet<String>, Error> {
        let heads = self.list(HEADS)?;
        let found = self.each(&heads, |listed| {
            let Some((head, _)) = self.head(&listed.key)? else {
                return Ok(BTreeSet::new());
            };
            let mut named = BTreeSet::new();
            for generation in generations(&head) {
                named.extend(generation.indexes.iter().cloned());
                let content = self.content(cache, Some(generation))?;
                named.extend(content.objects().into_iter().map(str::to_owned));
            }
            Ok(named)
        })?;
        Ok(found.into_iter().flatten().collect())
    }

    /// What time it is in the store, in seconds.
    pub(in crate::syncing) fn store_clock(&self) -> Result<i64, Error> {
        let key = format!("{PROBES}{}", nonce()?);
        self.put(&key, b"clock", Condition::Absent)?;
        let listed = self.list(PROBES)?;
        let own = listed.iter().find(|own| own.key == key);
        let at = own.map(|own| own.written_at);
        self.delete(&key)?;
        at.ok_or_else(|| {
            let text = format!("{} does not list what was just written", self.address);
            Error::new(text).hint("its listings are behind; try again later, nothing was removed")
        })
    }
}

/// Everything that a head keeps alive.
pub(super) fn generations(head: &Head) -> impl Iterator<Item = &Generation> {
    head.content.iter().chain(head.pending.values())
}
