//! The head of a unit: which generation counts, and who works on it.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::disk::error::Fault;
use crate::format::text::json;

/// The format that this program writes; another one stops it.
pub const FORMAT: u32 = 1;

/// The longest time for which a unit can be claimed at once, and a little for clocks that differ.
const LONGEST_TERM: SignedDuration = SignedDuration::from_hours(25);

/// What a store says of a unit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    pub format: u32,
    /// What counts; none while the unit was only claimed.
    pub content: Option<Generation>,
    /// How often somebody claimed the unit; whoever holds an older number may not publish.
    pub fence: u64,
    pub lease: Option<LeaseTerm>,
    /// Generations of rounds that the log already tells of, by round; only in the head of the log.
    pub pending: BTreeMap<String, Generation>,
    /// Tells this write from every other one, also after an answer that never arrived.
    pub write: String,
}

/// One whole state of a unit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generation {
    pub number: u64,
    /// Tells this push from every other one.
    pub nonce: String,
    /// Nonces of the generations that it follows, the newest first, so that a push that died after it
    /// counted can tell.
    pub follows: Vec<String>,
    /// Names of index objects, oldest first; a later one overrides an earlier one.
    pub indexes: Vec<String>,
    /// When the resolution job of a round is to be tried; none where nothing is due.
    pub next_attempt_at_utc: Option<Timestamp>,
}

/// Who works on a unit, and until when unless it renews.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeaseTerm {
    pub owner: String,
    pub expires_at_utc: Timestamp,
}

/// Generations that one remembers.
pub const REMEMBERED: usize = 8;

impl Generation {
    /// What the next generation follows.
    pub fn followed(&self) -> Vec<String> {
        let own = [&self.nonce].into_iter().chain(&self.follows);
        own.take(REMEMBERED).cloned().collect()
    }
}

impl Head {
    pub fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let head: Self = json::read(bytes)?;
        if head.format == FORMAT {
            return Ok(head);
        }
        let text = format!(
            "is {}, and this program knows {FORMAT}; use a newer program",
            head.format
        );
        Err(Fault::field("format", text))
    }

    pub fn render(&self) -> Vec<u8> {
        json::render(self).into_bytes()
    }

    /// The number of the generation that counts; 0 before the first.
    pub fn number(&self) -> u64 {
        self.content.as_ref().map_or(0, |content| content.number)
    }

    /// Whether this very generation counts.
    pub fn names(&self, generation: &Generation) -> bool {
        let content = self.content.as_ref();
        content.is_some_and(|content| content.nonce == generation.nonce)
    }

    /// Whether it counted, and others follow it.
    pub fn follows(&self, generation: &Generation) -> bool {
        let content = self.content.as_ref();
        content.is_some_and(|content| content.follows.contains(&generation.nonce))
    }

    /// Whoever holds the unit at an instant. A term beyond the longest one is of a machine whose clock is
    /// ahead, and must not block the unit.
    pub fn holder(&self, now: Timestamp) -> Option<&LeaseTerm> {
        let latest = now.checked_add(LONGEST_TERM).unwrap_or(Timestamp::MAX);
        let term = self.lease.as_ref()?;
        (term.expires_at_utc > now && term.expires_at_utc <= latest).then_some(term)
    }

    /// The same unit with a newer generation; the lease stays.
    #[must_use]
    pub fn with(&self, content: Generation, write: String) -> Self {
        Self {
            format: FORMAT,
            content: Some(content),
            write,
            ..self.clone()
        }
    }

    /// The same unit claimed by somebody, with a higher fence.
    #[must_use]
    pub fn claimed(&self, lease: LeaseTerm, write: String) -> Self {
        Self {
            format: FORMAT,
            fence: self.fence + 1,
            lease: Some(lease),
            write,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests;
