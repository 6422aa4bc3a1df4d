//! The ledger of a run → how its models were asked.

use capitalbench_core::asking::attempt::AttemptStatus;
use capitalbench_core::asking::cost::Cost;
use capitalbench_core::publication::calls::{AskedFor, AttemptCounts, ModelCalls, Served};

use super::Depth;
use crate::disk::error::{Fault, FileError};
use crate::round::round_folder::parse_file;
use crate::run::ledger::{Begun, Ended, PlannedSlot, RunPlan, attempt_path, parse_record};
use crate::run::run_folder::RunFolder;

/// How each model of a run was asked; nothing for runs without a ledger.
///
/// Standings show names and nothing else, so only the plan is read for them.
pub(super) fn calls(folder: &RunFolder, depth: Depth) -> Result<Vec<ModelCalls>, FileError> {
    let Some(plan) = RunPlan::of_run(folder)? else {
        return Ok(Vec::new());
    };
    let mut all = Vec::with_capacity(plan.slots.len());
    for planned in &plan.slots {
        let mut calls = ModelCalls {
            display_name: planned.display_name.clone(),
            continues: planned.continues.clone(),
            ..ModelCalls::new(planned.slot.model_id.clone())
        };
        if depth == Depth::Everything {
            read(folder, &plan, planned, &mut calls)?;
        }
        if calls.tells() {
            all.push(calls);
        }
    }
    Ok(all)
}

/// Reads the attempts of a slot; the one that brought the answer tells how the model was asked.
fn read(
    folder: &RunFolder,
    plan: &RunPlan,
    planned: &PlannedSlot,
    calls: &mut ModelCalls,
) -> Result<(), FileError> {
    let mut statuses = Vec::new();
    for attempt in 1.. {
        let file = |ending| folder.file(&attempt_path(plan, &planned.slot, attempt, ending));
        let Some(begun) = parse_file(&file("begun.json"), parse_record::<Begun>)? else {
            break;
        };
        let ended = parse_file(&file("ended.json"), |bytes| {
            let ended: Ended = parse_record(bytes)?;
            is_money("billed_usd", ended.billed_usd)?;
            is_money("card_usd", ended.card_usd)?;
            Ok(ended)
        })?;
        let status = ended
            .as_ref()
            .map_or(AttemptStatus::Unknown, Ended::attempt_status);
        if status == AttemptStatus::Valid {
            let asked = begun.asked.map(|asked| {
                let unknown = || Fault::field("asked.schema_mode", UNKNOWN_MODE);
                let found = AskedFor::of(asked).ok_or_else(unknown);
                found.map_err(|fault| fault.in_file(&file("begun.json")))
            });
            calls.asked = asked.transpose()?;
            calls.served = ended.map(served).unwrap_or_default();
        }
        statuses.push(status);
    }
    if !statuses.is_empty() {
        calls.attempts = Some(AttemptCounts::of(&statuses));
    }
    Ok(())
}

const UNKNOWN_MODE: &str = "must be full, json or none; restore the file that the program wrote";

fn served(ended: Ended) -> Served {
    Served {
        model: ended.served_model,
        service_tier: ended.service_tier,
        answered_by: ended.answered_by,
        billed_usd: ended.billed_usd,
        card_usd: ended.card_usd,
    }
}

/// A figure that is no amount of money would be published as a cost.
fn is_money(field: &str, usd: Option<f64>) -> Result<(), Fault> {
    if usd.is_some_and(|usd| Cost::from_usd(usd).is_none()) {
        let text = "is not an amount of money; restore the file that the program wrote";
        return Err(Fault::field(field, text));
    }
    Ok(())
}
