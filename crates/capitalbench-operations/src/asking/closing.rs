//! Ends a run whose deadline has passed, without asking anybody: open slots have no valid answer.

use capitalbench_archive::disk::layout::run as files;
use capitalbench_archive::disk::shell::shell_word;
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_archive::round::{ending, freeze};
use capitalbench_archive::run::ledger::Ledger;
use capitalbench_archive::run::ledger::derive::derive;
use capitalbench_core::asking::run::RunKind;
use capitalbench_core::round::manifest::Manifest;
use capitalbench_core::values::ids::RunId;
use capitalbench_core::values::time::WrittenInstant;
use jiff::Timestamp;

use crate::error::Error;
use crate::operator::Operator;
use crate::proof::given_instant::note_given_instant;
use crate::proof::record::{record, require_clock_in_order};

/// Whether a run has been asked to its end.
pub fn has_ended(folder: &RoundFolder, run_id: &RunId) -> Result<bool, Error> {
    let run = folder.run(run_id)?;
    // A run that was killed at its very beginning has no manifest yet.
    Ok(run.has(files::MANIFEST) && run.record()?.run.completed_at.is_some())
}

/// Whether the deadline for decisions has passed.
pub fn is_over(manifest: &Manifest, now: Timestamp) -> bool {
    let deadline = manifest.decision_deadline.as_ref();
    deadline.is_some_and(|deadline| now >= deadline.at())
}

/// Ends an official run or a lane after its deadline; a run that has ended stays as it is.
///
/// It needs neither keys nor the models file, so a run can end on a machine that cannot ask.
pub fn close_run(operator: &Operator, folder: &RoundFolder, run_id: &RunId) -> Result<(), Error> {
    if has_ended(folder, run_id)? {
        return Ok(());
    }
    ending::require_open(folder)?;
    freeze::require_unchanged(folder)?;
    let inputs = RoundInputs::load(folder.clone(), &Universes::default())?;
    let ledger = Ledger::open(folder, run_id)?;
    let now = operator.clock.now();
    let resume = format!(
        "finish it with `capitalbench run-round --round {} --models FILE --run-id {run_id} --resume`",
        shell_word(folder.path())
    );
    let is_closed = match ledger.plan().rules.kind {
        RunKind::Official => is_over(&inputs.manifest, now),
        RunKind::Lane(_) => inputs.manifest.lane_deadline().is_some_and(|at| now >= at),
        _ => false,
    };
    if !is_closed {
        let text = format!("{run_id} has not ended, and the deadline has not closed it");
        return Err(Error::new(text).hint(resume));
    }
    for planned in &ledger.plan().slots {
        let attempts = ledger.attempts(&planned.slot)?;
        if attempts
            .iter()
            .any(|own| own.answer.is_some() && own.ended.is_none())
        {
            let model = &planned.slot.model_id;
            let text = format!("{run_id}: an answer of {model} is stored and was not read yet");
            return Err(Error::new(text).hint(format!("{resume}; no model is asked again")));
        }
    }
    note_given_instant(operator, folder, "accept-run")?;
    require_clock_in_order(folder, now)?;
    derive(&ledger, &inputs, &WrittenInstant::of(now))?;
    record(operator, folder, now)?;
    Ok(())
}
