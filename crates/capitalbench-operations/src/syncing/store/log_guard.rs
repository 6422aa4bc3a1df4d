//! What a push asks before it touches the log of a store: it is the same log, and it only grows.

use std::collections::BTreeSet;

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::{file_ops, layout};
use capitalbench_archive::log::LogFolder;
use capitalbench_archive::store::checkout::{Change, Known};
use capitalbench_archive::store::head::{Generation, Head};
use capitalbench_archive::store::index::Place;
use capitalbench_archive::store::unit::Unit;
use capitalbench_core::values::ids::Digest;
use capitalbench_proof::checkpoint::Checkpoint;
use capitalbench_proof::tiles;

use super::Store;
use super::local::Here;
use crate::error::Error;

/// The path of the public key in the log.
const VKEY: &str = "vkey";
/// The path of the signed checkpoint.
const CHECKPOINT: &str = "checkpoint";

impl Store {
    /// Refuses to push past the log of the store, or to put another log in its place.
    pub(super) fn require_same_log(
        &self,
        here: &Here,
        there: &Head,
        units: &[Unit],
    ) -> Result<(), Error> {
        let checkout = &here.checkout;
        let known = checkout.known(&Unit::Log)?.unwrap_or_default();
        let nonce = |content: Option<&Generation>| content.map(|own| own.nonce.clone());
        let is_known = nonce(known.head.content.as_ref()) == nonce(there.content.as_ref());
        let content = if is_known {
            known.content
        } else {
            self.content(&here.cache, there.content.as_ref())?
        };
        let Some(key) = content.files.get(VKEY) else {
            return Ok(());
        };
        let file = checkout.rounds().join(layout::LOG_VKEY);
        let own = if file.exists() {
            Some(file_ops::read(&file).map_err(FileError::from)?)
        } else {
            None
        };
        if own.as_ref().is_some_and(|own| is_of(own, key)) {
            return Ok(());
        }
        // A folder that has nothing to push may well have no log yet.
        let mut is_changed = own.is_some();
        for unit in units.iter().chain([&Unit::Log]) {
            let known = checkout.known(unit)?.unwrap_or_default();
            is_changed = is_changed || checkout.change(unit, &known)?.is_changed;
        }
        if !is_changed {
            return Ok(());
        }
        let what = match own {
            Some(_) => "has a log with another key than",
            None => "has no signed log, unlike",
        };
        let text = format!(
            "{} {what} the store {}; nothing was pushed",
            checkout.rounds().display(),
            self.address
        );
        Err(Error::new(text).hint(
            "see that you named the right store; if you did, keep a copy of your files, take those of the \
             store with `store pull --discard-local`, and do your step again",
        ))
    }

    /// Refuses a log that does not continue the one that counts, which the checkout knows.
    pub(super) fn require_growth(
        &self,
        here: &Here,
        known: &Known,
        change: &Change,
    ) -> Result<(), Error> {
        let Some(place) = known.content.files.get(CHECKPOINT) else {
            return Ok(());
        };
        let Some(problem) = self.broken_growth(here, (known, place), change)? else {
            return Ok(());
        };
        let text = format!(
            "the log here does not continue the log of the store: {problem}; nothing was pushed"
        );
        Err(Error::new(text).hint(
            "keep a copy of your files, take the log of the store with `store pull --discard-local`, and do \
             your step again",
        ))
    }

    fn broken_growth(
        &self,
        here: &Here,
        (known, place): (&Known, &Place),
        change: &Change,
    ) -> Result<Option<String>, Error> {
        let log = LogFolder::of_rounds(here.checkout.rounds());
        let (Some(key), Some(now)) = (log.verifier()?, log.checkpoint()?) else {
            return Ok(Some("it has no checkpoint".to_owned()));
        };
        let is_tile = |path: &str| path.starts_with("tile/");
        let mut needed: BTreeSet<String> = tiles::added(0, now.checkpoint.size)
            .iter()
            .map(tiles::Tile::path)
            .collect();
        needed.extend(
            known
                .content
                .files
                .keys()
                .filter(|own| !is_tile(own))
                .cloned(),
        );
        if let Some(path) = needed.iter().find(|path| !change.marks.contains_key(*path)) {
            return Ok(Some(format!("log/{path} is gone")));
        }
        let object = self.object(&here.cache, &place.object)?;
        let from = usize::try_from(place.offset).unwrap_or(usize::MAX);
        let size = usize::try_from(place.size).unwrap_or(usize::MAX);
        let then = object.get(from..from.saturating_add(size));
        let then = then.filter(|bytes| is_of(bytes, place)).unwrap_or_default();
        match Checkpoint::open(then, &key, &[]) {
            Ok((then, _)) => Ok(log.broken_growth(&then, &now.checkpoint)?),
            Err(error) => Ok(Some(format!("the checkpoint of the store: {error}"))),
        }
    }
}

/// Whether bytes are those of a place.
fn is_of(bytes: &[u8], place: &Place) -> bool {
    Digest::of(bytes).to_hex() == place.sha256
}
