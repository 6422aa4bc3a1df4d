//! `run_manifest.yaml` → [`RunRecord`].

use std::collections::BTreeMap;

use capitalbench_core::asking::run::{Calls, Counts, Run, RunKind, RunRules, Selection};
use capitalbench_core::values::ids::{ModelId, RoundId, RunId};
use capitalbench_core::values::time::WrittenInstant;
use serde::Deserialize;
use serde_json::Value;

use crate::disk::error::Fault;
use crate::format::utf8;
use capitalbench_core::encoding::yaml::from_yaml;

/// Fields that matter; operators add others by hand, which are kept and not read.
#[derive(Deserialize)]
struct Stored {
    run_id: RunId,
    round_id: RoundId,
    run_type: Option<String>,
    #[serde(default)]
    mode: Option<String>,
    mock: Option<bool>,
    synthetic: Option<bool>,
    created_at_utc: Option<WrittenInstant>,
    completed_at_utc: Option<WrittenInstant>,
    replicates: Option<u32>,
    official_score_eligible: Option<bool>,
    model_count: Option<u64>,
    valid_submissions: Option<u64>,
    invalid_submissions: Option<u64>,
    model_ids: Option<Vec<ModelId>>,
    format_retry: Option<bool>,
    operator_selected_official: Option<bool>,
    accepted_at_utc: Option<WrittenInstant>,
    resolved_at_utc: Option<WrittenInstant>,
}

/// A run, and what else its manifest says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRecord {
    pub run: Run,
    /// Whether it only repeats failed calls of another run.
    pub format_retry: bool,
    /// When the result was made.
    pub resolved_at: Option<WrittenInstant>,
}

/// Fields of a run that was made from a ledger, as [`crate::format::run::new_run_manifest`] writes them.
const OWN_FIELDS: [&str; 23] = [
    "run_id",
    "round_id",
    "run_type",
    "mode",
    "mock",
    "synthetic",
    "created_at_utc",
    "completed_at_utc",
    "models_config_file",
    "models_path",
    "pricing_path",
    "price_cards",
    "replicates",
    "allow_real_api_calls",
    "official_score_eligible",
    "model_roster_version",
    "expected_model_ids",
    "model_count",
    "valid_submissions",
    "invalid_submissions",
    "model_ids",
    "loaded_models",
    "skipped_models",
];

/// Reads the manifest of a run that was made from a ledger. Nobody may edit one, so it refuses a
/// field or a kind of run that the program never writes.
pub fn parse_own(bytes: &[u8]) -> Result<RunRecord, Fault> {
    let fields: BTreeMap<String, Value> = from_yaml(utf8(bytes)?)?;
    if let Some(name) = fields
        .keys()
        .find(|name| !OWN_FIELDS.contains(&name.as_str()))
    {
        let text = "unknown field; the manifest of a run with a ledger is never edited";
        return Err(Fault::field(name, text));
    }
    let kind = fields.get("run_type").and_then(Value::as_str);
    if kind.and_then(RunKind::parse).is_none() {
        return Err(Fault::field("run_type", "is not a kind of run"));
    }
    parse(bytes)
}

/// Reads a run manifest; unknown keys are ignored, because operators added some by hand.
pub fn parse(bytes: &[u8]) -> Result<RunRecord, Fault> {
    let stored: Stored = from_yaml(utf8(bytes)?)?;
    let mode = stored.mode.unwrap_or_default();
    let kind = stored
        .run_type
        .as_deref()
        .and_then(RunKind::parse)
        .unwrap_or_else(|| RunKind::infer(&mode, stored.mock));
    let calls = match (stored.mock, stored.synthetic) {
        (Some(true), Some(true)) => Calls::Synthetic,
        (Some(true), _) => Calls::Mock,
        (Some(false), _) => Calls::Real,
        (None, _) => Calls::Unknown,
    };
    let may_count = kind == RunKind::Official && calls != Calls::Mock;
    Ok(RunRecord {
        run: Run {
            run_id: stored.run_id,
            round_id: stored.round_id,
            rules: RunRules {
                kind,
                replicates: stored.replicates.unwrap_or(1).max(1),
            },
            calls,
            eligible: may_count && stored.official_score_eligible.unwrap_or(true),
            selection: match stored.operator_selected_official {
                Some(true) => Selection::Selected,
                Some(false) => Selection::Withdrawn,
                None => Selection::Unmarked,
            },
            created_at: stored.created_at_utc,
            completed_at: stored.completed_at_utc,
            accepted_at: stored.accepted_at_utc,
            counts: Counts {
                models: stored.model_count,
                valid: stored.valid_submissions,
                invalid: stored.invalid_submissions,
            },
            model_ids: stored.model_ids,
            acceptance: None,
        },
        format_retry: stored.format_retry.unwrap_or(false),
        resolved_at: stored.resolved_at_utc,
    })
}
