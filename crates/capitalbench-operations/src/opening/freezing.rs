//! The freeze of a round, or a look whether it still holds.

use std::path::Path;

use capitalbench_archive::disk::layout;
use capitalbench_archive::format::round::manifest;
use capitalbench_archive::round::ending;
use capitalbench_archive::round::freeze::{self, Frozen, HashProblem};
use capitalbench_archive::round::round_folder::RoundFolder;

use crate::asking::run::not_frozen;
use crate::error::Error;
use crate::operator::Operator;
use crate::proof::anchor::follow_step;
use crate::proof::given_instant::note_given_instant;
use crate::proof::promise::Promise;
use crate::proof::record::{Recorded, record, record_freeze};

/// A frozen round and its place in the log.
#[derive(Debug)]
pub struct FrozenRound {
    pub folder: RoundFolder,
    pub frozen: Frozen,
    pub recorded: Recorded,
}

/// Freezes a round, or confirms its freeze, and signs it.
pub fn freeze_round(operator: &Operator, round: &Path) -> Result<FrozenRound, Error> {
    let folder = RoundFolder::open(round)?;
    ending::require_open(&folder)?;
    let manifest = folder.parse(layout::MANIFEST, manifest::parse)?;
    Promise::of(&folder, &manifest).require_key(operator)?;
    note_given_instant(operator, &folder, "hash-round")?;
    let frozen = freeze::freeze(&folder)?;
    let recorded = match frozen {
        Frozen::Written(_) => record_freeze(operator, &folder, operator.now())?,
        Frozen::Unchanged(_) => record(operator, &folder, operator.now())?,
    };
    follow_step(operator, &folder, &manifest)?;
    Ok(FrozenRound {
        folder,
        frozen,
        recorded,
    })
}

/// Every frozen file that is not what it was.
pub fn changes(folder: &RoundFolder) -> Result<Vec<HashProblem>, Error> {
    freeze::changes(folder)?.ok_or_else(|| not_frozen(folder))
}
