//! Working on a whole folder of rounds that lies in a store, as a league does.

use std::panic::resume_unwind;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use capitalbench_archive::round::jobs;
use capitalbench_archive::round::lease::Worker;
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_archive::store::checkout::Checkout;
use capitalbench_archive::store::unit::{Unit, units_of};
use jiff::{SignedDuration, Timestamp};

use super::Store;
use super::claim::{Beating, Claim, Claimed};
use super::local::Here;
use super::pull::Local;
use super::push::Pusher;
use crate::error::Error;
use crate::operator::Operator;
use crate::resolving::held_round::{HeldRound, Lost, is_over, worker};

/// A pass may last so long, and a round that falls due in it is taken at its beginning.
const SOON: SignedDuration = SignedDuration::from_hours(1);

/// A store whose log this process holds, and the folder that it works in.
#[derive(Debug)]
pub struct Whole {
    store: Arc<Store>,
    here: Here,
    claim: Claim,
    lost: Lost,
}

/// Rounds that wait for their result, while a pass lasts.
#[derive(Default)]
struct Waiting {
    claims: Vec<(Claim, Beating)>,
    /// What a worker of the store has is held in the folder too, so that the pass leaves it alone.
    elsewhere: Vec<HeldRound>,
}

/// Works on a checkout that no other machine works on meanwhile: what an earlier process left here is
/// pushed, the newest state is pulled, and whatever the work came to is pushed again. The claim is on the
/// log: workers resolve other rounds meanwhile, and wait with their push.
pub fn work_on<T>(
    operator: &Operator,
    address: &str,
    rounds: &Path,
    work: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    let store = Arc::new(Store::open(&operator.configuration, address)?);
    let here = store.checkout(rounds)?;
    store.require_conditions(&here.checkout)?;
    let own = worker(None, None);
    let name = format!("{} on {}", own.owner, own.host);
    let claim = match store.claim(&Unit::Log, &name, own.length)? {
        Claimed::Held(claim) => claim,
        Claimed::Lost => return Err(taken(address, "another machine")),
        Claimed::Busy(term) => {
            let until = term.expires_at_utc;
            let hint = format!("wait until it is done; if it died, the rounds are free at {until}");
            return Err(taken(address, &term.owner).hint(hint));
        }
    };
    let beating = Beating::start(&store, &claim);
    let whole = operator.whole.get_or_init(|| Whole {
        lost: Arc::clone(&beating.lost),
        store,
        here,
        claim,
    });
    let mut waiting = Waiting::default();
    let done = whole.pass(operator, &mut waiting, work);
    // Whatever came of it, nobody waits for a claim of this pass.
    let free = waiting.give_back(&whole.store);
    drop(beating);
    let given_back = whole.store.give_back(&whole.claim);
    let done = done?;
    free.and(given_back).map(|()| done)
}

impl Whole {
    fn pass<T>(
        &self,
        operator: &Operator,
        waiting: &mut Waiting,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.push(operator)?;
        self.store.pull(&self.here, Local::Kept)?;
        if waiting.take(self, operator.clock.now())? {
            // What a worker finished in between is older than our claims.
            self.store.pull(&self.here, Local::Kept)?;
        }
        let done = work();
        self.push(operator)?;
        done
    }

    /// Pushes everything; from a thread of its own, because whoever shows something to a clock may wait
    /// in this one already.
    fn push(&self, operator: &Operator) -> Result<(), Error> {
        if self.lost.load(Ordering::SeqCst) {
            return Err(taken(&self.store.address, "another machine"));
        }
        let pusher = Pusher {
            operator,
            here: &self.here,
            claim: Some(&self.claim),
        };
        let pushed = std::thread::scope(|threads| {
            let pushing = threads.spawn(|| self.store.push(&pusher, None));
            pushing.join().unwrap_or_else(|panic| resume_unwind(panic))
        });
        pushed.map(drop)
    }
}

impl Waiting {
    /// Claims every round that is due or will be soon; whether there is one.
    fn take(&mut self, whole: &Whole, now: Timestamp) -> Result<bool, Error> {
        let soon = now.checked_add(SOON).unwrap_or(Timestamp::MAX);
        let Claim { owner, length, .. } = &whole.claim;
        let rounds = whole.here.checkout.rounds();
        for unit in units_of(rounds)? {
            let path = rounds.join(unit.name());
            if !matches!(unit, Unit::Round(_)) || !RoundFolder::is_round(&path) {
                continue;
            }
            let folder = RoundFolder::open(&path)?;
            let job = jobs::load(&folder)?.filter(|job| !is_over(job));
            let due = job.and_then(|job| job.next_attempt());
            if due.is_none_or(|at| at > soon) {
                continue;
            }
            let holder = match whole.store.claim(&unit, owner, *length)? {
                Claimed::Held(claim) => {
                    let beating = Beating::start(&whole.store, &claim);
                    self.claims.push((claim, beating));
                    continue;
                }
                Claimed::Busy(term) => term.owner,
                Claimed::Lost => "another worker of the store".to_owned(),
            };
            let holder = Worker {
                owner: holder,
                ..worker(None, None)
            };
            self.elsewhere
                .extend(HeldRound::take(&folder, &holder)?.ok());
        }
        Ok(!self.claims.is_empty() || !self.elsewhere.is_empty())
    }

    fn give_back(self, store: &Store) -> Result<(), Error> {
        let mut all = Ok(());
        for (claim, beating) in self.claims {
            drop(beating);
            all = all.and(store.give_back(&claim));
        }
        for held in self.elsewhere {
            held.release()?;
        }
        all
    }
}

/// Lets the store of a checkout have its log before a clock, a witness or the public sees it; false where
/// only the operator can push it.
pub fn is_in_store(operator: &Operator, rounds: &Path) -> Result<bool, Error> {
    if !Checkout::has_own_checkpoint(rounds)? {
        return Ok(true);
    }
    match operator.whole.get() {
        Some(whole) => whole.push(operator).map(|()| true),
        None => Ok(false),
    }
}

/// Before a pass shows anything to the public, the store that it works on gets it.
pub fn push_first(operator: &Operator) -> Result<(), Error> {
    match operator.whole.get() {
        Some(whole) => whole.push(operator),
        None => Ok(()),
    }
}

/// Refuses to show a checkout whose log may never count.
pub fn require_in_store(rounds: &Path) -> Result<(), Error> {
    if !Checkout::has_own_checkpoint(rounds)? {
        return Ok(());
    }
    Err(Error::new(NOT_IN_STORE).hint("run `store push` first; nobody was shown anything"))
}

/// Why a state is not shown.
pub const NOT_IN_STORE: &str =
    "the log of this checkout is not in its store, where another state may win";

fn taken(address: &str, who: &str) -> Error {
    Error::new(format!(
        "{address} is worked on by {who}; nothing was pushed"
    ))
}
