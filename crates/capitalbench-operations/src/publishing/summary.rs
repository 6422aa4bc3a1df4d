//! The summary of a round: its ranked run beside its run of replicates.

use std::path::{Path, PathBuf};

use capitalbench_archive::disk::file_ops;
use capitalbench_archive::disk::layout;
use capitalbench_archive::results::report::{RunReport, round_summary};
use capitalbench_core::asking::run::RunKind;
use capitalbench_core::values::ids::RunId;

use crate::error::Error;
use crate::operator::Operator;
use crate::operator::files::open_inputs;
use crate::proof::given_instant::note_given_instant;
use crate::proof::promise::Promise;
use crate::proof::record::record;
use crate::resolving::held_round::with_awaited;

/// The file that was written, and whether it tells a result.
#[derive(Debug)]
pub struct Summary {
    pub round: String,
    pub file: PathBuf,
    pub is_resolved: bool,
}

/// Writes the summary of a round from its official and its stability run.
pub fn publish_summary(
    operator: &Operator,
    round: &Path,
    official: &RunId,
    stability: &RunId,
) -> Result<Summary, Error> {
    let inputs = open_inputs(round)?;
    let (folder, now) = (&inputs.folder, operator.now());
    Promise::of(folder, &inputs.manifest).require_order(now)?;
    let load = |flag: &str, id: &RunId, kind: RunKind| {
        let run = folder.run(id)?;
        let found = run.record()?.run.rules.kind;
        if found != kind {
            let text = format!("{flag} {id}: is a run of the type {}", found.as_str());
            let hint = format!("name one of the type {}", kind.as_str());
            return Err(Error::new(text).hint(hint));
        }
        Ok(RunReport::load(&inputs, &run, now)?)
    };
    let official = load("--official-run-id", official, RunKind::Official)?;
    let stability = load("--stability-run-id", stability, RunKind::Consistency)?;
    note_given_instant(operator, folder, "publish-round-summary")?;
    let file = folder.file(layout::ROUND_SUMMARY);
    with_awaited(folder, || {
        file_ops::replace(&file, round_summary(&official, &stability)?.as_bytes())?;
        record(operator, folder, now)
    })?;
    Ok(Summary {
        round: folder.name(),
        file,
        is_resolved: official.is_resolved(),
    })
}
