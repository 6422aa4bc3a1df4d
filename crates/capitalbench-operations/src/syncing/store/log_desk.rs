//! The log of a store as the workers of one process move it on: they hand in their rounds, and whoever
//! finds the log free signs for all who wait.
//!
//! A push of its own for every round would make each of them fetch and sign the log again whenever another
//! one was faster.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use capitalbench_archive::log::LogFolder;
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_archive::store::unit::Unit;

use super::Store;
use super::claim::Claim;
use super::local::{Here, Purpose};
use super::pull::{Current, Local};
use super::push::{Logged, Published, Pusher, Ready, Turn, note_tags};
use super::signed_push::{LogTurn, MOST_TRIES, let_others_go_first, no_key, too_busy};
use crate::error::Error;
use crate::operator::Operator;
use crate::proof::record::{Recorded, Recorder};

/// Where the workers of a process hand in their rounds.
pub struct LogDesk<'a> {
    store: Arc<Store>,
    operator: &'a Operator,
    /// A checkout of the log alone.
    log: Mutex<Here>,
    waiting: Mutex<Vec<Member>>,
}

/// A round whose objects are in the store, on behalf of a worker that waits.
struct Member {
    own: Arc<Ready>,
    claim: Option<Claim>,
    round: PathBuf,
    answer: Sender<Result<Told, Error>>,
}

/// What the log says of a round that was handed in.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Told {
    Signed,
    /// There is no log, or it held everything already.
    Nothing,
    /// The files of the round contradict the log.
    Refused(Error),
    /// The push took too long and starts again.
    TooLate,
    /// The worker was asked to stop while somebody else held the log.
    Stopped,
}

/// What came of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handed {
    Pushed,
    /// The log does not sign what the files say, so nothing was pushed.
    Refused(Error),
    /// Nothing was pushed: the worker was asked to stop while it waited.
    Stopped,
}

impl<'a> LogDesk<'a> {
    pub fn open(store: &Arc<Store>, operator: &'a Operator, home: &Path) -> Result<Self, Error> {
        Ok(Self {
            store: Arc::clone(store),
            operator,
            log: Mutex::new(store.own_checkout(home, Purpose::Log)?),
            waiting: Mutex::default(),
        })
    }

    /// Pushes a round, and lets the log tell of it where there is one.
    pub fn push(
        &self,
        pusher: &Pusher<'_>,
        unit: &Unit,
        stopping: &dyn Fn() -> bool,
    ) -> Result<Handed, Error> {
        loop {
            self.store.adopt(&pusher.here.checkout, &BTreeMap::new())?;
            let Some(own) = self.store.ready(pusher, unit)? else {
                return Ok(Handed::Pushed);
            };
            self.store.turn(pusher.claim, &own)?;
            let own = Arc::new(own);
            let logged = match self.hand_in(pusher, &own, stopping)? {
                Told::Signed => Logged::Signed,
                Told::Nothing => Logged::Nothing,
                Told::TooLate => continue,
                Told::Refused(error) => return Ok(Handed::Refused(error)),
                Told::Stopped => return Ok(Handed::Stopped),
            };
            if let Published::Done(tag) = self.store.publish(pusher, &own, logged)? {
                note_tags(pusher, [(unit.key(), tag)])?;
                return Ok(Handed::Pushed);
            }
        }
    }

    /// Pushes a round past the log: only what the log is not to tell.
    pub fn push_untold(&self, pusher: &Pusher<'_>, unit: &Unit) -> Result<(), Error> {
        while let Some(own) = self.store.ready(pusher, unit)? {
            let published = self.store.publish(pusher, &own, Logged::Nothing)?;
            if let Published::Done(tag) = published {
                return note_tags(pusher, [(unit.key(), tag)]);
            }
        }
        Ok(())
    }

    /// Waits until the log tells of a round, and works for all who wait when the log is free.
    fn hand_in(
        &self,
        pusher: &Pusher<'_>,
        own: &Arc<Ready>,
        stopping: &dyn Fn() -> bool,
    ) -> Result<Told, Error> {
        let (answer, answered) = channel();
        let member = Member {
            own: Arc::clone(own),
            claim: pusher.claim.cloned(),
            round: pusher.here.checkout.rounds().join(own.unit.name()),
            answer,
        };
        let waiting = || self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting().push(member);
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let members = std::mem::take(&mut *waiting());
        if !members.is_empty() {
            self.tell(&log, members, stopping);
        }
        drop(log);
        let broke = || Error::new("a worker that signed for others broke; nothing was pushed");
        answered.recv().map_err(|_| broke())?
    }

    /// Lets the log tell of all members that may still be published, and answers each of them.
    fn tell(&self, log: &Here, mut members: Vec<Member>, stopping: &dyn Fn() -> bool) {
        if let Err(error) = self.tell_all(log, &mut members, stopping) {
            for member in &members {
                // Whoever does not wait any more needs no answer.
                let _ = member.answer.send(Err(error.clone()));
            }
        }
    }

    fn tell_all(
        &self,
        log: &Here,
        members: &mut Vec<Member>,
        stopping: &dyn Fn() -> bool,
    ) -> Result<(), Error> {
        for tried in 0..MOST_TRIES {
            let_others_go_first(tried)?;
            let turn = self.store.log_in_turn(None, self.operator, stopping)?;
            let (head, tag) = match turn {
                LogTurn::Ours(head, tag) => (*head, tag),
                LogTurn::NoLog => {
                    answer_all(members, &Told::Nothing);
                    return Ok(());
                }
                LogTurn::Stopped => {
                    answer_all(members, &Told::Stopped);
                    return Ok(());
                }
            };
            self.store.settle(&head)?;
            self.dismiss(members)?;
            let current = Current {
                head: head.clone(),
                tag: tag.clone(),
            };
            self.store
                .bring(log, &Unit::Log, current, Local::Discarded)?;
            if !self.sign(log, members)? {
                continue;
            }
            if members.is_empty() {
                return Ok(());
            }
            let pusher = Pusher {
                operator: self.operator,
                here: log,
                claim: None,
            };
            let Some(ready) = self.store.ready(&pusher, &Unit::Log)? else {
                answer_all(members, &Told::Nothing);
                return Ok(());
            };
            if let_late_go(members) {
                continue;
            }
            let rounds = members.iter().map(|member| &*member.own);
            let before = (head, tag);
            if self
                .store
                .write_log(&pusher, &ready, Some(&before), rounds)?
            {
                answer_all(members, &Told::Signed);
                return Ok(());
            }
        }
        Err(too_busy())
    }

    /// Lets those go who cannot be published any more, or are published already.
    fn dismiss(&self, members: &mut Vec<Member>) -> Result<(), Error> {
        let turns = self.store.each(members, |member| {
            Ok(self.store.turn(member.claim.as_ref(), &member.own))
        })?;
        let mut turns = turns.into_iter();
        members.retain(|member| {
            let answer = match turns.next() {
                Some(Ok(Turn::Published)) => Ok(Told::Signed),
                Some(Err(error)) => Err(error),
                Some(Ok(Turn::Ours)) | None => return true,
            };
            let _ = member.answer.send(answer);
            false
        });
        Ok(())
    }

    /// Signs what the files of the rounds say; false when a round was refused, whose first events may be
    /// in the log by then.
    fn sign(&self, log: &Here, members: &mut Vec<Member>) -> Result<bool, Error> {
        let folder = LogFolder::of_rounds(log.checkout.rounds());
        let at = self.operator.clock.now();
        for place in 0..members.len() {
            let round = RoundFolder::open(&members[place].round)?;
            let recorder = Recorder::in_log(self.operator, folder.clone(), &round)?;
            match recorder.round(at) {
                Ok(Recorded::KeyMissing(name)) => return Err(no_key(&name)),
                Ok(_) => {}
                Err(error) => {
                    let member = members.remove(place);
                    let _ = member.answer.send(Ok(Told::Refused(error.into())));
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

/// Lets those go whose push took too long; true when there were any, and the log must be signed again
/// without them.
fn let_late_go(members: &mut Vec<Member>) -> bool {
    let all = members.len();
    members.retain(|member| {
        let is_late = member.own.is_late();
        if is_late {
            let _ = member.answer.send(Ok(Told::TooLate));
        }
        !is_late
    });
    members.len() < all
}

fn answer_all(members: &[Member], told: &Told) {
    for member in members {
        let _ = member.answer.send(Ok(told.clone()));
    }
}
