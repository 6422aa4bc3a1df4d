//! [`Tombstone`]: why a round ended without a record.

use serde::{Deserialize, Serialize};

use crate::values::ids::RoundId;
use crate::values::time::WrittenInstant;
use crate::values::words::words;

/// How a round ended without a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// The operator, or the failure policy, ended it.
    Voided,
    /// Its deadline passed before the models had been asked.
    Abandoned,
}

words!(Ending {
    Voided => "voided",
    Abandoned => "abandoned",
});

/// Stays in place of a deleted folder: the answers stay, and readers see when and why it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tombstone {
    pub round_id: RoundId,
    pub ending: Ending,
    pub ended_at: WrittenInstant,
    pub reason: String,
}
