//! `acceptance.json`: the operator accepts a run as the record, with digests of what was accepted.

use std::collections::BTreeMap;

use capitalbench_core::asking::acceptance::Acceptance;
use capitalbench_core::asking::missing_answer::MissingAnswer;
use capitalbench_core::values::ids::{Digest, RoundId, RunId};
use capitalbench_core::values::time::WrittenInstant;
use serde::{Deserialize, Serialize};
use serde_json::{Value, value};

use crate::disk::error::Fault;
use crate::format::text::json;

#[derive(Serialize, Deserialize)]
#[serde(remote = "Acceptance", deny_unknown_fields)]
struct Stored {
    round_id: RoundId,
    run_id: RunId,
    #[serde(rename = "accepted_at_utc")]
    accepted_at: WrittenInstant,
    #[serde(rename = "run_log_sha256")]
    run_log: Digest,
    submissions: BTreeMap<String, Digest>,
    #[serde(rename = "hashes_json_sha256")]
    hashes: Digest,
    // These two may be null, but must be there: a member that somebody removed is noticed.
    #[serde(deserialize_with = "Option::deserialize")]
    supersedes: Option<RunId>,
    #[serde(deserialize_with = "Option::deserialize")]
    reason: Option<String>,
    /// Only where the round goes on without models.
    #[serde(
        rename = "without_answer",
        default,
        skip_serializing_if = "Vec::is_empty"
    )]
    missing: Vec<MissingAnswer>,
}

#[derive(Deserialize)]
struct File(#[serde(with = "Stored")] Acceptance);

/// Reads an acceptance; it must have every member and no other.
pub fn parse(bytes: &[u8]) -> Result<Acceptance, Fault> {
    Ok(json::read::<File>(bytes)?.0)
}

pub fn render(acceptance: &Acceptance) -> String {
    json::to_pretty(&to_value(acceptance))
}

pub fn to_value(acceptance: &Acceptance) -> Value {
    Stored::serialize(acceptance, value::Serializer).expect("every member is a text or a map")
}

#[cfg(test)]
mod tests;
