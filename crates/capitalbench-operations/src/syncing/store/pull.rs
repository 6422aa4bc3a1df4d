//! Pull: a folder becomes what the store holds, file by file where it differs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use capitalbench_archive::store::checkout::{Begun, Change, Known};
use capitalbench_archive::store::head::{Generation, Head};
use capitalbench_archive::store::index::{Content, Index, Place, is_content_of, object_key};
use capitalbench_archive::store::unit::{HEADS, Unit};
use capitalbench_core::values::ids::Digest;

use super::Store;
use super::local::{Cache, Here};
use crate::error::Error;

/// How often a listing is repeated while writers move the log.
const LOOKS: usize = 5;

/// What becomes of files that were changed here since the last pull or push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Local {
    /// Nothing is pulled over them.
    Kept,
    /// The store's files take their place.
    Discarded,
}

/// What a pull brought.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Pulled {
    /// Units that the store has.
    pub units: usize,
    /// Units that were written here.
    pub written: usize,
}

/// A unit as the store holds it: what counts now, and the head with its tag.
#[derive(Debug, Clone)]
pub(super) struct Current {
    pub(super) head: Head,
    pub(super) tag: String,
}

impl Store {
    /// Pulls every unit that changed since the checkout saw it.
    pub fn pull(&self, here: &Here, local: Local) -> Result<Pulled, Error> {
        let checkout = &here.checkout;
        let mut tags = checkout.tags()?;
        let mut pulled = Pulled::default();
        for look in 1..=LOOKS {
            let log = self.head(&Unit::Log.key())?;
            let pending = log.as_ref().map(|(head, _)| head.pending.clone());
            let pending = pending.unwrap_or_default();
            self.adopt(checkout, &pending)?;
            let unfinished = checkout.unfinished()?;
            let mut changed = Vec::new();
            pulled.units = 0;
            for found in self.list(HEADS)? {
                let Some(unit) = Unit::of_key(&found.key) else {
                    continue;
                };
                pulled.units += 1;
                let is_known = tags.get(&found.key) == Some(&found.tag);
                let awaited = matches!(&unit, Unit::Round(name) if pending.contains_key(name));
                let is_new = !is_known || awaited || unfinished.contains(&unit);
                if is_new || is_spoiled(here, &unit, local)? {
                    changed.push(unit);
                }
            }
            if pulled.units == 0 {
                return Err(self.nothing_there());
            }
            let done: Mutex<Vec<(String, String)>> = Mutex::default();
            let written = self.each(&changed, |unit| {
                let brought = self.bring_newest(here, unit, &pending, local)?;
                let Some((tag, written)) = brought else {
                    return Ok(false);
                };
                let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                done.push((unit.key(), tag));
                Ok(written)
            });
            let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
            if !done.is_empty() {
                tags.extend(done);
                checkout.note_tags(&tags)?;
            }
            pulled.written += written?.into_iter().filter(|written| *written).count();
            let after = self.head(&Unit::Log.key())?;
            let tag = |found: &Option<(Head, String)>| found.as_ref().map(|(_, tag)| tag.clone());
            // Rounds and log are of one moment when the log did not move meanwhile.
            if tag(&log) == tag(&after) || look == LOOKS {
                break;
            }
        }
        Ok(pulled)
    }

    /// Pulls a round that this process holds, and what lies beside; the log may have told of a later
    /// state of it than its head does.
    pub fn pull_claimed(&self, here: &Here, unit: &Unit) -> Result<(), Error> {
        if let Some((head, _)) = self.head(&Unit::Log.key())? {
            self.settle(&head)?;
        }
        self.pull_own(here, unit)?;
        self.pull_own(here, &Unit::Beside)
    }

    /// Makes one unit what the store has, whatever is here.
    pub fn pull_own(&self, here: &Here, unit: &Unit) -> Result<(), Error> {
        self.bring_newest(here, unit, &BTreeMap::new(), Local::Discarded)
            .map(drop)
    }

    /// Brings what a head says; once more when the head moved on and its objects were removed.
    fn bring_newest(
        &self,
        here: &Here,
        unit: &Unit,
        pending: &BTreeMap<String, Generation>,
        local: Local,
    ) -> Result<Option<(String, bool)>, Error> {
        loop {
            let Some((head, tag)) = self.head(&unit.key())? else {
                return Ok(None);
            };
            let current = ahead(Current { head, tag }, unit, pending);
            let tag = current.tag.clone();
            match self.bring(here, unit, current, local) {
                Ok(written) => return Ok(Some((tag, written))),
                Err(error) => {
                    let now = self.head(&unit.key())?;
                    if now.is_none_or(|(_, now)| now == tag) {
                        return Err(error);
                    }
                }
            }
        }
    }

    /// Writes a unit here as the store holds it; false where nothing had to be written.
    pub(super) fn bring(
        &self,
        here: &Here,
        unit: &Unit,
        current: Current,
        local: Local,
    ) -> Result<bool, Error> {
        let Current { head, tag } = current;
        let Here { checkout, cache } = here;
        if head.content.is_none() {
            // Somebody claimed it and has not pushed yet.
            return Ok(false);
        }
        let known = checkout.known(unit)?;
        let begun = checkout.begun_files(unit)?;
        let unfinished = begun.is_some();
        let same = |known: &Known| {
            let nonce = |head: &Head| head.content.as_ref().map(|content| content.nonce.clone());
            nonce(&known.head) == nonce(&head)
        };
        let is_same = known.as_ref().is_some_and(same);
        let known = known.unwrap_or_default();
        let change = checkout.change(unit, &known)?;
        // Where no file is left, nothing of the operator can be overwritten.
        let keeps = local == Local::Kept && !change.marks.is_empty();
        if is_same && !unfinished && (keeps || !change.is_changed) {
            if !change.is_changed {
                checkout.note(unit, (head, tag), known.content, change.marks)?;
            }
            return Ok(false);
        }
        let is_own = keeps && change.is_changed && !is_of_a_pull(&change, begun.as_ref());
        if is_own && !self.is_what_the_store_has(cache, &head, &change)? {
            let text = format!("{} was changed here and in the store", unit.name());
            return Err(Error::new(text).hint(
                "keep a copy of your files, take those of the store with `store pull \
                 --discard-local`, and do your step again",
            ));
        }
        let content = self.content(cache, head.content.as_ref())?;
        for path in content.files.keys() {
            // Nothing is written where one path leads elsewhere.
            checkout.path(unit, path)?;
        }
        let objects = self.fetch(cache, &content, &change)?;
        let bytes = |place: &Place| {
            let object = objects.get(&place.object)?;
            let from = usize::try_from(place.offset).ok()?;
            let to = from.checked_add(usize::try_from(place.size).ok()?)?;
            object.get(from..to).map(<[u8]>::to_vec)
        };
        checkout.write(unit, (head, tag), (content, change), &bytes)?;
        Ok(true)
    }

    /// Whether a folder that was never pulled holds exactly what the store has.
    fn is_what_the_store_has(
        &self,
        cache: &Cache,
        head: &Head,
        change: &Change,
    ) -> Result<bool, Error> {
        if !change.kept.files.is_empty() {
            return Ok(false);
        }
        let content = self.content(cache, head.content.as_ref())?;
        let own = change.changed.iter();
        let own: BTreeMap<&str, String> = own
            .map(|(path, bytes)| {
                let digest = Digest::of(bytes);
                (path.as_str(), digest.to_hex())
            })
            .collect();
        let there = content.files.iter();
        Ok(own
            == there
                .map(|(path, place)| (path.as_str(), place.sha256.clone()))
                .collect())
    }

    /// The files of a generation.
    pub(super) fn content(
        &self,
        cache: &Cache,
        generation: Option<&Generation>,
    ) -> Result<Content, Error> {
        let names = generation.map(|generation| generation.indexes.clone());
        let names = names.unwrap_or_default();
        let indexes = self.each(&names, |name| {
            let bytes = self.object(cache, name)?;
            let index = Index::parse(&bytes);
            index.map_err(|fault| Error::new(format!("{}: {name}: {fault}", self.address)))
        })?;
        Ok(Content::of(indexes))
    }

    /// Fetches the objects of files that are not here as they must be.
    fn fetch(
        &self,
        cache: &Cache,
        content: &Content,
        change: &Change,
    ) -> Result<BTreeMap<String, Vec<u8>>, Error> {
        let missing = content.files.iter().filter(|(path, place)| {
            let own = change.kept.files.get(*path);
            own.is_none_or(|own| own.sha256 != place.sha256)
        });
        let objects: BTreeSet<&str> = missing.map(|(_, place)| place.object.as_str()).collect();
        let objects: Vec<&str> = objects.into_iter().collect();
        let fetched = self.each(&objects, |name| {
            let bytes = self.object(cache, name)?;
            Ok(((*name).to_owned(), bytes))
        })?;
        Ok(fetched.into_iter().collect())
    }

    /// An object, checked against its name; from the cache of this machine where it is there.
    pub(super) fn object(&self, cache: &Cache, name: &str) -> Result<Vec<u8>, Error> {
        if let Some(bytes) = cache.object(name) {
            return Ok(bytes);
        }
        let broken = |what: &str| {
            let text = format!("{}: the object {name} {what}", self.address);
            Error::new(text).hint("`store verify` lists everything that is damaged")
        };
        let key = object_key(name).ok_or_else(|| broken("has a name that no object can have"))?;
        let (bytes, _) = self.get(&key)?.ok_or_else(|| broken("is not there"))?;
        if !is_content_of(name, &bytes) {
            return Err(broken("does not hold what its name says"));
        }
        cache.keep(name, &bytes)?;
        Ok(bytes)
    }
}

/// Whether what is here must be written again though the store did not change. A folder of an operator
/// keeps what was changed in it; one of this program was not touched by anybody.
fn is_spoiled(here: &Here, unit: &Unit, local: Local) -> Result<bool, Error> {
    let Here { checkout, cache } = here;
    if cache.is_kept() {
        return Ok(false);
    }
    if local == Local::Kept && unit.has_files(checkout.rounds())? {
        return Ok(false);
    }
    let known = checkout.known(unit)?.unwrap_or_default();
    Ok(checkout.change(unit, &known)?.is_changed)
}

/// Whether all that differs here was written by a pull that was stopped.
fn is_of_a_pull(change: &Change, begun: Option<&Begun>) -> bool {
    let Some(begun) = begun else { return false };
    change.changed.iter().all(|(path, bytes)| {
        let digests = begun.get(path);
        digests.is_some_and(|own| own.contains(&Digest::of(bytes).to_hex()))
    })
}

/// What counts of a round: the log may tell of a generation that its head does not name yet.
pub(super) fn ahead(
    current: Current,
    unit: &Unit,
    pending: &BTreeMap<String, Generation>,
) -> Current {
    let Unit::Round(name) = unit else {
        return current;
    };
    match pending.get(name) {
        Some(next) if next.number == current.head.number() + 1 => Current {
            head: current.head.with(next.clone(), current.head.write.clone()),
            tag: current.tag,
        },
        _ => current,
    }
}
