//! [`Universes`]: the universes of several rounds, each parsed once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use capitalbench_core::market::universe::Universe;
use capitalbench_core::values::ids::Digest;

use super::RoundFolder;
use crate::disk::error::Fault;
use crate::disk::layout;
use crate::format::round::options;

/// Universes by digest, so that each is parsed only once.
#[derive(Debug, Default)]
pub struct Universes(Mutex<BTreeMap<Digest, Arc<Universe>>>);

impl Universes {
    /// The universe with this digest: a known one, or that of the round.
    pub(crate) fn of_digest(&self, digest: Digest, folder: &RoundFolder) -> Option<Arc<Universe>> {
        if let Some(universe) = self.known(digest) {
            return Some(universe);
        }
        let bytes = folder.read(layout::OPTIONS).ok()?;
        (Digest::of(&bytes) == digest).then(|| self.get(&bytes).ok())?
    }

    fn known(&self, digest: Digest) -> Option<Arc<Universe>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&digest).map(Arc::clone)
    }

    pub(super) fn get(&self, bytes: &[u8]) -> Result<Arc<Universe>, Fault> {
        let digest = Digest::of(bytes);
        if let Some(universe) = self.known(digest) {
            return Ok(universe);
        }
        let universe = Arc::new(options::parse(bytes)?);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(digest, Arc::clone(&universe));
        Ok(universe)
    }
}
