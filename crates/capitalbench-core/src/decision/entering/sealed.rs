//! [`SealedEntry`]: that an entrant has decided, and the digest of what.

use std::fmt;

use super::lines::{FormError, Lines};
use super::names::EntrantKey;
use super::opening::Opening;
use crate::values::ids::{Digest, RoundId};

/// The first line of the text.
pub const ENTRY: &str = "capitalbench entry v1";

/// What an entrant signs and delivers before the deadline of a round. It tells nothing of the
/// portfolio: the commitment is a digest that also covers 32 random bytes.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SealedEntry {
    /// The origin of the league's log.
    pub league: String,
    pub round: RoundId,
    /// The digest of the round's `hashes.json`.
    pub inputs: Digest,
    /// The key that signs.
    pub key: EntrantKey,
    /// The digest of the opening.
    pub commitment: Digest,
}

impl SealedEntry {
    /// The entry of an opening.
    pub fn of(opening: &Opening) -> Self {
        Self {
            league: opening.league.clone(),
            round: opening.round.clone(),
            inputs: opening.inputs,
            key: opening.key.clone(),
            commitment: opening.commitment(),
        }
    }

    /// Reads the text of the signed note.
    pub fn parse(text: &str) -> Result<Self, FormError> {
        let mut lines = Lines::of(text, ENTRY)?;
        let digest = |word, text: &str| {
            let wrong = || FormError::value(word, "is not a SHA-256 digest");
            Digest::parse(text).ok_or_else(wrong)
        };
        let read = Self {
            league: lines.take("league")?.to_owned(),
            round: RoundId::parse(lines.take("round")?)
                .map_err(|error| FormError::value("round", error))?,
            inputs: digest("inputs", lines.take("inputs")?)?,
            key: EntrantKey::parse(lines.take("key")?)
                .map_err(|error| FormError::value("key", error))?,
            commitment: digest("commitment", lines.take("commitment")?)?,
        };
        lines.end()?;
        Ok(read)
    }

    /// The text that is signed.
    pub fn to_text(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for SealedEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{ENTRY}")?;
        writeln!(f, "league {}", self.league)?;
        writeln!(f, "round {}", self.round)?;
        writeln!(f, "inputs {}", self.inputs)?;
        writeln!(f, "key {}", self.key)?;
        writeln!(f, "commitment {}", self.commitment)
    }
}

#[cfg(test)]
mod tests;
