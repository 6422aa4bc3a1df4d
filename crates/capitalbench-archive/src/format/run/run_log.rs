//! `run_log.jsonl`: one line per call.

use capitalbench_core::asking::attempt::Reason;
use capitalbench_core::values::time::WrittenInstant;
use serde::Deserialize;
use serde_json::Value;

use crate::disk::error::Fault;
use crate::format::utf8;

/// The members of a line that are read; others are ignored.
#[derive(Debug, Clone, Deserialize)]
struct Stored {
    model_id: String,
    provider: String,
    started_at_utc: Option<WrittenInstant>,
    completed_at_utc: Option<WrittenInstant>,
    replicate_index: Option<u32>,
    raw_response_sha256: Option<String>,
    raw_response_path: Option<String>,
    validation_status: Option<String>,
    /// Logs of the earlier public project may mean something else by this word.
    reason: Option<Value>,
}

/// One call, as the run log records it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunLogLine {
    /// Counted from 1.
    pub line: u64,
    pub model_id: String,
    pub provider: String,
    pub started_at: Option<WrittenInstant>,
    pub completed_at: Option<WrittenInstant>,
    pub replicate: u32,
    /// Digest of the reply's text.
    pub reply_digest: Option<String>,
    /// Where the reply's text is kept.
    pub reply_path: Option<String>,
    /// Whether the runner found the reply valid.
    pub valid: Option<bool>,
    /// Why the attempt brought no valid decision; none in logs of the earlier public project.
    pub reason: Option<Reason>,
}

/// Reads a log; blank lines are skipped.
pub fn parse(bytes: &[u8]) -> Result<Vec<RunLogLine>, Fault> {
    let mut lines = Vec::new();
    for (line, text) in (1_u64..).zip(utf8(bytes)?.lines()) {
        if text.trim().is_empty() {
            continue;
        }
        let stored: Stored =
            serde_json::from_str(text).map_err(|error| Fault::new(error).on_line(line))?;
        lines.push(RunLogLine {
            line,
            started_at: stored.started_at_utc,
            completed_at: stored.completed_at_utc,
            model_id: stored.model_id,
            provider: stored.provider,
            replicate: stored.replicate_index.unwrap_or(1),
            reply_digest: stored.raw_response_sha256,
            reply_path: stored.raw_response_path,
            valid: stored.validation_status.map(|status| status == "valid"),
            reason: stored
                .reason
                .as_ref()
                .and_then(Value::as_str)
                .and_then(Reason::parse),
        });
    }
    Ok(lines)
}
