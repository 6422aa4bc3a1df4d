//! `acceptance.json`: the operator's word that a run is the record, and what exactly was accepted.

use std::collections::BTreeMap;

use capitalbench_core::asking::acceptance::Acceptance;
use capitalbench_core::values::ids::{Digest, IdError, RoundId, RunId};
use serde_json::{Map, Value, json};

use crate::disk::error::Fault;
use crate::format::text::json;
use crate::format::text::member::{only, stamp, text};

/// The members of the file; there are no others.
const MEMBERS: [&str; 8] = [
    "round_id",
    "run_id",
    "accepted_at_utc",
    "run_log_sha256",
    "submissions",
    "hashes_json_sha256",
    "supersedes",
    "reason",
];

/// Reads an acceptance; every member must be there and no other.
pub fn parse(bytes: &[u8]) -> Result<Acceptance, Fault> {
    let value = json::parse(bytes)?;
    let object = value
        .as_object()
        .ok_or_else(|| Fault::new("is not an object"))?;
    only(&value, &MEMBERS)?;
    if let Some(name) = MEMBERS.iter().find(|name| !object.contains_key(**name)) {
        return Err(Fault::field(*name, "is missing"));
    }
    let accepted_at = stamp(&value, "accepted_at_utc")?;
    let wrong = |field: &'static str| move |e: IdError| Fault::field(field, e.to_string());
    let supersedes = optional_text(&value, "supersedes")?;
    Ok(Acceptance {
        round_id: RoundId::parse(text(&value, "round_id")?).map_err(wrong("round_id"))?,
        run_id: RunId::parse(text(&value, "run_id")?).map_err(wrong("run_id"))?,
        accepted_at,
        run_log: digest("run_log_sha256", &object["run_log_sha256"])?,
        submissions: submissions(&object["submissions"])?,
        hashes: digest("hashes_json_sha256", &object["hashes_json_sha256"])?,
        supersedes: supersedes
            .map(RunId::parse)
            .transpose()
            .map_err(wrong("supersedes"))?,
        reason: optional_text(&value, "reason")?.map(str::to_owned),
    })
}

fn optional_text<'a>(object: &'a Value, name: &str) -> Result<Option<&'a str>, Fault> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => text(object, name).map(Some),
    }
}

fn digest(field: &str, value: &Value) -> Result<Digest, Fault> {
    let parsed = value.as_str().and_then(Digest::parse);
    parsed.ok_or_else(|| Fault::field(field, "must be 64 lower-case hexadecimal digits"))
}

fn submissions(value: &Value) -> Result<BTreeMap<String, Digest>, Fault> {
    let files = value.as_object();
    let files = files.ok_or_else(|| Fault::field("submissions", "must be an object"))?;
    files
        .iter()
        .map(|(path, value)| {
            let field = format!("submissions.{path}");
            Ok((path.clone(), digest(&field, value)?))
        })
        .collect()
}

/// The members as a JSON value.
pub fn to_value(acceptance: &Acceptance) -> Value {
    let submissions: Map<String, Value> = acceptance
        .submissions
        .iter()
        .map(|(path, digest)| (path.clone(), digest.to_hex().into()))
        .collect();
    json!({
        "round_id": acceptance.round_id.as_str(),
        "run_id": acceptance.run_id.as_str(),
        "accepted_at_utc": acceptance.accepted_at.text(),
        "run_log_sha256": acceptance.run_log.to_hex(),
        "submissions": submissions,
        "hashes_json_sha256": acceptance.hashes.to_hex(),
        "supersedes": acceptance.supersedes.as_ref().map(RunId::as_str),
        "reason": acceptance.reason,
    })
}

/// The file's text.
pub fn render(acceptance: &Acceptance) -> String {
    json::to_pretty(&to_value(acceptance))
}

#[cfg(test)]
mod tests;
