//! The text of a new `run_manifest.yaml`.

use std::fmt::Write as _;

use capitalbench_core::asking::run::Calls;
use capitalbench_core::decision::submission::MODE;
use capitalbench_core::round::manifest::Manifest;
use capitalbench_core::values::time::WrittenInstant;
use serde_json::json;

use crate::run::ledger::RunPlan;
use crate::run::ledger::derive::Finished;

/// How a run ended.
#[derive(Debug, Clone, Copy)]
pub struct End<'a> {
    pub completed_at: &'a WrittenInstant,
    pub finished: Finished,
}

/// The manifest of a run, finished or not; every value is written as JSON, which is also YAML.
pub fn render(plan: &RunPlan, round: &Manifest, end: Option<&End<'_>>) -> String {
    let roster = round.roster.as_ref();
    let mut fields = json!({
        "run_id": plan.run_id,
        "round_id": plan.round_id,
        "run_type": plan.rules.kind.as_str(),
        "mode": MODE,
        "mock": plan.calls != Calls::Real,
        "created_at_utc": plan.created_at,
        "completed_at_utc": end.map(|end| end.completed_at),
        "models_config_file": plan.models_file,
        "models_path": plan.models_file,
        "pricing_path": plan.pricing_file,
        "price_cards": plan.price_cards,
        "replicates": plan.rules.replicates,
        "allow_real_api_calls": plan.calls == Calls::Real,
        "official_score_eligible": end.is_some_and(|end| end.finished.eligible),
        "model_roster_version": roster.map(|roster| &roster.version),
        "expected_model_ids": roster.map(|roster| &roster.model_ids),
        "model_count": end.map(|end| end.finished.models),
        "valid_submissions": end.map(|end| end.finished.valid),
        "invalid_submissions": end.map(|end| end.finished.invalid),
        "model_ids": plan.model_ids(),
        "loaded_models": plan.model_count() as u64 + plan.skipped_models,
        "skipped_models": plan.skipped_models,
    });
    if plan.calls == Calls::Synthetic {
        fields["synthetic"] = json!(true);
    }
    // A JSON object keeps the order in which its members were added.
    let mut text = String::new();
    for (name, value) in fields.as_object().into_iter().flatten() {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name}: {value}");
    }
    text
}
