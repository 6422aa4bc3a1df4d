//! `prices/source_exception.json`: why prices come from another source than the round froze.

use capitalbench_core::values::time::WrittenInstant;
use serde::{Deserialize, Serialize};

use crate::format::stored::FormatVersion;

/// The operator's reason for a fetch that departs from the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceException {
    pub format_version: FormatVersion<1>,
    /// In which way the fetch departs, in words.
    pub departure: String,
    pub reason: String,
    #[serde(rename = "accepted_at_utc")]
    pub accepted_at: WrittenInstant,
}

#[cfg(test)]
mod tests;
