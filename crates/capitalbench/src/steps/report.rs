//! The report of a run, on disk.

use capitalbench_archive::disk::file_ops;
use capitalbench_archive::disk::layout::run;
use capitalbench_archive::results::report::RunReport;
use capitalbench_archive::round::round_folder::RoundInputs;
use capitalbench_archive::run::run_folder::RunFolder;
use jiff::Timestamp;

use super::promise::require_order;
use super::record::record;
use crate::error::CommandError;

/// What was published.
pub(crate) struct Published {
    /// Files, inside the run.
    pub(crate) files: Vec<&'static str>,
    /// Whether it tells a result.
    pub(crate) resolved: bool,
}

/// Writes the report of a run and, once there is a result, its chart.
pub(crate) fn publish(
    inputs: &RoundInputs,
    folder: &RunFolder,
    now: Timestamp,
) -> Result<Published, CommandError> {
    require_order(&inputs.folder, &inputs.manifest, now)?;
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
    record(&inputs.folder, now)?;
    Ok(Published {
        files: files.into_iter().map(|(path, _)| path).collect(),
        resolved: report.is_resolved(),
    })
}
