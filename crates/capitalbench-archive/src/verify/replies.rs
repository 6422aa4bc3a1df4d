//! Replies: where their text is stored, it must have the digest in the run log.

use capitalbench_core::asking::run::Calls;
use capitalbench_core::decision::submission::RUN_FIELDS;
use capitalbench_core::decision::submission::reply::{Ending, find_object, read_reply};
use capitalbench_core::values::ids::Digest;
use serde_json::{Map, Value};

use super::RunState;
use super::finding::{Code, Findings};
use super::runs::lines_of;
use crate::disk::layout::run;
use crate::format::run::run_log::RunLogLine;
use crate::format::text::json;
use crate::run::validation::Checked;

/// Checks every reply of a run.
pub(super) fn check(state: &RunState, findings: &mut Findings) {
    let mut private = 0;
    for file in &state.checked {
        let lines = lines_of(state, file);
        let digests = lines.iter().filter_map(|line| line.reply_digest.as_ref());
        let digests: Vec<&String> = digests.collect();
        if digests.is_empty() {
            continue;
        }
        let texts = reply_texts(state, file, &lines);
        if texts.is_empty() {
            private += 1;
            continue;
        }
        let is_logged = |text: &&Vec<u8>| digests.contains(&&Digest::of(text).to_hex());
        let (code, text) = match texts.iter().find(is_logged) {
            None => (
                Code::ReplyDigestMismatch,
                "the stored reply does not have the digest in the run log",
            ),
            Some(reply) if !follows(file, reply) => (
                Code::RawSubmissionDiffers,
                "is not the object of the stored reply",
            ),
            Some(_) => continue,
        };
        let place = state.place(&format!("{}/{}", run::RAW, file.name));
        findings.add(code, place, text);
    }
    if private > 0 {
        let text = format!("{private} replies are private; their digests cannot be checked here");
        findings.add(Code::ReplyNotPublished, state.place(run::REPLIES), text);
    }
}

/// Whether a raw file is the object of its reply, apart from what the runner adds.
fn follows(file: &Checked, reply: &[u8]) -> bool {
    let Some(Value::Object(raw)) = &file.payload else {
        return true;
    };
    // A reply without a readable object is kept as it came.
    if raw.contains_key("raw_text") {
        return true;
    }
    let text = std::str::from_utf8(reply).ok();
    let ours = text.and_then(|text| read_reply(text, Ending::Complete).ok());
    let ours = ours.map(|(object, _)| object);
    match ours.or_else(|| text.and_then(find_object)) {
        Some(Value::Object(said)) => without_run_fields(&said) == without_run_fields(raw),
        _ => false,
    }
}

fn without_run_fields(object: &Map<String, Value>) -> Map<String, Value> {
    let mut object = object.clone();
    object.retain(|name, _| !RUN_FIELDS.contains(&name.as_str()));
    object
}

/// The reply's text: from its file, from inside the raw file, or computed again for a rehearsal.
fn reply_texts(state: &RunState, file: &Checked, lines: &[&RunLogLine]) -> Vec<Vec<u8>> {
    let mut texts: Vec<Vec<u8>> = lines
        .iter()
        .filter_map(|line| line.reply_path.as_deref())
        .filter(|path| path.split('/').all(|part| part != ".." && !part.is_empty()))
        .filter_map(|path| state.folder.read_optional(path).ok().flatten())
        .collect();
    let object = file.payload.as_ref().and_then(Value::as_object);
    let raw_text = object.and_then(|object| object.get("raw_text")?.as_str());
    if let Some(text) = raw_text {
        texts.push(text.as_bytes().to_vec());
    } else if let (true, Some(object)) = (state.record.run.calls != Calls::Real, object) {
        let reply = without_run_fields(object);
        texts.push(json::to_line(&Value::Object(reply)).into_bytes());
    }
    texts
}
