//! `--store`: the rounds of a store, in a checkout of this machine that lasts as long as the command.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use capitalbench_archive::disk::file_ops;
use capitalbench_operations::syncing::store::Store;
use capitalbench_operations::syncing::store::local::{Here, Purpose};
use capitalbench_operations::syncing::store::pull::Local;

use crate::cli::{Command, StoreVerb};
use crate::config::{Environment, operator};
use crate::console::warn;
use crate::error::Error;

/// Whether the folder that is served is of one moment; held for writing while a pull changes it, and for
/// reading while a site is made of it.
static IS_WHOLE: RwLock<bool> = RwLock::new(true);
/// How often a served store is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(10);

/// A store and the checkout that this process holds.
pub(crate) struct Stored {
    store: Store,
    here: Here,
}

impl Stored {
    /// Pulls what changed; none where no store was named.
    pub(crate) fn open(address: Option<&str>) -> Result<Option<Self>, Error> {
        let Some(address) = address else {
            return Ok(None);
        };
        let operator = operator(None)?;
        let store = Store::open(&operator.configuration, address)?;
        let here = store.own_checkout(&Environment::cache_home()?, Purpose::Whole)?;
        let stored = Self { store, here };
        stored.pull()?;
        Ok(Some(stored))
    }

    /// Looks for what others pushed meanwhile.
    pub(crate) fn pull(&self) -> Result<(), Error> {
        let mut is_whole = IS_WHOLE.write().unwrap_or_else(PoisonError::into_inner);
        // Everything can be fetched again, so nothing waits for the disk.
        file_ops::stop_flushing();
        let pulled = self.store.pull(&self.here, Local::Discarded);
        file_ops::flush_again();
        *is_whole = pulled.is_ok();
        pulled.map(drop)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.here.checkout.rounds()
    }
}

/// Keeps a pull from changing what is read meanwhile; false where one broke off in the middle.
pub(crate) fn reading() -> RwLockReadGuard<'static, bool> {
    IS_WHOLE.read().unwrap_or_else(PoisonError::into_inner)
}

/// What a command holds while it runs.
pub(crate) struct Held {
    _checkout: Option<Stored>,
    _following: Option<Following>,
}

/// Lets a command that shows rounds work on those of the store that was named, where one was.
pub(crate) fn hold(command: &mut Command) -> Result<Option<Held>, Error> {
    let (address, folder) = match command {
        // Without a store the path stays as it was typed, or none.
        Command::Verify(own) if own.store.is_some() => {
            (&own.store, own.path.get_or_insert_default())
        }
        Command::Leaderboard(own) => (&own.store.url, &mut own.rounds.dir.folder),
        Command::Export(own) => (&own.store.url, &mut own.rounds.dir.folder),
        Command::BuildSite(own) => (&own.store.url, &mut own.rounds.dir.folder),
        Command::Serve(own) => (&own.store.url, &mut own.rounds.dir.folder),
        Command::Store(own) => match &mut own.verb {
            StoreVerb::Publish(own) => (&own.store.url, &mut own.rounds.dir.folder),
            _ => return Ok(None),
        },
        _ => return Ok(None),
    };
    let Some(stored) = Stored::open(address.as_deref())? else {
        return Ok(None);
    };
    stored.folder().clone_into(folder);
    let (checkout, following) = match command {
        Command::Serve(_) => (None, Some(Following::start(stored))),
        _ => (Some(stored), None),
    };
    Ok(Some(Held {
        _checkout: checkout,
        _following: following,
    }))
}

/// Pulls now and then for as long as a site is served.
pub(crate) struct Following {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Following {
    pub(crate) fn start(stored: Stored) -> Self {
        let (stop, stopped) = channel();
        let thread = thread::spawn(move || {
            let mut told = None;
            while stopped.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
                let trouble = stored.pull().err().map(|error| error.to_string());
                // The same trouble is said once; the site stays as it was.
                if let Some(text) = trouble.as_ref().filter(|_| trouble != told) {
                    warn(text);
                }
                told = trouble;
            }
        });
        Self {
            stop: Some(stop),
            thread: Some(thread),
        }
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A thread that broke only stopped looking.
            let _ = thread.join();
        }
    }
}
