//! One run: identity, verdicts, parsed files, counts and run log.

use std::collections::BTreeSet;

use serde_json::Value;

use super::RunState;
use super::derivation::DerivedRun;
use super::finding::{Code, Findings};
use crate::disk::layout::run;
use crate::format::run::run_log::RunLogLine;
use crate::format::text::json;
use crate::round::round_folder::RoundInputs;
use crate::run::validation::Checked;

/// Checks one run against its own files.
pub(super) fn check(state: &RunState, inputs: &RoundInputs, findings: &mut Findings) {
    identity(state, inputs, findings);
    DerivedRun::of(state, inputs).check(findings);
    counts(state, findings);
    log(state, findings);
    super::replies::check(state, findings);
    super::controls::check(state, inputs, findings);
    super::hosts::check(state, inputs, findings);
    super::asked::check(state, inputs, findings);
}

fn identity(state: &RunState, inputs: &RoundInputs, findings: &mut Findings) {
    let own = &state.record.run;
    if own.run_id != *state.folder.run_id() || own.round_id != inputs.manifest.round_id {
        let text = format!("names {} of {}", own.run_id, own.round_id);
        findings.add(Code::RunIdMismatch, state.place(run::MANIFEST), text);
    }
}

fn counts(state: &RunState, findings: &mut Findings) {
    let files = state.checked.iter();
    let valid = files.filter(|file| file.verdict.is_ok()).count() as u64;
    let invalid = state.checked.len() as u64 - valid;
    let models: BTreeSet<&str> = state.checked.iter().filter_map(Checked::model_id).collect();
    let said = state.record.run.counts;
    let mut all = vec![
        (run::MANIFEST, "valid_submissions", said.valid, valid),
        (run::MANIFEST, "invalid_submissions", said.invalid, invalid),
    ];
    // An unreadable raw file names no model.
    if state.checked.iter().all(|file| file.model_id().is_some()) {
        let count = models.len() as u64;
        all.push((run::MANIFEST, "model_count", said.models, count));
    }
    let mut add = |code, file: &str, text: String| {
        findings.add(code, state.place(file), text);
    };
    let recorded = match summary(state) {
        Ok(Some(summary)) => summary,
        // A run whose slots are still open has nothing to sum up yet.
        Ok(None) if state.record.run.completed_at.is_none() && state.checked.is_empty() => return,
        Ok(None) => return add(Code::RunCountsDiffer, run::SUMMARY, "is missing".into()),
        Err(text) => return add(Code::UnreadableFile, run::SUMMARY, text),
    };
    for (name, count) in [
        ("raw_count", valid + invalid),
        ("valid_count", valid),
        ("invalid_count", invalid),
    ] {
        let said = recorded.get(name).and_then(Value::as_u64);
        all.push((run::SUMMARY, name, said, count));
    }
    for (file, name, said, counted) in all {
        if let Some(said) = said.filter(|said| *said != counted) {
            let text = format!("{name} is {said}; the files give {counted}");
            add(Code::RunCountsDiffer, file, text);
        }
    }
    verdicts(state, &recorded, findings);
}

fn summary(state: &RunState) -> Result<Option<Value>, String> {
    let bytes = state.folder.read_optional(run::SUMMARY);
    let bytes = bytes.map_err(|error| error.to_string())?;
    let summary = bytes.map(|bytes| json::parse(&bytes)).transpose();
    summary.map_err(|error| error.to_string())
}

/// The summary must refuse exactly the files that are invalid now; its wording may differ.
fn verdicts(state: &RunState, summary: &Value, findings: &mut Findings) {
    let errors = summary.get("errors").and_then(Value::as_object);
    for file in &state.checked {
        let said = errors.is_some_and(|errors| errors.contains_key(&file.name));
        let text = match &file.verdict {
            Ok(_) if said => "is recorded as invalid, but is valid".to_owned(),
            Err(_) if !said => format!("is recorded as valid, but is invalid: {}", file.reason()),
            _ => continue,
        };
        let place = state.place(&format!("{}/{}", run::RAW, file.name));
        findings.add(Code::VerdictDiffers, place, text);
    }
}

fn log(state: &RunState, findings: &mut Findings) {
    let mut add = |code, text: String| {
        findings.add(code, state.place(run::RUN_LOG), text);
    };
    for file in &state.checked {
        let lines = lines_of(state, file);
        if lines.is_empty() {
            let text = format!("has no line for {}", file.name);
            add(Code::RunLogDiffers, text);
        }
        let said = lines.last().and_then(|line| line.valid);
        if said.is_some_and(|said| said != file.verdict.is_ok()) {
            let text = format!("the status of {} differs from its verdict", file.name);
            add(Code::VerdictDiffers, text);
        }
    }
    for line in &state.run_log {
        let model_id = line.model_id.as_str();
        let mut files = state.checked.iter();
        if !files.any(|file| file.model_id() == Some(model_id)) {
            let text = format!("line {} names {model_id}, which has no raw file", line.line);
            add(Code::RunLogDiffers, text);
        }
    }
}

/// Log lines of a raw file: the same model and replicate.
pub(super) fn lines_of<'a>(state: &'a RunState, file: &Checked) -> Vec<&'a RunLogLine> {
    let payload = file.payload.as_ref();
    let index = payload.and_then(|payload| payload.get("replicate_index"));
    let replicate = index.and_then(Value::as_u64).unwrap_or(1);
    let same = |line: &&RunLogLine| {
        file.model_id() == Some(&line.model_id) && u64::from(line.replicate) == replicate
    };
    state.run_log.iter().filter(same).collect()
}
