//! The report of a run, on disk.

use std::path::Path;

use capitalbench_archive::disk::file_ops;
use capitalbench_archive::disk::layout::run;
use capitalbench_archive::results::report::RunReport;
use capitalbench_archive::round::round_folder::RoundInputs;
use capitalbench_archive::run::run_folder::RunFolder;
use capitalbench_core::values::ids::RunId;
use jiff::Timestamp;

use crate::error::Error;
use crate::operator::Operator;
use crate::operator::files::open_inputs;
use crate::proof::given_instant::note_given_instant;
use crate::proof::promise::Promise;
use crate::proof::record::record;
use crate::resolving::held_round::with_awaited;
use crate::resolving::score::RuledRun;

#[derive(Debug)]
pub struct Published {
    pub round: String,
    pub run: RunFolder,
    /// Files, inside the run.
    pub files: Vec<&'static str>,
    /// Whether it tells a result.
    pub resolved: bool,
}

/// Writes the report of the named run of a round; else of its record, or its only run.
pub fn publish_report(
    operator: &Operator,
    round: &Path,
    run_id: Option<&RunId>,
) -> Result<Published, Error> {
    let inputs = open_inputs(round)?;
    let run = RuledRun::named_or_official(&inputs.folder, run_id)?.folder;
    note_given_instant(operator, &inputs.folder, "publish-report")?;
    with_awaited(&inputs.folder, || {
        publish(operator, &inputs, &run, operator.now())
    })
}

/// Writes the report of a run and, once there is a result, its chart.
pub fn publish(
    operator: &Operator,
    inputs: &RoundInputs,
    folder: &RunFolder,
    now: Timestamp,
) -> Result<Published, Error> {
    Promise::of(&inputs.folder, &inputs.manifest).require_order(now)?;
    let report = RunReport::load(inputs, folder, now)?;
    let mut files = vec![(run::REPORT, report.render()?)];
    match report.chart() {
        Some(chart) => files.push((run::CHART, chart)),
        None => file_ops::remove(&folder.file(run::CHART))?,
    }
    let writes: Vec<_> = files
        .iter()
        .map(|(path, text)| (folder.file(path), text.clone().into_bytes()))
        .collect();
    file_ops::replace_all(&writes)?;
    record(operator, &inputs.folder, now)?;
    Ok(Published {
        round: inputs.folder.name(),
        run: folder.clone(),
        files: files.into_iter().map(|(path, _)| path).collect(),
        resolved: report.is_resolved(),
    })
}
