//! Models of a run without a valid answer, by its ledger.

use std::collections::BTreeSet;

use capitalbench_core::asking::attempt::AttemptStatus;
use capitalbench_core::asking::missing_answer::{MissingAnswer, NoAnswer};

use crate::disk::error::FileError;
use crate::disk::layout::run;
use crate::run::ledger::{AttemptRecord, RunPlan, attempts_of};
use crate::run::run_folder::RunFolder;

/// The models without a valid answer in the order of the plan; none for a run without a ledger.
pub fn missing_answers(folder: &RunFolder) -> Result<Vec<MissingAnswer>, FileError> {
    let Some(plan) = RunPlan::of_run(folder)? else {
        return Ok(Vec::new());
    };
    let mut found: Vec<MissingAnswer> = Vec::new();
    for planned in &plan.slots {
        let records = attempts_of(folder, &plan, &planned.slot)?;
        let statuses: Vec<AttemptStatus> = records.iter().map(AttemptRecord::status).collect();
        let model_id = &planned.slot.model_id;
        if let Some(why) = NoAnswer::of(&statuses)
            && found.last().is_none_or(|last| last.model_id != *model_id)
        {
            found.push(MissingAnswer {
                model_id: model_id.clone(),
                why,
            });
        }
    }
    Ok(found)
}

/// The raw files of these models in a run with one replicate, as paths inside it.
pub(crate) fn raw_files(missing: &[MissingAnswer]) -> BTreeSet<String> {
    let path = |own: &MissingAnswer| format!("{}/{}.json", run::RAW, own.model_id.file_stem());
    missing.iter().map(path).collect()
}
