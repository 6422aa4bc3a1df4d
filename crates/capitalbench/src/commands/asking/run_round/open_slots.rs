//! Slots that were turned away and wait for a repair: why, what to do, and the next command.

use std::path::Path;

use capitalbench_archive::disk::shell::shell_word;
use capitalbench_core::asking::attempt::Reason;
use capitalbench_operations::asking::run::RunReport;
use capitalbench_operations::asking::slot_end::SlotEnd;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::cli::RunRound;
use crate::console::{line, next_step};

/// Says of every model that waits for a repair what to do, and then the next command.
pub(super) fn show(arguments: &RunRound, report: &RunReport) {
    for (model, reason, end) in waiting(report) {
        line(format!("{model}: {}", repair(end, reason)));
    }
    let limit = deadline(report).map_or_else(String::new, |at| format!(" before {at}"));
    let command = command(arguments, report);
    next_step(format!("finish the run{limit} with `{command}`"));
}

/// The same for programs.
pub(super) fn as_json(report: &RunReport) -> Value {
    let rows = waiting(report).into_iter().map(|(model, reason, end)| {
        json!({
            "model_id": model,
            "reason": reason.as_str(),
            "repair": repair(end, reason),
        })
    });
    Value::Array(rows.collect())
}

/// The models that wait, each once.
fn waiting(report: &RunReport) -> Vec<(&str, Reason, &SlotEnd)> {
    let mut found: Vec<(&str, Reason, &SlotEnd)> = Vec::new();
    for (end, _) in &report.slots {
        let model = end.planned.slot.model_id.as_str();
        if let Some(reason) = end.waits_for_repair()
            && !found.iter().any(|(known, ..)| *known == model)
        {
            found.push((model, reason, end));
        }
    }
    found
}

/// What was turned away, and what repairs it.
fn repair(end: &SlotEnd, reason: Reason) -> String {
    let (provider, name) = (&end.planned.provider, &end.planned.api_model_name);
    let model = &end.planned.slot.model_id;
    let key = end.key_variable.as_deref().unwrap_or("the key");
    let address = end.base_url.as_deref().unwrap_or("its address");
    match reason {
        Reason::Key => format!("{key} was refused; put the right key into .env"),
        Reason::Quota => format!(
            "the allowance behind {key} is used up; raise it at {provider}, or put another key into .env"
        ),
        Reason::NoModel => format!(
            "{provider} offers no model {name}; correct key or base_url, or give it another name with \
             --rename-model {model}=NAME --reason TEXT"
        ),
        Reason::Unreachable => format!(
            "{address} could not be reached; check the network, or correct base_url within the frozen hosts"
        ),
        _ => format!(
            "{provider} turned every attempt away ({}); wait",
            reason.as_str()
        ),
    }
}

/// The decision deadline, to the minute.
fn deadline(report: &RunReport) -> Option<String> {
    let at: Timestamp = report.deadline?;
    Some(at.strftime("%Y-%m-%d %H:%M UTC").to_string())
}

/// The command that asks what is open.
pub(super) fn command(arguments: &RunRound, report: &RunReport) -> String {
    let word = |path: &Path| shell_word(path);
    let asked = if arguments.permission.allow_real_api_calls {
        " --allow-real-api-calls"
    } else if arguments.permission.mock {
        " --mock"
    } else {
        ""
    };
    format!(
        "capitalbench run-round --round {} --models {} --run-id {} --resume{asked}",
        word(&arguments.round.path),
        word(&arguments.models),
        report.plan.run_id
    )
}
