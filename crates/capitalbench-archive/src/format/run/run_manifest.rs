//! `run_manifest.yaml` → [`RunRecord`].

use std::collections::BTreeMap;

use capitalbench_core::asking::run::{Calls, Counts, Run, RunKind, RunRules, Selection};
use capitalbench_core::values::ids::{ModelId, RoundId, RunId};
use capitalbench_core::values::time::Stamp;
use serde::Deserialize;
use serde_json::Value;

use crate::disk::error::Fault;
use crate::format::round::manifest::stamp;
use crate::format::utf8;
use capitalbench_core::encoding::yaml::from_yaml;

/// Fields that matter; operators add others by hand, which are kept and not read.
#[derive(Deserialize)]
struct Stored {
    run_id: String,
    round_id: String,
    run_type: Option<String>,
    #[serde(default)]
    mode: Option<String>,
    mock: Option<bool>,
    synthetic: Option<bool>,
    created_at_utc: Option<String>,
    completed_at_utc: Option<String>,
    replicates: Option<u32>,
    official_score_eligible: Option<bool>,
    model_count: Option<u64>,
    valid_submissions: Option<u64>,
    invalid_submissions: Option<u64>,
    model_ids: Option<Vec<String>>,
    format_retry: Option<bool>,
    operator_selected_official: Option<bool>,
    accepted_at_utc: Option<String>,
    resolved_at_utc: Option<String>,
}

/// A run and what else its manifest tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRecord {
    /// The run itself.
    pub run: Run,
    /// Whether it only repeats failed calls of another run.
    pub format_retry: bool,
    /// When the result was made.
    pub resolved_at: Option<Stamp>,
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

/// Reads the manifest of a run that was made from a ledger; nobody edits one, so a field or a kind
/// of run that the program never writes is refused.
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
        return Err(Fault::field("run_type", "is no kind of run"));
    }
    parse(bytes)
}

/// Reads a run manifest; unknown keys are tolerated.
pub fn parse(bytes: &[u8]) -> Result<RunRecord, Fault> {
    let stored: Stored = from_yaml(utf8(bytes)?)?;
    let id_fault = |field: &'static str| {
        move |e: capitalbench_core::values::ids::IdError| Fault::field(field, e.to_string())
    };
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
    let model_ids = stored
        .model_ids
        .map(|ids| {
            ids.iter()
                .map(|id| ModelId::parse(id))
                .collect::<Result<Vec<_>, _>>()
        })
        .transpose()
        .map_err(id_fault("model_ids"))?;
    Ok(RunRecord {
        run: Run {
            run_id: RunId::parse(&stored.run_id).map_err(id_fault("run_id"))?,
            round_id: RoundId::parse(&stored.round_id).map_err(id_fault("round_id"))?,
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
            created_at: stamp("created_at_utc", stored.created_at_utc.as_deref())?,
            completed_at: stamp("completed_at_utc", stored.completed_at_utc.as_deref())?,
            accepted_at: stamp("accepted_at_utc", stored.accepted_at_utc.as_deref())?,
            counts: Counts {
                models: stored.model_count,
                valid: stored.valid_submissions,
                invalid: stored.invalid_submissions,
            },
            model_ids,
            acceptance: None,
        },
        format_retry: stored.format_retry.unwrap_or(false),
        resolved_at: stamp("resolved_at_utc", stored.resolved_at_utc.as_deref())?,
    })
}
