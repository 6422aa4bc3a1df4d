//! Did every attempt ask for the planned model with the same request, and did that model answer?

use capitalbench_core::asking::attempt::AttemptStatus;
use capitalbench_core::asking::served_name::fits;
use jiff::Timestamp;

use super::finding::{Code, Findings};
use super::{RunState, unreadable};
use crate::disk::error::FileError;
use crate::round::round_folder::RoundInputs;
use crate::run::ledger::{
    AttemptRecord, PlannedSlot, Repair, RunPlan, attempt_path, attempts_of, name_at,
    refusal_to_rename, repairs_of,
};

/// Compares the attempts of a run with its plan and its repairs.
pub(super) fn check(state: &RunState, inputs: &RoundInputs, findings: &mut Findings) {
    let told = |error: &FileError| unreadable(&inputs.folder, error);
    // The check of the ledger reports a plan and attempts that cannot be read.
    let Ok(Some(plan)) = RunPlan::of_run(&state.folder) else {
        return;
    };
    let repairs = match repairs_of(&state.folder, &plan) {
        Ok(repairs) => repairs,
        Err(error) => return findings.push(told(&error)),
    };
    let mut all: Vec<AttemptRecord> = Vec::new();
    for planned in &plan.slots {
        let Ok(attempts) = attempts_of(&state.folder, &plan, &planned.slot) else {
            continue;
        };
        let path = |number, ending| attempt_path(&plan, &planned.slot, number, ending);
        for (number, ending, code, text) in in_slot(planned, &repairs, &attempts) {
            findings.add(code, state.place(&path(number, ending)), text);
        }
        if !repairs.is_empty() {
            all.extend(attempts);
        }
    }
    for repair in &repairs {
        if let Some(text) = unfounded(repair, &all) {
            let place = state.place(&Repair::path(repair.number));
            findings.add(Code::RepairUnfounded, place, text);
        }
    }
}

/// A problem of an attempt: its number, the ending of the file, the code and the text.
type Problem = (u32, &'static str, Code, String);

fn in_slot(planned: &PlannedSlot, repairs: &[Repair], attempts: &[AttemptRecord]) -> Vec<Problem> {
    let mut found = Vec::new();
    for (index, attempt) in attempts.iter().enumerate() {
        let (number, begun) = (attempt.begun.attempt, &attempt.begun);
        let name = name_at(planned, repairs, started(attempt));
        if let Some(asked) = &begun.asked {
            let own = &asked.api_model_name;
            if own != name {
                let text = format!("asked for {own}; the plan and its repairs name {name}");
                found.push((number, "begun.json", Code::ModelNameDiffers, text));
            }
            let before = attempts[..index].iter().find_map(|other| {
                let other = other.begun.asked.as_ref()?;
                (other.api_model_name == *own).then_some(other)
            });
            if before.is_some_and(|before| before.body_sha256 != asked.body_sha256) {
                let text = "sent another request than the attempts before it".to_owned();
                found.push((number, "begun.json", Code::RequestDiffers, text));
            }
        }
        // Plans of older versions did not freeze the names under which a model may answer.
        let ended = attempt.ended.as_ref();
        let served = ended.and_then(|ended| ended.served_model.as_deref());
        if let (Some(served), Some(settings)) = (served, &planned.settings)
            && attempt.status() == AttemptStatus::Valid
            && !fits(name, served, &settings.served_models)
        {
            let text = format!("is valid, but {served} answered in place of {name}");
            found.push((number, "ended.json", Code::ModelNameDiffers, text));
        }
    }
    found
}

/// Why the attempts before a repair were no reason for it.
fn unfounded(repair: &Repair, attempts: &[AttemptRecord]) -> Option<String> {
    let model = repair.model_id.as_str();
    let before = attempts
        .iter()
        .filter(|attempt| attempt.begun.model_id == model && started(attempt) < repair.at());
    let before: Vec<AttemptStatus> = before.map(AttemptRecord::status).collect();
    let problem = refusal_to_rename(&before)?;
    Some(format!("renames {model}, although {problem}"))
}

fn started(attempt: &AttemptRecord) -> Timestamp {
    let text = attempt.begun.started_at_utc.parse();
    text.unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;
