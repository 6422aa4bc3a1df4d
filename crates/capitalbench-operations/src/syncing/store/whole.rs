//! Working on a whole folder of rounds that lies in a store, as a league does.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use capitalbench_archive::store::unit::Unit;

use super::Store;
use super::claim::{Beating, Claimed};
use super::pull::Local;
use super::push::Pusher;
use crate::error::Error;
use crate::operator::Operator;
use crate::resolving::held_round::worker;

/// Works on a checkout that no other machine works on meanwhile: what an earlier process left here is
/// pushed, the newest state is pulled, and whatever the work came to is pushed again. The claim is on the
/// log: workers resolve rounds meanwhile, and wait with their push.
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
    let pusher = Pusher {
        operator,
        here: &here,
        claim: Some(&claim),
    };
    store.push(&pusher, None)?;
    store.pull(&here, Local::Kept)?;
    let done = work();
    if beating.lost.load(Ordering::SeqCst) {
        return Err(taken(address, "another machine"));
    }
    store.push(&pusher, None)?;
    drop(beating);
    store.give_back(&claim)?;
    done
}

fn taken(address: &str, who: &str) -> Error {
    Error::new(format!(
        "{address} is worked on by {who}; nothing was pushed"
    ))
}
