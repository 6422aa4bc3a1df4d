//! The probe: a store that ignores conditions would lose rounds without a word, so it is refused.

use capitalbench_archive::disk::file_ops::replace;
use capitalbench_archive::store::checkout::Checkout;
use capitalbench_archive::store::folder_store::Condition;

use super::{Store, nonce};
use crate::error::Error;

impl Store {
    /// Writes a probe and tries to overwrite it, once per checkout.
    pub(super) fn require_conditions(&self, checkout: &Checkout) -> Result<(), Error> {
        let mark = checkout.probed();
        if mark.exists() {
            return Ok(());
        }
        self.probe()?;
        Ok(replace(&mark, b"")?)
    }

    /// The same without remembering it.
    pub fn probe(&self) -> Result<(), Error> {
        let key = format!("probes/{}", nonce()?);
        let first = self.put(&key, b"first", Condition::Absent)?;
        let again = self.put(&key, b"again", Condition::Absent)?;
        let stale = self.put(&key, b"stale", Condition::Unchanged("0123456789abcdef"))?;
        let found = self.get(&key)?;
        let right = match (&first, &found) {
            (Some(first), Some((bytes, tag))) if bytes == b"first" && tag == first => self
                .put(&key, b"right", Condition::Unchanged(tag))?
                .is_some(),
            _ => false,
        };
        self.delete(&key)?;
        if right && again.is_none() && stale.is_none() {
            return Ok(());
        }
        let text = format!(
            "{} overwrites what a condition protects (If-None-Match and If-Match), so two writers \
             would destroy each other's rounds",
            self.address
        );
        Err(Error::new(text)
            .hint("use a store that honours conditional writes; nothing was stored"))
    }
}
