//! [`Event`]: what happened in a round, as one leaf of the log.
//!
//! A leaf is canonical JSON. It names public files with their SHA-256. Bodies that may stay private
//! (answers, records of attempts, picks of an open round) are [`Sealed`]: without the salt nobody can
//! find the content by guessing, and with it everybody can check the content.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::canonical::{self, CanonicalError};
use crate::merkle::{Hash, sha256};
use crate::tiles::LONGEST_LEAF;

mod fact;
mod instant;

pub use fact::{Fact, Place, Registration};
pub use instant::Instant;

/// The version of the leaf format.
const VERSION: u64 = 1;
/// How the names of sealed members begin.
const SEALED: &str = "sealed_";

/// Paths and digests of files.
pub type Files = BTreeMap<String, Hash>;

/// Why a leaf is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    #[error(transparent)]
    Canonical(#[from] CanonicalError),
    /// A member is missing, unknown or of the wrong form.
    #[error("the event is malformed: {0}")]
    Form(String),
    #[error("the event has {0} bytes, more than the 65,535 of a leaf")]
    Long(usize),
}

/// The digest of a body together with a salt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sealed(Hash);

impl Sealed {
    pub fn new(salt: &[u8; 32], body: &[u8]) -> Self {
        Self(sha256(&[salt.as_slice(), body].concat()))
    }

    /// Whether this is the body that was sealed with this salt.
    pub fn opens(&self, salt: &[u8; 32], body: &[u8]) -> bool {
        *self == Self::new(salt, body)
    }

    /// The first of these rising lengths for which the start of the body was sealed with this salt.
    pub fn opens_beginning(
        &self,
        salt: &[u8; 32],
        body: &[u8],
        lengths: impl IntoIterator<Item = usize>,
    ) -> Option<usize> {
        let mut hasher = Sha256::new_with_prefix(salt);
        let mut done = 0;
        lengths.into_iter().find(|length| {
            hasher.update(body.get(done..*length).unwrap_or_default());
            done = *length;
            Self(Hash::new(hasher.clone().finalize().into())) == *self
        })
    }
}

/// A fact of a round at an instant. Its index in the log is its number; the leaf has none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    pub round: String,
    /// When it happened, by the operator's clock.
    pub at: Instant,
    #[serde(flatten)]
    pub fact: Fact,
}

impl Event {
    /// The bytes of the leaf.
    pub fn to_leaf(&self) -> Result<Vec<u8>, EventError> {
        let leaf = canonical::to_bytes(&self.to_value()?)?;
        if leaf.len() > LONGEST_LEAF {
            return Err(EventError::Long(leaf.len()));
        }
        Ok(leaf)
    }

    /// Reads a leaf. Only the one form that [`Self::to_leaf`] writes is accepted, so an unknown or
    /// null member is refused.
    pub fn parse(leaf: &[u8]) -> Result<Self, EventError> {
        let value = canonical::parse(leaf)?;
        let is_empty = |(_, value): &(&String, &Value)| value.as_str() == Some("");
        if let Some((name, _)) = value.as_object().into_iter().flatten().find(is_empty) {
            return Err(EventError::Form(format!("{name} is empty")));
        }
        let event = Self::deserialize(&value)?;
        let written = event.to_value()?;
        let differs = |(name, value): &(&String, &Value)| written.get(name) != Some(*value);
        match value.as_object().into_iter().flatten().find(differs) {
            Some((name, _)) => Err(EventError::Form(format!(
                "{name} is unknown or has another value than this event allows"
            ))),
            None if written.as_object().map(Map::len) != value.as_object().map(Map::len) => {
                Err(EventError::Form("version is missing".to_owned()))
            }
            None => Ok(event),
        }
    }

    /// What makes it this event and no other: everything but the instant, the program that says so
    /// and the sealed digests. So another clock reading, a newer program or another key does not
    /// make the same event happen twice.
    pub fn identity(&self) -> Result<Hash, EventError> {
        let mut value = self.to_value()?;
        if let Some(members) = value.as_object_mut() {
            let varies = |name: &str| matches!(name, "at" | "program") || name.starts_with(SEALED);
            members.retain(|name, _| !varies(name));
        }
        Ok(sha256(&canonical::to_bytes(&value)?))
    }

    /// The leaf as a value; optional members without a value are left out.
    fn to_value(&self) -> Result<Value, EventError> {
        let mut value = serde_json::to_value(self)?;
        value["version"] = VERSION.into();
        Ok(value)
    }
}

impl From<serde_json::Error> for EventError {
    fn from(error: serde_json::Error) -> Self {
        Self::Form(error.to_string())
    }
}

#[cfg(test)]
mod tests;
