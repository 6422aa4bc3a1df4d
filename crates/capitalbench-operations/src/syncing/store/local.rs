//! What a machine keeps of a store: objects by their digest, and checkouts for commands that were
//! given no folder. All of it can be deleted at any time.

use std::path::{Path, PathBuf};

use capitalbench_archive::disk::file_ops::{
    self, create_private_folder, scratch::replace_unflushed,
};
use capitalbench_archive::store::checkout::Checkout;
use capitalbench_archive::store::folder_store::Condition;
use capitalbench_archive::store::index::{is_content_of, object_key};
use capitalbench_core::values::ids::Digest;

use super::{Store, nonce};
use crate::error::Error;

/// The key of the id of a store.
const STORE_ID: &str = "store-id";
/// Processes of one machine that may use one store at a time without naming a folder.
const MOST_CHECKOUTS: usize = 256;

/// Objects by digest.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// Keeps nothing: the checkout itself has the files.
    pub fn none() -> Self {
        Self { folder: None }
    }

    /// Whether a folder was given that no operator works in.
    pub(super) fn is_kept(&self) -> bool {
        self.folder.is_some()
    }

    /// An object that is here and whole.
    pub(super) fn object(&self, name: &str) -> Option<Vec<u8>> {
        let bytes = file_ops::read(&self.file(name)?).ok()?;
        is_content_of(name, &bytes).then_some(bytes)
    }

    pub(super) fn keep(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        match self.file(name) {
            Some(file) => Ok(replace_unflushed(&file, bytes)?),
            None => Ok(()),
        }
    }

    fn file(&self, name: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(object_key(name)?))
    }
}

/// Where a command works: a checkout that is its own, and what this machine keeps.
#[derive(Debug)]
pub struct Here {
    pub checkout: Checkout,
    pub cache: Cache,
}

/// What a checkout of this machine is for; each kind has folders of its own, because what lies in one
/// half would be taken for the state of the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Everything, to be shown.
    Whole,
    /// One round after the other, to be resolved.
    Rounds,
    /// The log alone, to be signed.
    Log,
}

impl Store {
    /// A checkout of this machine that no other process uses now, and the cache that all of them share.
    pub fn own_checkout(&self, home: &Path, purpose: Purpose) -> Result<Here, Error> {
        let id = self.known_id()?.ok_or_else(|| self.nothing_there())?;
        // Another store at the same address has another folder.
        let digest = Digest::of(format!("{} {id}", self.address).as_bytes()).to_hex();
        let folder = home.join("stores").join(&digest[..16]);
        // What open rounds withhold lies here too.
        create_private_folder(&folder)?;
        let kind = match purpose {
            Purpose::Whole => "checkout",
            Purpose::Rounds => "worker",
            Purpose::Log => "log",
        };
        for number in 1..=MOST_CHECKOUTS {
            let rounds = folder.join(format!("{kind}-{number}")).join("rounds");
            if let Some(checkout) = Checkout::take(&rounds, &self.address)? {
                if purpose != Purpose::Whole {
                    self.require_conditions(&checkout)?;
                }
                checkout.forget_after_restart()?;
                if purpose == Purpose::Rounds {
                    checkout.let_log_pass()?;
                }
                let cache = Cache {
                    folder: Some(folder),
                };
                return Ok(Here { checkout, cache });
            }
        }
        let text = format!(
            "{MOST_CHECKOUTS} processes of this machine use {} already",
            self.address
        );
        Err(Error::new(text).hint("wait until one of them is done"))
    }

    /// A folder that the operator names as a checkout, to read a store that must be there.
    pub fn reading_checkout(&self, rounds: &Path) -> Result<Here, Error> {
        if Checkout::address(rounds)?.is_none() {
            self.require_heads()?;
        }
        self.checkout(rounds)
    }

    /// A folder that the operator names as a checkout.
    pub fn checkout(&self, rounds: &Path) -> Result<Here, Error> {
        let Some(checkout) = Checkout::take(rounds, &self.address)? else {
            let text = format!("another process pulls or pushes {}", rounds.display());
            return Err(Error::new(text).hint("wait until it is done"));
        };
        self.require_same_store(&checkout)?;
        let cache = Cache::none();
        Ok(Here { checkout, cache })
    }

    /// Refuses another store at the same address: it has another endpoint now, or was made anew.
    fn require_same_store(&self, checkout: &Checkout) -> Result<(), Error> {
        let (known, there) = (checkout.store_id()?, self.known_id()?);
        match (known, there) {
            (Some(known), there) if there.as_ref() != Some(&known) => {}
            (None, Some(there)) => return Ok(checkout.note_store_id(&there)?),
            _ => return Ok(()),
        }
        let rounds = checkout.rounds().display();
        let text = format!(
            "{} is another store than the one that {rounds} was pulled from or pushed to before; nothing \
             was changed",
            self.address
        );
        Err(Error::new(text).hint(format!(
            "see that AWS_ENDPOINT_URL and the address are right; to fill a new store from this folder, \
             remove {rounds}/.capitalbench/store and push again"
        )))
    }

    /// What tells this store from every other one; none before the first push.
    fn known_id(&self) -> Result<Option<String>, Error> {
        let found = self.get(STORE_ID)?;
        Ok(found.map(|(id, _)| String::from_utf8_lossy(&id).into_owned()))
    }

    /// Before the first write: the store must obey conditions, and has an id from then on.
    pub(super) fn require_writable(&self, checkout: &Checkout) -> Result<(), Error> {
        self.require_conditions(checkout)?;
        if checkout.store_id()?.is_none() {
            checkout.note_store_id(&self.id()?)?;
        }
        Ok(())
    }

    /// The id of this store, written once, by whoever comes first.
    fn id(&self) -> Result<String, Error> {
        if let Some(id) = self.known_id()? {
            return Ok(id);
        }
        self.put(STORE_ID, nonce()?.as_bytes(), Condition::Absent)?;
        self.known_id()?.ok_or_else(|| {
            let text = format!("{} does not give back what was just written", self.address);
            Error::new(text).hint("use a store whose reads see every finished write")
        })
    }
}
