//! The log's part of a push: the checkpoint in the store decides what happened.
//!
//! The head of the log names, beside its own files, the generations of rounds that it tells of. So a
//! push that dies after the checkpoint and before the heads of its rounds is finished by whoever comes
//! next, and a log that another machine moved on makes the loser sign its events again, on top.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use capitalbench_archive::disk::file_ops;
use capitalbench_archive::disk::layout;
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_archive::store::checkout::{Change, Known};
use capitalbench_archive::store::head::{Generation, Head};
use capitalbench_archive::store::unit::Unit;

use super::claim::Claim;
use super::pull::{Current, Local};
use super::push::{LONGEST_PUSH, Logged, Pusher, Ready, Turn, note_tags, noted_here, on_top};
use super::{Store, Written, chance, nonce, now};
use crate::error::Error;
use crate::operator::{Notice, Operator};
use crate::proof::record::{Recorded, record};

/// How often a log that others move on is tried.
pub(super) const MOST_TRIES: u32 = 200;

/// The longest pause after others moved the log on for the first time; it grows with every time.
const PAUSE: Duration = Duration::from_millis(50);
/// Times after which it does not grow any more.
const MOST_PAUSES: u32 = 20;

/// Files of the log that follow from the rounds, and stamps, which are looked at one by one. Anything
/// else that was written here, such as a claim or an entry, would be lost without a word.
const MADE_AGAIN: [&str; 6] = [
    "tile/",
    "checkpoint",
    "salts/",
    "vkey",
    "anchors/",
    "roots/",
];
/// How often a log that another process holds is looked at.
const LOOK: Duration = Duration::from_secs(2);

/// Whether the log is ours to write.
pub(super) enum LogTurn {
    /// Nobody else holds its head, which has this tag.
    Ours(Box<Head>, String),
    NoLog,
    /// Somebody else holds it, and whoever waits was asked to stop.
    Stopped,
}

impl Store {
    /// Finishes what earlier pushes told the log and did not live to publish.
    pub(super) fn settle(&self, log: &Head) -> Result<(), Error> {
        let pending: Vec<(&String, &Generation)> = log.pending.iter().collect();
        self.each(&pending, |(name, generation)| {
            let Some(unit) = Unit::round(name) else {
                let text = format!("{}: the log names the round {name:?}", self.address);
                return Err(Error::new(text));
            };
            loop {
                let found = self.head(&unit.key())?;
                let (head, tag) = match found {
                    Some((head, tag)) => (head, Some(tag)),
                    None => (Head::default(), None),
                };
                let Some(next) = on_top(&head, generation) else {
                    return Ok(());
                };
                let next = head.with(next, nonce()?);
                if let Written::Done(_) = self.write_head(&unit.key(), &next, tag.as_deref())? {
                    return Ok(());
                }
            }
        })?;
        Ok(())
    }

    /// Writes the log's new state, with the rounds that it tells of.
    pub(super) fn commit_log(
        &self,
        pusher: &Pusher<'_>,
        rounds: &[Ready],
    ) -> Result<Logged, Error> {
        let checkout = &pusher.here.checkout;
        for tried in 0..MOST_TRIES {
            let_others_go_first(tried)?;
            let remote = match self.log_in_turn(pusher.claim, pusher.operator, &|| false)? {
                LogTurn::Ours(head, tag) => Some((*head, tag)),
                LogTurn::NoLog | LogTurn::Stopped => None,
            };
            if let Some((head, _)) = &remote {
                self.settle(head)?;
            }
            let mut turns = Vec::new();
            for own in rounds {
                turns.push(self.turn(pusher.claim, own)?);
            }
            if !rounds.is_empty() && turns.iter().all(|turn| *turn == Turn::Published) {
                return Ok(Logged::Signed);
            }
            let known = checkout.known(&Unit::Log)?.unwrap_or_default();
            let change = checkout.change(&Unit::Log, &known)?;
            if !change.is_changed {
                return Ok(Logged::Nothing);
            }
            if let Some((head, tag)) = &remote
                && head.content.as_ref().map(|own| &own.nonce)
                    != known.head.content.as_ref().map(|own| &own.nonce)
            {
                self.require_same_log(pusher.here, head, &[])?;
                let current = Current {
                    head: head.clone(),
                    tag: tag.clone(),
                };
                self.sign_again(pusher, rounds, (current, &known, change))?;
                continue;
            }
            self.require_growth(pusher.here, &known, &change)?;
            let Some(log) = self.ready(pusher, &Unit::Log)? else {
                return Ok(Logged::Nothing);
            };
            if rounds.iter().any(Ready::is_late) {
                return Ok(Logged::TooLate);
            }
            let told = rounds.iter();
            if self.write_log(pusher, &log, remote.as_ref(), told)? {
                return Ok(Logged::Signed);
            }
        }
        Err(too_busy())
    }

    /// Writes the head of the log, with the rounds that it tells of; false when others were faster.
    pub(super) fn write_log<'a>(
        &self,
        pusher: &Pusher<'_>,
        log: &Ready,
        before: Option<&(Head, String)>,
        rounds: impl Iterator<Item = &'a Ready>,
    ) -> Result<bool, Error> {
        let over = before.map(|(_, tag)| tag.as_str());
        let before = before.map(|(head, _)| head.clone());
        let mut head = before
            .unwrap_or_default()
            .with(log.generation.clone(), nonce()?);
        let told = rounds.filter_map(|own| match &own.unit {
            Unit::Round(name) => Some((name.clone(), own.generation.clone())),
            Unit::Log | Unit::Beside => None,
        });
        head.pending = told.collect();
        let Written::Done(tag) = self.write_head(&Unit::Log.key(), &head, over)? else {
            return Ok(false);
        };
        noted_here(pusher, log, (head, tag.clone()))?;
        note_tags(pusher, [(Unit::Log.key(), tag)])?;
        Ok(true)
    }

    /// The head of the log, once nobody else holds it: a league holds it for a whole pass, so that what it
    /// lets clocks stamp is what counts.
    pub(super) fn log_in_turn(
        &self,
        claim: Option<&Claim>,
        operator: &Operator,
        stopping: &dyn Fn() -> bool,
    ) -> Result<LogTurn, Error> {
        let own = claim.filter(|claim| claim.unit == Unit::Log);
        let began = Instant::now();
        let mut told = None;
        loop {
            let Some((head, tag)) = self.head(&Unit::Log.key())? else {
                return Ok(LogTurn::NoLog);
            };
            if let Some(claim) = own {
                if claim.fence == head.fence {
                    return Ok(LogTurn::Ours(Box::new(head), tag));
                }
                let text = "the log was taken over by another machine; nothing was pushed";
                return Err(Error::new(text));
            }
            let Some(holder) = head.holder(now()) else {
                return Ok(LogTurn::Ours(Box::new(head), tag));
            };
            let owner = &holder.owner;
            if began.elapsed() > LONGEST_PUSH {
                let text = format!("the log is held by {owner}; nothing was pushed");
                return Err(Error::new(text).hint("push again when it is done"));
            }
            if stopping() {
                return Ok(LogTurn::Stopped);
            }
            if told.as_ref() != Some(owner) {
                let until = holder.expires_at_utc;
                operator.say(&Notice::WaitsForLog { owner, until });
                told = Some(owner.clone());
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Takes the log as the store has it, and signs what our rounds say on top of it.
    fn sign_again(
        &self,
        pusher: &Pusher<'_>,
        rounds: &[Ready],
        (current, known, change): (Current, &Known, Change),
    ) -> Result<(), Error> {
        let checkout = &pusher.here.checkout;
        let is_made_again = |path: &str| MADE_AGAIN.iter().any(|own| path.starts_with(own));
        let told = change.changed.iter().map(|(path, _)| path);
        if let Some(path) = told.clone().find(|path| !is_made_again(path)) {
            let text = format!("log/{path} was written here while the log of the store moved on");
            return Err(Error::new(text).hint(
                "run `store pull --discard-local`, do that step again, and push at once; `league \
                 run --store` lets nobody else write meanwhile",
            ));
        }
        let is_stamp = |path: &str| path.starts_with("anchors/") || path.starts_with("roots/");
        let stamps = change.changed.into_iter();
        let stamps: BTreeMap<String, Vec<u8>> = stamps.filter(|(path, _)| is_stamp(path)).collect();
        self.bring(pusher.here, &Unit::Log, current, Local::Discarded)?;
        let now_known = checkout.known(&Unit::Log)?.unwrap_or_default();
        for (path, bytes) in stamps {
            // A stamp of a checkpoint that never counted is worth nothing.
            let size = path
                .strip_prefix("anchors/")
                .and_then(|rest| rest.split('/').next());
            let signed = size.map(|size| format!("checkpoints/{size}"));
            let same = signed.is_none_or(|signed| {
                let place = known.content.files.get(&signed);
                place.is_some() && place == now_known.content.files.get(&signed)
            });
            let file = checkout.path(&Unit::Log, &path)?;
            if same && !file.exists() {
                file_ops::replace_all(&[(file, bytes)])?;
            }
        }
        for own in rounds {
            let Unit::Round(name) = &own.unit else {
                continue;
            };
            let path = checkout.rounds().join(name);
            if !RoundFolder::is_round(&path) {
                continue;
            }
            let folder = RoundFolder::open(&path)?;
            let at = pusher.operator.clock.now();
            if let Recorded::KeyMissing(log) = record(pusher.operator, &folder, at)? {
                return Err(no_key(&log));
            }
        }
        Ok(())
    }
}

pub(super) fn no_key(log: &str) -> Error {
    let text = format!("the log {log} must tell of the push, and its key is not here");
    let hint = format!(
        "name the key of {} with CAPITALBENCH_LOG_KEY; nothing was pushed",
        layout::LOG_VKEY
    );
    Error::new(text).hint(hint)
}

pub(super) fn too_busy() -> Error {
    let text = "the log of the store was moved on by others again and again; nothing was pushed";
    Error::new(text).hint("push again when fewer workers write at once")
}

/// Waits for a time that nobody can foresee when others were faster, so that writers do not meet again.
pub(super) fn let_others_go_first(tried: u32) -> Result<(), Error> {
    if tried > 0 {
        std::thread::sleep((PAUSE * tried.min(MOST_PAUSES)).mul_f64(chance()?));
    }
    Ok(())
}
