//! `prices/source_exception.json`: why prices come from another source than the round froze.

use capitalbench_core::time::Stamp;
use serde_json::json;

use super::json;
use super::member::{stamp, text, version};
use crate::error::Fault;

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
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_nothing_else_is() {
        let written = SourceException {
            departure: "prices come from yahoo; the manifest froze tiingo".to_owned(),
            reason: "the vendor is down".to_owned(),
            accepted_at: Stamp::parse("2026-12-15T01:30:00Z").unwrap(),
        };
        let text = render(&written);
        assert_eq!(parse(text.as_bytes()).unwrap(), written);
        let more = text.replacen('{', "{\"more\": 1,", 1);
        let fault = parse(more.as_bytes()).unwrap_err().to_string();
        assert!(fault.contains("more: unknown member"), "{fault}");
        assert!(parse(b"[]").is_err());
    }
}
