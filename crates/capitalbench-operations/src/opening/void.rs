//! Ends a round that has no record: a signed tombstone in place of a deleted folder.

use std::path::PathBuf;

use capitalbench_core::round::ending::{Ending, Tombstone};

use crate::error::Error;
use crate::operator::Operator;

/// What an operator wants ended.
#[derive(Debug)]
pub struct VoidRequest {
    pub round: PathBuf,
    pub ending: Ending,
    pub reason: String,
}

/// Ends a round before its acceptance; refused afterwards.
pub fn void_round(_operator: &Operator, _request: &VoidRequest) -> Result<Tombstone, Error> {
    Err(Error::new("tombstones are not built yet"))
}
