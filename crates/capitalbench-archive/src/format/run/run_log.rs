//! `run_log.jsonl`: one line per call.

use capitalbench_core::values::time::Stamp;
use serde::Deserialize;

use crate::disk::error::Fault;
use crate::format::utf8;

/// What a log line must tell; other members are kept and not read.
#[derive(Debug, Clone, Deserialize)]
struct Stored {
    model_id: String,
    provider: String,
    started_at_utc: Option<String>,
    completed_at_utc: Option<String>,
    replicate_index: Option<u32>,
    raw_response_sha256: Option<String>,
    raw_response_path: Option<String>,
    validation_status: Option<String>,
}

/// One call as the log tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// Line number from 1.
    pub line: u64,
    /// Who was asked.
    pub model_id: String,
    /// Whose model it is.
    pub provider: String,
    /// When the call began.
    pub started_at: Option<Stamp>,
    /// When it ended.
    pub completed_at: Option<Stamp>,
    /// Which replicate.
    pub replicate: u32,
    /// Digest of the reply's text.
    pub reply_digest: Option<String>,
    /// Where the text was kept.
    pub reply_path: Option<String>,
    /// Whether the runner found it valid.
    pub valid: Option<bool>,
}

/// Reads a log; blank lines are skipped.
pub fn parse(bytes: &[u8]) -> Result<Vec<LogLine>, Fault> {
    let mut lines = Vec::new();
    for (line, text) in (1_u64..).zip(utf8(bytes)?.lines()) {
        if text.trim().is_empty() {
            continue;
        }
        let stored: Stored = serde_json::from_str(text)
            .map_err(|error| Fault::new(error.to_string()).on_line(line))?;
        let stamp = |field: &str, text: Option<&str>| {
            crate::format::round::manifest::stamp(field, text).map_err(|fault| fault.on_line(line))
        };
        lines.push(LogLine {
            line,
            started_at: stamp("started_at_utc", stored.started_at_utc.as_deref())?,
            completed_at: stamp("completed_at_utc", stored.completed_at_utc.as_deref())?,
            model_id: stored.model_id,
            provider: stored.provider,
            replicate: stored.replicate_index.unwrap_or(1),
            reply_digest: stored.raw_response_sha256,
            reply_path: stored.raw_response_path,
            valid: stored.validation_status.map(|status| status == "valid"),
        });
    }
    Ok(lines)
}
