//! Replies: where their text is stored, it must be the text whose digest the log holds.

use capitalbench_core::ids::Digest;
use capitalbench_core::run::Calls;
use serde_json::Value;

use super::RunState;
use super::finding::{Code, Finding};
use super::runs::lines_of;
use crate::format::json;
use crate::format::run_log::LogLine;
use crate::layout::run;
use crate::validation::Checked;

/// Members that the runner adds to a reply.
const RUN_FIELDS: [&str; 6] = [
    "run_type",
    "replicate_index",
    "replicate_count",
    "is_official_score",
    "usage",
    "cost_usd",
];

/// Checks every reply of a run.
pub(super) fn check(state: &RunState, findings: &mut Vec<Finding>) {
    let mut private = 0;
    for file in &state.checked {
        let lines = lines_of(state, file);
        let digests: Vec<&String> = lines
            .iter()
            .filter_map(|l| l.reply_digest.as_ref())
            .collect();
        if digests.is_empty() {
            continue;
        }
        let texts = reply_texts(state, file, &lines);
        if texts.is_empty() {
            private += 1;
            continue;
        }
        let holds = texts
            .iter()
            .any(|text| digests.contains(&&Digest::of(text).to_hex()));
        if !holds {
            let place = state.place(&format!("{}/{}", run::RAW, file.name));
            let text = "the stored reply is not the text whose digest the log holds";
            findings.push(Finding::new(Code::ReplyDigestMismatch, place, text));
        }
    }
    if private > 0 {
        let text = format!("{private} replies are private; their digests cannot be checked here");
        findings.push(Finding::new(
            Code::ReplyNotPublished,
            state.place(run::REPLIES),
            text,
        ));
    }
}

/// The reply's text where it is stored: as a file, inside the raw file, or rebuilt for a rehearsal.
fn reply_texts(state: &RunState, file: &Checked, lines: &[&LogLine]) -> Vec<Vec<u8>> {
    let mut texts: Vec<Vec<u8>> = lines
        .iter()
        .filter_map(|line| line.reply_path.as_deref())
        .filter(|path| path.split('/').all(|part| part != ".." && !part.is_empty()))
        .filter_map(|path| state.folder.read_optional(path).ok().flatten())
        .collect();
    let object = file.payload.as_ref().and_then(Value::as_object);
    if let Some(text) = object
        .and_then(|object| object.get("raw_text"))
        .and_then(Value::as_str)
    {
        texts.push(text.as_bytes().to_vec());
    } else if let (true, Some(object)) = (state.record.run.calls == Calls::Mock, object) {
        let mut reply = object.clone();
        reply.retain(|name, _| !RUN_FIELDS.contains(&name.as_str()));
        texts.push(json::to_line(&Value::Object(reply)).into_bytes());
    }
    texts
}
