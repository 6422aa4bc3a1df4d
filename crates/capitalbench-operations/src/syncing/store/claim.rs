//! Claiming a unit: a conditional write of its head, which raises its fence.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use capitalbench_archive::store::head::{Head, LeaseTerm};
use capitalbench_archive::store::unit::Unit;
use jiff::SignedDuration;

use super::{Store, Written, nonce, now};
use crate::error::Error;
use crate::resolving::held_round::Lost;

/// A unit that this process holds, as long as nobody claims it after the lease has run out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub unit: Unit,
    pub owner: String,
    pub fence: u64,
    pub length: SignedDuration,
}

/// The answer to a claim.
#[derive(Debug)]
pub enum Claimed {
    Held(Claim),
    Busy(LeaseTerm),
    /// Another one was faster.
    Lost,
}

impl Store {
    /// Claims a unit that nobody holds.
    pub fn claim(
        &self,
        unit: &Unit,
        owner: &str,
        length: SignedDuration,
    ) -> Result<Claimed, Error> {
        let key = unit.key();
        let (head, tag) = match self.head(&key)? {
            Some((head, tag)) => (head, Some(tag)),
            None => (Head::default(), None),
        };
        if let Some(holder) = head.holder(now()) {
            return Ok(Claimed::Busy(holder.clone()));
        }
        let claimed = head.claimed(term(owner, length), nonce()?);
        Ok(match self.write_head(&key, &claimed, tag.as_deref())? {
            Written::Lost => Claimed::Lost,
            Written::Done(_) => Claimed::Held(Claim {
                unit: unit.clone(),
                owner: owner.to_owned(),
                fence: claimed.fence,
                length,
            }),
        })
    }

    /// Prolongs a claim, or gives it back; false when it is lost.
    fn set_lease(&self, claim: &Claim, lease: Option<&LeaseTerm>) -> Result<bool, Error> {
        let key = claim.unit.key();
        loop {
            let Some((head, tag)) = self.head(&key)? else {
                return Ok(false);
            };
            if head.fence != claim.fence || head.lease.is_none() {
                return Ok(false);
            }
            let next = Head {
                lease: lease.cloned(),
                write: nonce()?,
                ..head
            };
            if let Written::Done(_) = self.write_head(&key, &next, Some(&tag))? {
                return Ok(true);
            }
        }
    }

    /// Gives a unit back; one that is lost stays with whoever has it.
    pub fn give_back(&self, claim: &Claim) -> Result<(), Error> {
        self.set_lease(claim, None).map(drop)
    }
}

/// A claim that a thread prolongs until it is dropped; it raises a flag when the claim is lost.
#[derive(Debug)]
pub struct Beating {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    pub lost: Lost,
}

impl Beating {
    pub fn start(store: &Arc<Store>, claim: &Claim) -> Self {
        let (stop, stopped) = channel();
        let (store, claim, lost) = (Arc::clone(store), claim.clone(), Lost::default());
        let flag = Arc::clone(&lost);
        let pause = Duration::try_from(claim.length / 4).unwrap_or(Duration::from_mins(1));
        let thread = thread::spawn(move || {
            while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                let term = term(&claim.owner, claim.length);
                // A store that does not answer once may answer at the next beat.
                if matches!(store.set_lease(&claim, Some(&term)), Ok(false)) {
                    flag.store(true, Ordering::SeqCst);
                    break;
                }
            }
        });
        Self {
            stop: Some(stop),
            thread: Some(thread),
            lost,
        }
    }
}

impl Drop for Beating {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A thread that broke only stopped prolonging.
            let _ = thread.join();
        }
    }
}

fn term(owner: &str, length: SignedDuration) -> LeaseTerm {
    let now = now();
    LeaseTerm {
        owner: owner.to_owned(),
        expires_at_utc: now.checked_add(length).unwrap_or(now),
    }
}
