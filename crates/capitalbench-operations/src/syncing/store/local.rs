//! What a machine keeps of a store: objects by their digest, and checkouts for commands that were
//! given no folder. All of it can be deleted at any time.

use std::path::{Path, PathBuf};

use capitalbench_archive::disk::file_ops::{
    self, create_private_folder, scratch::replace_unflushed,
};
use capitalbench_archive::store::checkout::Checkout;
use capitalbench_archive::store::index::{is_content_of, object_key};
use capitalbench_core::values::ids::Digest;

use super::Store;
use crate::error::Error;

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

    /// The cache of a store below a folder of this user.
    pub fn of(home: &Path, store: &Store) -> Self {
        Self {
            folder: Some(own_folder(home, store)),
        }
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
        let folder = own_folder(home, self);
        if !folder.exists() {
            self.require_heads()?;
        }
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
                if purpose == Purpose::Rounds {
                    checkout.let_log_pass()?;
                }
                let cache = Cache::of(home, self);
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
        let cache = Cache::none();
        Ok(Here { checkout, cache })
    }
}

fn own_folder(home: &Path, store: &Store) -> PathBuf {
    let digest = Digest::of(store.address.as_bytes()).to_hex();
    home.join("stores").join(&digest[..16])
}
