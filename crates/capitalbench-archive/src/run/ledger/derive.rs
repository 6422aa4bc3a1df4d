//! The ledger → the files of a run in the archive's format.
//!
//! Everything here is computed from the ledger and the frozen round; computed again, it has the same
//! bytes.

use std::collections::BTreeSet;

use capitalbench_core::asking::attempt::{AttemptStatus, Slot};
use capitalbench_core::asking::run::{Calls, RunKind, RunRules};
use capitalbench_core::decision::submission::{MODE, RUN_FIELDS};
use capitalbench_core::values::ids::Digest;
use capitalbench_core::values::time::WrittenInstant;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::{AttemptRecord, Ledger, PlannedSlot, RunPlan, name_at};
use crate::disk::error::FileError;
use crate::disk::file_ops;
use crate::disk::layout::run;
use crate::format::{run::new_run_manifest, text::json};
use crate::round::round_folder::RoundInputs;
use crate::run::run_controls::RunControls;
use crate::run::validation::{Checked, validate_run, validation_files};

/// The result of a finished run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finished {
    /// Models that were asked.
    pub models: usize,
    /// Valid submissions.
    pub valid: usize,
    /// Invalid ones, failed calls included.
    pub invalid: usize,
    /// Whether the run may become the record.
    pub eligible: bool,
}

/// Writes the manifest of a run that has not ended yet.
pub fn announce(ledger: &Ledger, inputs: &RoundInputs) -> Result<(), FileError> {
    let text = new_run_manifest::render(ledger.plan(), &inputs.manifest, None);
    let file = ledger.folder().file(run::MANIFEST);
    Ok(file_ops::replace(&file, text.as_bytes())?)
}

/// Writes every file of a run whose slots have all ended; the manifest last.
pub fn derive(
    ledger: &Ledger,
    inputs: &RoundInputs,
    completed_at: &WrittenInstant,
) -> Result<Finished, FileError> {
    let plan = ledger.plan();
    let mut files = Vec::new();
    let mut log = String::new();
    for planned in &plan.slots {
        let attempts = ledger.attempts(&planned.slot)?;
        // A model that was not asked has no submission, valid or not.
        if attempts.is_empty() {
            continue;
        }
        let stem = planned.slot.stem(plan.rules.replicates);
        let last = attempts.last();
        let reply = format!("{}/{stem}.txt", run::REPLIES);
        let raw = raw_submission(plan, planned, last);
        files.push((reply.clone(), text_of(last).to_owned()));
        files.push((format!("{}/{stem}.json", run::RAW), json::to_pretty(&raw)));
        for (index, attempt) in attempts.iter().enumerate() {
            let is_last = index + 1 == attempts.len();
            let path = is_last.then_some(reply.as_str());
            log += &(json::to_line(&log_line(ledger, planned, attempt, path)) + "\n");
        }
    }
    files.push((run::RUN_LOG.to_owned(), log));
    write(ledger, files)?;
    conclude(ledger, inputs, completed_at)
}

/// Validates the raw files and writes the results of the validation.
fn conclude(
    ledger: &Ledger,
    inputs: &RoundInputs,
    completed_at: &WrittenInstant,
) -> Result<Finished, FileError> {
    let plan = ledger.plan();
    let checked = validate_run(inputs, ledger.folder(), plan.rules)?;
    let valid = checked.iter().filter(|file| file.verdict.is_ok()).count();
    let invalid = checked.len() - valid;
    let models: BTreeSet<&str> = checked.iter().filter_map(Checked::model_id).collect();
    let finished = Finished {
        models: models.len(),
        valid,
        invalid,
        eligible: plan.rules.kind == RunKind::Official
            && plan.calls != Calls::Mock
            && valid > 0
            && inputs
                .manifest
                .record_rules()
                .suffice(valid as u64, (plan.slots.len() - valid) as u64),
    };
    let mut files = validation_files(ledger.folder(), plan.rules, &checked);
    if plan.controls {
        let controls = RunControls::for_new_run(inputs, ledger.folder(), &checked)?;
        files.extend(controls.files(&inputs.manifest, plan.rules));
    }
    let end = new_run_manifest::End {
        completed_at,
        finished,
    };
    let text = new_run_manifest::render(plan, &inputs.manifest, Some(&end));
    files.push((run::MANIFEST.to_owned(), text));
    write(ledger, files)?;
    Ok(finished)
}

/// Writes files of a run: paths inside it, and their text.
fn write(ledger: &Ledger, files: Vec<(String, String)>) -> Result<(), FileError> {
    let files = files.into_iter();
    let files = files.map(|(path, text)| (ledger.folder().file(&path), text));
    Ok(file_ops::replace_all(&files.collect::<Vec<_>>())?)
}

pub(crate) fn text_of(attempt: Option<&AttemptRecord>) -> &str {
    let ended = attempt.and_then(|attempt| attempt.ended.as_ref());
    ended.and_then(|ended| ended.text.as_deref()).unwrap_or("")
}

/// The model's object with the run fields; without a usable object, what is known about the call.
pub(crate) fn raw_submission(
    plan: &RunPlan,
    planned: &PlannedSlot,
    last: Option<&AttemptRecord>,
) -> Value {
    let rules = plan.rules;
    let status = last.map_or(AttemptStatus::Unknown, AttemptRecord::status);
    let ended = last.and_then(|attempt| attempt.ended.as_ref());
    let object = ended.and_then(|ended| ended.object.as_ref()?.as_object());
    let object = object.filter(|object| usable(object, planned, &status));
    let mut raw = object.cloned().unwrap_or_else(|| {
        let mut raw = Map::new();
        raw.insert("round_id".into(), json!(plan.round_id.as_str()));
        raw.insert("model_id".into(), json!(planned.slot.model_id.as_str()));
        raw.insert("provider".into(), json!(planned.provider));
        raw.insert("mode".into(), json!(MODE));
        raw.insert("raw_text".into(), json!(text_of(last)));
        raw.insert("error".into(), json!(status.error()));
        raw
    });
    add_run_fields(&mut raw, rules, &planned.slot);
    if let Some(usage) = usage(last) {
        raw.insert("usage".into(), usage);
    }
    if let Some(cost) = ended.and_then(|ended| ended.cost_usd) {
        raw.insert("cost_usd".into(), json!(cost));
    }
    Value::Object(raw)
}

/// Adds the fields that only the runner may set; removes them from the model's reply first.
pub fn add_run_fields(raw: &mut Map<String, Value>, rules: RunRules, slot: &Slot) {
    for name in RUN_FIELDS {
        raw.remove(name);
    }
    raw.insert("run_type".into(), json!(rules.kind.as_str()));
    raw.insert("replicate_index".into(), json!(slot.replicate));
    raw.insert("replicate_count".into(), json!(rules.replicates));
    let official = rules.kind == RunKind::Official;
    raw.insert("is_official_score".into(), json!(official));
}

/// Whether the model's object can be stored as it is: it names the model that was asked, and only its
/// content decided the verdict, so that validating it again gives the same verdict.
fn usable(object: &Map<String, Value>, planned: &PlannedSlot, status: &AttemptStatus) -> bool {
    use capitalbench_core::asking::attempt::Reason::{Rules, Schema};
    let said = |name: &str| object.get(name).and_then(Value::as_str);
    let named = said("model_id") == Some(planned.slot.model_id.as_str())
        && said("provider") == Some(&planned.provider);
    let judged = match status {
        AttemptStatus::Valid => true,
        AttemptStatus::Invalid { reason, .. } => matches!(reason, Schema | Rules),
        _ => false,
    };
    named && judged
}

fn usage(attempt: Option<&AttemptRecord>) -> Option<Value> {
    let ended = attempt?.ended.as_ref()?;
    let tokens = [
        ("input_tokens", ended.input_tokens),
        ("output_tokens", ended.output_tokens),
        ("reasoning_tokens", ended.reasoning_tokens),
        ("total_tokens", total(attempt)),
    ];
    let known = tokens.into_iter();
    let known = known.filter_map(|(name, count)| Some((name.to_owned(), json!(count?))));
    let usage: Map<String, Value> = known.collect();
    (!usage.is_empty()).then_some(Value::Object(usage))
}

fn total(attempt: Option<&AttemptRecord>) -> Option<u64> {
    let ended = attempt?.ended.as_ref()?;
    ended.input_tokens?.checked_add(ended.output_tokens?)
}

/// The name that an attempt asked for.
fn asked_name<'a>(
    ledger: &'a Ledger,
    planned: &'a PlannedSlot,
    attempt: &'a AttemptRecord,
) -> &'a str {
    if let Some(asked) = &attempt.begun.asked {
        return &asked.api_model_name;
    }
    let started = WrittenInstant::parse(&attempt.begun.started_at_utc);
    let started = started.map_or(Timestamp::MAX, |started| started.at());
    name_at(planned, ledger.repairs(), started)
}

fn log_line(
    ledger: &Ledger,
    planned: &PlannedSlot,
    attempt: &AttemptRecord,
    reply_path: Option<&str>,
) -> Value {
    let rules = ledger.plan().rules;
    let status = attempt.status();
    let ended = attempt.ended.as_ref();
    let text = text_of(Some(attempt));
    let valid = status == AttemptStatus::Valid;
    json!({
        "provider": planned.provider,
        "model_id": planned.slot.model_id.as_str(),
        "api_model_name": asked_name(ledger, planned, attempt),
        "run_type": rules.kind.as_str(),
        "replicate_index": planned.slot.replicate,
        "replicate_count": rules.replicates,
        "is_official_score": rules.kind == RunKind::Official,
        "attempt": attempt.begun.attempt,
        "started_at_utc": attempt.begun.started_at_utc,
        "completed_at_utc": ended.map(|ended| ended.ended_at_utc.as_str()),
        "latency_seconds": ended.map(|ended| ended.latency_seconds),
        "input_tokens": ended.and_then(|ended| ended.input_tokens),
        "output_tokens": ended.and_then(|ended| ended.output_tokens),
        "reasoning_tokens": ended.and_then(|ended| ended.reasoning_tokens),
        "total_tokens": total(Some(attempt)),
        "cost_usd": ended.and_then(|ended| ended.cost_usd),
        "raw_response_sha256": Digest::of(text.as_bytes()).to_hex(),
        "raw_response_path": reply_path,
        "validation_status": if valid { "valid" } else { "invalid" },
        "outcome": status.as_str(),
        "reason": status.reason().map(capitalbench_core::asking::attempt::Reason::as_str),
        "error": status.error(),
    })
}
