//! Push: objects, then the log's checkpoint where the log grew, then heads, each by one conditional
//! write.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use capitalbench_archive::disk::layout;
use capitalbench_archive::round::jobs;
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_archive::store::checkout::{Change, Checkout, Intent, Known};
use capitalbench_archive::store::folder_store::Condition;
use capitalbench_archive::store::head::{Generation, Head, REMEMBERED};
use capitalbench_archive::store::index::{Content, Index, MOST_INDEXES, object_key, object_name};
use capitalbench_archive::store::packing::pack;
use capitalbench_archive::store::unit::{Mark, Unit, units_of};
use jiff::Timestamp;

use super::claim::Claim;
use super::local::Here;
use super::pull::{Current, ahead};
use super::{Store, Written, nonce, now};
use crate::error::Error;
use crate::operator::Operator;

/// A push that takes longer starts again; `prune` waits much longer before it removes an object.
pub(super) const LONGEST_PUSH: Duration = Duration::from_hours(1);

/// On whose behalf something is pushed, and from where.
pub struct Pusher<'a> {
    pub operator: &'a Operator,
    pub here: &'a Here,
    /// The unit that this process holds.
    pub claim: Option<&'a Claim>,
}

/// What a push brought.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Pushed {
    /// Names of the units that changed.
    pub units: Vec<String>,
    pub files: usize,
    /// Names of units that were left alone, because all their files are gone here.
    pub lost: Vec<String>,
}

/// A unit whose objects are in the store; nobody sees them before its head names them.
pub(super) struct Ready {
    pub(super) unit: Unit,
    /// The number of the generation that it follows.
    pub(super) base: u64,
    pub(super) generation: Generation,
    content: Content,
    marks: BTreeMap<String, Mark>,
    files: usize,
    /// Nothing may name its objects later: `prune` may have removed them by then.
    until: Instant,
}

impl Ready {
    pub(super) fn is_late(&self) -> bool {
        Instant::now() >= self.until
    }
}

/// Whether a round may still be published by this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    Ours,
    /// It is published already: an answer was lost, or another writer finished it.
    Published,
}

/// What the log says of the units of a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Logged {
    /// It tells of them by now.
    Signed,
    /// It has nothing to tell of them.
    Nothing,
    /// Nothing was written: the push took too long and starts again.
    TooLate,
}

/// What came of publishing a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Published {
    /// Its head has this tag; none when others moved on already.
    Done(String),
    /// Nothing was written: the push took too long and starts again.
    TooLate,
}

impl Store {
    /// Pushes everything that changed in a checkout, or the given units of it.
    pub fn push(&self, pusher: &Pusher<'_>, only: Option<&[Unit]>) -> Result<Pushed, Error> {
        let checkout = &pusher.here.checkout;
        self.require_writable(checkout)?;
        let mut pushed = Pushed::default();
        loop {
            let units = match only {
                Some(units) => units.to_vec(),
                None => units_of(checkout.rounds())?,
            };
            let log = self.head(&Unit::Log.key())?;
            if let Some((head, _)) = &log {
                self.settle(head)?;
            }
            self.adopt(checkout, &BTreeMap::new())?;
            if let Some((head, _)) = &log {
                self.require_same_log(pusher.here, head, &units)?;
            }
            let lost = checkout.lost()?;
            let rounds = units.iter().filter(|unit| **unit != Unit::Log);
            let rounds: Vec<&Unit> = rounds.filter(|unit| !lost.contains(unit)).collect();
            pushed.lost = lost.iter().map(|unit| unit.name().to_owned()).collect();
            let ready = self.each(&rounds, |unit| self.ready(pusher, unit))?;
            let ready: Vec<Ready> = ready.into_iter().flatten().collect();
            self.each(&ready, |own| self.turn(pusher.claim, own))?;
            let logged = self.commit_log(pusher, &ready)?;
            if logged == Logged::TooLate {
                continue;
            }
            let done = self.each(&ready, |own| self.publish(pusher, own, logged))?;
            let done: Vec<(&Ready, Published)> = ready.iter().zip(done).collect();
            let is_late = done.iter().any(|(_, done)| *done == Published::TooLate);
            for (own, done) in done {
                if let Published::Done(tag) = done {
                    pushed.units.push(own.unit.name().to_owned());
                    pushed.files += own.files;
                    note_tags(pusher, [(own.unit.key(), tag)])?;
                }
            }
            if logged == Logged::Signed {
                pushed.units.push(Unit::Log.name().to_owned());
            }
            if !is_late {
                return Ok(pushed);
            }
        }
    }

    /// Notes what an earlier push of this folder published before it died, even when others moved on.
    pub(super) fn adopt(
        &self,
        checkout: &Checkout,
        pending: &BTreeMap<String, Generation>,
    ) -> Result<(), Error> {
        for (unit, intent) in checkout.intents()? {
            let Some((head, tag)) = self.head(&unit.key())? else {
                continue;
            };
            let Current { head, tag } = ahead(Current { head, tag }, &unit, pending);
            if let Some(head) = published(&head, &tag, &intent.generation) {
                checkout.note(&unit, head, intent.content, intent.marks)?;
            } else if head.number() >= intent.generation.number {
                checkout.forget_intent(&unit)?;
            }
        }
        Ok(())
    }

    /// Puts the objects of a unit into the store; none where nothing changed.
    pub(super) fn ready(&self, pusher: &Pusher<'_>, unit: &Unit) -> Result<Option<Ready>, Error> {
        let checkout = &pusher.here.checkout;
        if checkout.is_unfinished(unit) {
            let text = format!("an earlier pull of {} was stopped", unit.name());
            return Err(Error::new(text).hint("run `store pull` again before you push"));
        }
        let known = checkout.known(unit)?.unwrap_or_default();
        let change = checkout.change(unit, &known)?;
        if !change.is_changed {
            return Ok(None);
        }
        let is_gone = change.marks.is_empty() && change.kept.empty_folders.is_empty();
        if is_gone && known.head.content.is_none() {
            return Ok(None);
        }
        self.prepare(pusher, unit, &known, change).map(Some)
    }

    fn prepare(
        &self,
        pusher: &Pusher<'_>,
        unit: &Unit,
        known: &Known,
        change: Change,
    ) -> Result<Ready, Error> {
        let until = Instant::now() + LONGEST_PUSH;
        let push = nonce()?;
        let files = change.changed.len();
        let packed = pack(change.changed, &push);
        let mut content = change.kept;
        content.files.extend(packed.places);
        let before = known.head.content.as_ref();
        let mut indexes = before.map(|own| own.indexes.clone()).unwrap_or_default();
        let is_long = *unit != Unit::Log || indexes.len() + 1 >= MOST_INDEXES;
        let index = if is_long {
            indexes.clear();
            Index::whole(&content)
        } else {
            Index::between(&known.content, &content)
        };
        let index = index.render();
        let name = object_name(&index, &push);
        indexes.push(name.clone());
        let mut objects = packed.objects;
        objects.push((name, index));
        self.each(&objects, |(name, bytes)| {
            let key = object_key(name).ok_or_else(|| Error::new(format!("{name} is no name")))?;
            self.put(&key, bytes, Condition::Always).map(drop)
        })?;
        let base = known.head.number();
        let checkout = &pusher.here.checkout;
        let intent = Intent {
            generation: Generation {
                number: base + 1,
                nonce: push,
                follows: before.map(Generation::followed).unwrap_or_default(),
                indexes,
                next_attempt_at_utc: next_attempt(checkout, unit)?,
            },
            content,
            marks: change.marks,
        };
        checkout.intend(unit, &intent)?;
        Ok(Ready {
            unit: unit.clone(),
            base,
            generation: intent.generation,
            content: intent.content,
            marks: intent.marks,
            files,
            until,
        })
    }

    /// Looks whether a unit is still ours to publish.
    pub(super) fn turn(&self, claim: Option<&Claim>, own: &Ready) -> Result<Turn, Error> {
        let head = self.head(&own.unit.key())?.map(|(head, _)| head);
        let head = head.unwrap_or_default();
        if head.names(&own.generation) || head.follows(&own.generation) {
            return Ok(Turn::Published);
        }
        // A pass of a league claims rounds beside the log.
        let is_own = |owner: &str| claim.is_some_and(|claim| claim.owner == owner);
        let holder = head.holder(now()).filter(|term| !is_own(&term.owner));
        let claim = claim.filter(|claim| claim.unit == own.unit);
        let name = own.unit.name();
        match claim {
            Some(claim) if head.fence != claim.fence || head.number() != own.base => {
                let text = format!("{name} was taken over by another worker; nothing was pushed");
                Err(Error::new(text))
            }
            Some(_) => Ok(Turn::Ours),
            None if head.number() != own.base => {
                let text = format!("the store has a newer state of {name}; nothing was pushed");
                let hint = "take it with `store pull`, and do your step again";
                Err(Error::new(text).hint(hint))
            }
            None => match holder {
                None => Ok(Turn::Ours),
                Some(holder) => {
                    let text = format!("{name} is held by {}; nothing was pushed", holder.owner);
                    let hint = format!("it is free at {} at the latest", holder.expires_at_utc);
                    Err(Error::new(text).hint(hint))
                }
            },
        }
    }

    /// Lets the head of a unit name its new generation, and notes that here. What the log tells of is
    /// published whoever holds the round by now.
    pub(super) fn publish(
        &self,
        pusher: &Pusher<'_>,
        own: &Ready,
        logged: Logged,
    ) -> Result<Published, Error> {
        let key = own.unit.key();
        let noted = loop {
            if logged != Logged::Signed {
                self.let_log_go_first(pusher, &own.unit)?;
            }
            let (head, tag) = match self.head(&key)? {
                Some((head, tag)) => (head, Some(tag)),
                None => (Head::default(), None),
            };
            let seen = tag.as_deref().unwrap_or_default();
            if let Some(noted) = published(&head, seen, &own.generation) {
                break noted;
            }
            let next = if logged == Logged::Signed {
                on_top(&head, &own.generation)
            } else {
                self.turn(pusher.claim, own)?;
                if own.is_late() {
                    return Ok(Published::TooLate);
                }
                Some(own.generation.clone())
            };
            let Some(next) = next else {
                break (head.with(own.generation.clone(), nonce()?), String::new());
            };
            let next = head.with(next, nonce()?);
            if let Written::Done(tag) = self.write_head(&key, &next, tag.as_deref())? {
                break (next, tag);
            }
        };
        let tag = noted.1.clone();
        noted_here(pusher, own, noted)?;
        Ok(Published::Done(tag))
    }

    /// Before a unit is published past the log: what the log came to tell of it meanwhile goes first.
    fn let_log_go_first(&self, pusher: &Pusher<'_>, unit: &Unit) -> Result<(), Error> {
        let key = pusher.here.checkout.rounds().join(layout::LOG_VKEY);
        let Unit::Round(name) = unit else {
            return Ok(());
        };
        if !key.exists() {
            return Ok(());
        }
        match self.head(&Unit::Log.key())? {
            Some((log, _)) if log.pending.contains_key(name) => self.settle(&log),
            _ => Ok(()),
        }
    }
}

/// What to note of a generation that was published, now or before others moved on; then without a tag, so
/// that the next pull looks. None of one that does not count.
fn published(head: &Head, tag: &str, generation: &Generation) -> Option<(Head, String)> {
    if head.names(generation) {
        return Some((head.clone(), tag.to_owned()));
    }
    let write = head.write.clone();
    let moved_on = || (head.with(generation.clone(), write), String::new());
    head.follows(generation).then(moved_on)
}

/// What the log tells of a round, as the next generation of its head; none where the head knows it, or
/// moved on so far that it must. A push past the log that came in between is written over: the log decides.
pub(super) fn on_top(head: &Head, told: &Generation) -> Option<Generation> {
    if head.names(told) || head.follows(told) || head.number() >= told.number + REMEMBERED as u64 {
        return None;
    }
    let content = head.content.as_ref();
    let before = content.filter(|own| own.number >= told.number);
    Some(before.map_or_else(
        || told.clone(),
        |before| Generation {
            number: before.number + 1,
            follows: before.followed(),
            ..told.clone()
        },
    ))
}

/// Notes here what was published there.
pub(super) fn noted_here(
    pusher: &Pusher<'_>,
    own: &Ready,
    noted: (Head, String),
) -> Result<(), Error> {
    let (content, marks) = (own.content.clone(), own.marks.clone());
    let checkout = &pusher.here.checkout;
    Ok(checkout.note(&own.unit, noted, content, marks)?)
}

/// Remembers the tags of heads that were written.
pub(super) fn note_tags(
    pusher: &Pusher<'_>,
    written: impl IntoIterator<Item = (String, String)>,
) -> Result<(), Error> {
    let checkout = &pusher.here.checkout;
    let mut tags = checkout.tags()?;
    tags.extend(written);
    Ok(checkout.note_tags(&tags)?)
}

/// When the job of a round is to be tried.
fn next_attempt(checkout: &Checkout, unit: &Unit) -> Result<Option<Timestamp>, Error> {
    let Unit::Round(name) = unit else {
        return Ok(None);
    };
    let path = checkout.rounds().join(name);
    if !RoundFolder::is_round(&path) {
        return Ok(None);
    }
    let job = jobs::load(&RoundFolder::open(&path)?)?;
    Ok(job.and_then(|job| job.next_attempt()))
}

#[cfg(test)]
mod tests;
