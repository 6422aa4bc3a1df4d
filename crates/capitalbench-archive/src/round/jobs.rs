//! The resolution job of a round: read, created for its record, and written.

use capitalbench_core::round::manifest::Manifest;
use capitalbench_core::round::resolution_job::ResolutionJob;
use capitalbench_core::values::ids::RunId;
use jiff::Timestamp;

use crate::disk::error::FileError;
use crate::disk::file_ops;
use crate::disk::layout;
use crate::format::round::job;
use crate::round::round_folder::RoundFolder;

pub fn load(folder: &RoundFolder) -> Result<Option<ResolutionJob>, FileError> {
    folder.parse_optional(layout::JOB, job::parse)
}

/// Writes the job of a round, replacing the one before.
pub fn store(folder: &RoundFolder, job: &ResolutionJob) -> Result<(), FileError> {
    file_ops::create_folder(&folder.file(layout::AUTOMATION))?;
    file_ops::replace(&folder.file(layout::JOB), job::render(job).as_bytes())?;
    Ok(())
}

/// When a round can first be resolved: once the vendor's rows of its exit day are final.
pub fn due_at(manifest: &Manifest) -> Option<Timestamp> {
    let window = manifest.window?;
    window.market.rows_final_at(window.exit)
}

/// A new job for a run of a round; none without an exit day.
pub fn for_run(
    manifest: &Manifest,
    run_id: &RunId,
    due: Option<Timestamp>,
    now: Timestamp,
) -> Option<ResolutionJob> {
    let due = due.or_else(|| due_at(manifest))?;
    let round_id = manifest.round_id.clone();
    Some(ResolutionJob::schedule(round_id, run_id.clone(), due, now))
}
