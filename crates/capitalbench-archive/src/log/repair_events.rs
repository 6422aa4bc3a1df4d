//! The repairs of a run as events.

use capitalbench_proof::event::{Event, Fact};

use super::events::RoundFiles;
use crate::disk::error::FileError;
use crate::disk::file_ops;
use crate::run::ledger::{Repair, RunPlan, repairs_of};
use crate::run::run_folder::RunFolder;

/// One event for each repair of a run, in their order.
pub(super) fn repair_events(
    files: &RoundFiles<'_>,
    run: &RunFolder,
    plan: &RunPlan,
) -> Result<Vec<Event>, FileError> {
    let mut events = Vec::new();
    for repair in repairs_of(run, plan)? {
        let path = Repair::path(repair.number);
        let at = repair.at();
        let fact = Fact::Repaired {
            run: run.run_id().to_string(),
            number: repair.number,
            model: repair.model_id.to_string(),
            from: repair.from,
            to: repair.to,
            reason: repair.reason,
            record: files.seal(run, &path, &file_ops::read(&run.file(&path))?),
        };
        events.push(files.event(at, fact)?);
    }
    Ok(events)
}
