//! [`Instant`]: an instant as text, with exactly one text per instant.

use std::fmt;

use jiff::Timestamp;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// An instant in UTC such as `2026-09-14T20:00:00Z`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Instant(String);

impl Instant {
    /// Reads the one form of an instant. A fraction of a second has at most nine digits and does not
    /// end in zero.
    pub fn parse(text: &str) -> Option<Self> {
        let instant: Timestamp = text.parse().ok()?;
        (instant.to_string() == text).then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong = || D::Error::custom("an instant must look like 2026-09-14T20:00:00Z");
        Self::parse(&text).ok_or_else(wrong)
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests;
