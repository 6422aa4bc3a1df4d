//! One run: identity, verdicts, parsed files, counts and log.

use std::collections::BTreeSet;

use serde_json::Value;

use super::RunState;
use super::derivation::DerivedRun;
use super::finding::{Code, Finding};
use crate::disk::layout::run;
use crate::format::run::run_log::LogLine;
use crate::format::text::json;
use crate::round::round_folder::RoundInputs;
use crate::run::validation::Checked;

/// Checks one run against its own files.
pub(super) fn check(state: &RunState, inputs: &RoundInputs, findings: &mut Vec<Finding>) {
    identity(state, inputs, findings);
    DerivedRun::of(state, inputs).check(findings);
    counts(state, findings);
    log(state, findings);
    super::replies::check(state, findings);
    super::controls::check(state, inputs, findings);
    super::hosts::check(state, inputs, findings);
}

fn identity(state: &RunState, inputs: &RoundInputs, findings: &mut Vec<Finding>) {
    let own = &state.record.run;
    if own.run_id != *state.folder.run_id() || own.round_id != inputs.manifest.round_id {
        let text = format!("names {} of {}", own.run_id, own.round_id);
        findings.push(Finding::new(
            Code::RunIdMismatch,
            state.place(run::MANIFEST),
            text,
        ));
    }
}

fn counts(state: &RunState, findings: &mut Vec<Finding>) {
    let valid = state
        .checked
        .iter()
        .filter(|file| file.verdict.is_ok())
        .count() as u64;
    let invalid = state.checked.len() as u64 - valid;
    let models: BTreeSet<&str> = state.checked.iter().filter_map(Checked::model_id).collect();
    let said = state.record.run.counts;
    let mut all = vec![
        (run::MANIFEST, "valid_submissions", said.valid, valid),
        (run::MANIFEST, "invalid_submissions", said.invalid, invalid),
    ];
    // A raw file that could not be read names no model.
    if state.checked.iter().all(|file| file.model_id().is_some()) {
        all.push((
            run::MANIFEST,
            "model_count",
            said.models,
            models.len() as u64,
        ));
    }
    let mut add = |code, file: &str, text: String| {
        findings.push(Finding::new(code, state.place(file), text));
    };
    let recorded = match summary(state) {
        Ok(Some(summary)) => summary,
        Ok(None) => return add(Code::RunCountsDiffer, run::SUMMARY, "is missing".into()),
        Err(text) => return add(Code::UnreadableFile, run::SUMMARY, text),
    };
    let number = |name: &str| recorded.get(name).and_then(Value::as_u64);
    all.push((
        run::SUMMARY,
        "raw_count",
        number("raw_count"),
        valid + invalid,
    ));
    all.push((run::SUMMARY, "valid_count", number("valid_count"), valid));
    all.push((
        run::SUMMARY,
        "invalid_count",
        number("invalid_count"),
        invalid,
    ));
    for (file, name, said, counted) in all {
        if let Some(said) = said.filter(|said| *said != counted) {
            let text = format!("{name} is {said}; the files give {counted}");
            add(Code::RunCountsDiffer, file, text);
        }
    }
    verdicts(state, &recorded, findings);
}

fn summary(state: &RunState) -> Result<Option<Value>, String> {
    let bytes = state
        .folder
        .read_optional(run::SUMMARY)
        .map_err(|error| error.to_string())?;
    bytes
        .map(|bytes| json::parse(&bytes))
        .transpose()
        .map_err(|error| error.to_string())
}

/// The summary must refuse exactly the files that are refused now; its words may differ.
fn verdicts(state: &RunState, summary: &Value, findings: &mut Vec<Finding>) {
    let errors = summary.get("errors").and_then(Value::as_object);
    for file in &state.checked {
        let said = errors.is_some_and(|errors| errors.contains_key(&file.name));
        let text = match &file.verdict {
            Ok(_) if said => "recorded as invalid; it is valid".to_owned(),
            Err(_) if !said => format!("recorded as valid; {}", file.reason()),
            _ => continue,
        };
        let place = state.place(&format!("{}/{}", run::RAW, file.name));
        findings.push(Finding::new(Code::VerdictDiffers, place, text));
    }
}

fn log(state: &RunState, findings: &mut Vec<Finding>) {
    let mut add = |code, text: String| {
        findings.push(Finding::new(code, state.place(run::LOG), text));
    };
    for file in &state.checked {
        let lines = lines_of(state, file);
        if lines.is_empty() {
            add(
                Code::RunLogDiffers,
                format!("has no line for {}", file.name),
            );
        }
        let said = lines.last().and_then(|line| line.valid);
        if said.is_some_and(|said| said != file.verdict.is_ok()) {
            let text = format!("the status of {} is not its verdict", file.name);
            add(Code::VerdictDiffers, text);
        }
    }
    for line in &state.log {
        let answered = state
            .checked
            .iter()
            .any(|file| file.model_id() == Some(&line.model_id));
        if !answered {
            let text = format!(
                "line {} names {}, which has no raw file",
                line.line, line.model_id
            );
            add(Code::RunLogDiffers, text);
        }
    }
}

/// Log lines of a raw file: the same model and replicate.
pub(super) fn lines_of<'a>(state: &'a RunState, file: &Checked) -> Vec<&'a LogLine> {
    let index = file
        .payload
        .as_ref()
        .and_then(|payload| payload.get("replicate_index"));
    let replicate = index.and_then(Value::as_u64).unwrap_or(1);
    let same = |line: &&LogLine| {
        file.model_id() == Some(&line.model_id) && u64::from(line.replicate) == replicate
    };
    state.log.iter().filter(same).collect()
}
