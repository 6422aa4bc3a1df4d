//! The text of a new `run_manifest.yaml`.

use std::fmt::Write as _;

use capitalbench_core::asking::run::Calls;
use capitalbench_core::decision::submission::MODE;
use capitalbench_core::round::manifest::Manifest;
use capitalbench_core::values::time::Stamp;
use serde_json::{Value, json};

use crate::run::ledger::RunPlan;
use crate::run::ledger::derive::Finished;

/// How a run ended.
#[derive(Debug, Clone, Copy)]
pub struct End<'a> {
    /// When.
    pub completed_at: &'a Stamp,
    /// What it came to.
    pub finished: Finished,
}

/// The manifest of a run, finished or not; every value is written as JSON, which is YAML.
pub fn render(plan: &RunPlan, round: &Manifest, end: Option<&End<'_>>) -> String {
    let roster = round.roster.as_ref();
    let expected: Option<Vec<&str>> = roster.map(|roster| {
        let ids = roster.model_ids.iter();
        ids.map(capitalbench_core::values::ids::ModelId::as_str)
            .collect()
    });
    let mut fields: Vec<(&str, Value)> = vec![
        ("run_id", json!(plan.run_id.as_str())),
        ("round_id", json!(plan.round_id.as_str())),
        ("run_type", json!(plan.rules.kind.as_str())),
        ("mode", json!(MODE)),
        ("mock", json!(plan.calls != Calls::Real)),
        ("created_at_utc", json!(plan.created_at.text())),
        (
            "completed_at_utc",
            json!(end.map(|end| end.completed_at.text())),
        ),
        ("models_config_file", json!(plan.models_file)),
        ("models_path", json!(plan.models_file)),
        ("pricing_path", json!(plan.pricing_file)),
        ("price_cards", json!(plan.price_cards)),
        ("replicates", json!(plan.rules.replicates)),
        ("allow_real_api_calls", json!(plan.calls == Calls::Real)),
        (
            "official_score_eligible",
            json!(end.is_some_and(|end| end.finished.eligible)),
        ),
        (
            "model_roster_version",
            json!(roster.map(|roster| &roster.version)),
        ),
        ("expected_model_ids", json!(expected)),
        ("model_count", json!(end.map(|end| end.finished.models))),
        (
            "valid_submissions",
            json!(end.map(|end| end.finished.valid)),
        ),
        (
            "invalid_submissions",
            json!(end.map(|end| end.finished.invalid)),
        ),
        ("model_ids", json!(plan.model_ids())),
        (
            "loaded_models",
            json!(plan.model_count() as u64 + plan.skipped_models),
        ),
        ("skipped_models", json!(plan.skipped_models)),
    ];
    if plan.calls == Calls::Synthetic {
        fields.push(("synthetic", json!(true)));
    }
    let mut text = String::new();
    for (name, value) in fields {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{name}: {value}");
    }
    text
}
