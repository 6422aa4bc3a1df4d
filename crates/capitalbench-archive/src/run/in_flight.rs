//! The official run of a round that has begun and not ended: no second one may begin beside it.

use capitalbench_core::asking::run::{Calls, RunKind};
use capitalbench_core::values::ids::RunId;

use crate::disk::error::FileError;
use crate::disk::layout::run;
use crate::round::round_folder::RoundFolder;
use crate::run::ledger::RunPlan;

/// The official run with a ledger that has not ended; rehearsals do not count.
pub fn official_in_flight(round: &RoundFolder) -> Result<Option<RunId>, FileError> {
    for id in round.run_ids()? {
        let folder = round.run(&id)?;
        let Some(plan) = RunPlan::of_run(&folder)? else {
            continue;
        };
        let counts = plan.rules.kind == RunKind::Official && plan.calls != Calls::Mock;
        // A run that was killed at its very beginning has no manifest yet.
        let ended = folder.has(run::MANIFEST) && folder.record()?.run.completed_at.is_some();
        if counts && !ended {
            return Ok(Some(id));
        }
    }
    Ok(None)
}
