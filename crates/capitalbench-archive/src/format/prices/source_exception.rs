//! `prices/source_exception.json`: why prices come from another source than the round froze.

use capitalbench_core::values::time::Stamp;
use serde_json::json;

use crate::disk::error::Fault;
use crate::format::text::json;
use crate::format::text::member::{stamp, text, version};

/// The version of this format.
const VERSION: u64 = 1;

/// The members of the file; there are no others.
const MEMBERS: [&str; 4] = ["format_version", "departure", "reason", "accepted_at_utc"];

/// The operator's word about a fetch that departs from the manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceException {
    /// In which way it departs, in words.
    pub departure: String,
    /// Why.
    pub reason: String,
    /// When that was said.
    pub accepted_at: Stamp,
}

/// The file's text.
pub fn render(exception: &SourceException) -> String {
    json::to_pretty(&json!({
        "format_version": VERSION,
        "departure": exception.departure,
        "reason": exception.reason,
        "accepted_at_utc": exception.accepted_at.text(),
    }))
}

/// Reads the file; unknown members are refused.
pub fn parse(bytes: &[u8]) -> Result<SourceException, Fault> {
    let value = json::parse(bytes)?;
    let members = value.as_object();
    let members = members.ok_or_else(|| Fault::new("is not an object"))?;
    if let Some(other) = members.keys().find(|key| !MEMBERS.contains(&key.as_str())) {
        return Err(Fault::field(other.clone(), "unknown member"));
    }
    version(&value, VERSION)?;
    Ok(SourceException {
        departure: text(&value, "departure")?.to_owned(),
        reason: text(&value, "reason")?.to_owned(),
        accepted_at: stamp(&value, "accepted_at_utc")?,
    })
}

#[cfg(test)]
mod tests;
