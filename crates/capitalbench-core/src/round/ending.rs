//! [`Tombstone`]: why a round ended without a record; [`ExceptionNote`]: what explains one that has it.

use serde::{Deserialize, Serialize};

use crate::values::ids::RoundId;
use crate::values::time::WrittenInstant;
use crate::values::words::words;

/// How a round ended without a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
#[serde(deny_unknown_fields)]
pub struct Tombstone {
    pub round_id: RoundId,
    pub ending: Ending,
    #[serde(rename = "ended_at_utc")]
    pub ended_at: WrittenInstant,
    pub reason: String,
}

impl Tombstone {
    /// What a command that needs an open round answers.
    pub fn sentence(&self) -> String {
        let (ending, at, reason) = (self.ending.as_str(), &self.ended_at, &self.reason);
        format!("was {ending} at {at}: {reason}")
    }
}

/// The operator's signed word about a round with a record, which stays as it is and counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExceptionNote {
    pub round_id: RoundId,
    /// Which note of the round, from 1.
    pub number: u64,
    #[serde(rename = "noted_at_utc")]
    pub noted_at: WrittenInstant,
    pub reason: String,
}
