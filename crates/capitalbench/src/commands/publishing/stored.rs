//! `--store`: the rounds of a store, in a checkout of this machine that lasts as long as the command.

use std::path::Path;

use capitalbench_operations::operator::Operator;
use capitalbench_operations::syncing::store::Store;
use capitalbench_operations::syncing::store::local::Here;
use capitalbench_operations::syncing::store::pull::Local;
use capitalbench_operations::syncing::store::push::Pusher;

use crate::cli::{Rounds, RoundsDir, StoreChoice};
use crate::config::{Environment, operator};
use crate::error::Error;

/// A store and the checkout that this process holds.
pub(crate) struct Stored {
    store: Store,
    here: Here,
}

impl Stored {
    /// Pulls what changed; none where no store was named.
    pub(crate) fn open(choice: &StoreChoice) -> Result<Option<Self>, Error> {
        let Some(address) = &choice.url else {
            return Ok(None);
        };
        let operator = operator(None)?;
        let store = Store::open(&operator.configuration, address)?;
        let here = store.own_checkout(&Environment::cache_home()?)?;
        let stored = Self { store, here };
        stored.pull()?;
        Ok(Some(stored))
    }

    /// Looks for what others pushed meanwhile.
    pub(crate) fn pull(&self) -> Result<(), Error> {
        self.store.pull(&self.here, Local::Discarded).map(drop)
    }

    /// Brings what this command did into the store.
    pub(crate) fn push(&self, operator: &Operator) -> Result<(), Error> {
        let pusher = Pusher {
            operator,
            here: &self.here,
            claim: None,
        };
        self.store.push(&pusher, None).map(drop)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.here.checkout.rounds()
    }
}

/// The rounds that a command works on: those of the store that was named, or of the folder.
pub(crate) fn rounds_of(
    choice: &StoreChoice,
    rounds: &Rounds,
) -> Result<(Rounds, Option<Stored>), Error> {
    let stored = Stored::open(choice)?;
    let mut rounds = rounds.clone();
    if let Some(stored) = &stored {
        rounds.dir = RoundsDir {
            folder: stored.folder().to_owned(),
        };
    }
    Ok((rounds, stored))
}
