//! Resolution jobs in the database, where one is configured, so that several machines share them.

use std::path::Path;

use capitalbench_archive::round::jobs;
use capitalbench_archive::round::round_folder::list_rounds;
use capitalbench_core::round::resolution_job::{JobStatus, ResolutionJob};
use capitalbench_database::direct::DatabaseUrl;
use capitalbench_database::gateway::GatewayError;
use capitalbench_database::jobs::{Job, Jobs, Plan};
use serde_json::{Value, json};

use crate::commands::Exit;
use crate::console::{DIM, ERROR, paint, remark};
use crate::error::CommandError;
use crate::steps::public_store::{database, told};
use crate::steps::wait;

/// Plans the job of a round in the database too. What was done stays done when that fails: a worker
/// that starts adds the jobs of its folder.
pub(crate) fn register(job: Option<&ResolutionJob>) -> Exit {
    let done = job.map_or(Ok(()), |job| {
        let Some(url) = database()? else {
            return Ok(());
        };
        ask(&url, async |jobs| jobs.schedule(&[plan(job)]).await)?;
        remark(paint(DIM, "the job is in the database"));
        Ok(())
    });
    done.map_or_else(
        |error: CommandError| {
            let text = "the work above is done, but its job is not in the database";
            remark(paint(ERROR, text));
            error.report();
            Exit::DoesNotHold
        },
        |()| Exit::Success,
    )
}

/// What a job of a folder is in the database.
pub(crate) fn plan(job: &ResolutionJob) -> Plan {
    (job.round_id.clone(), job.run_id.clone(), job.due_at)
}

/// The jobs of a folder that are not over; those that cannot be read are told.
pub(crate) fn open_jobs(rounds: &Path) -> Result<Vec<Plan>, CommandError> {
    let mut plans = Vec::new();
    for folder in list_rounds(rounds)? {
        match jobs::load(&folder) {
            Err(error) => remark(format!("{} {error}", paint(ERROR, "error:"))),
            Ok(Some(job)) if !matches!(job.status, JobStatus::Succeeded | JobStatus::Cancelled) => {
                plans.push(plan(&job));
            }
            Ok(_) => {}
        }
    }
    Ok(plans)
}

/// Asks the jobs of a database.
pub(crate) fn ask<T>(
    url: &DatabaseUrl,
    question: impl AsyncFnOnce(&Jobs) -> Result<T, GatewayError>,
) -> Result<T, CommandError> {
    wait(async {
        let jobs = Jobs::connect(url).await?;
        question(&jobs).await
    })?
    .map_err(|error| told(&error))
}

/// A job for machines, as those of folders are told.
pub(crate) fn as_json(job: &Job) -> Value {
    json!({
        "round_id": job.round_id.as_str(),
        "run_id": job.run_id.as_str(),
        "status": job.status,
        "attempts": job.attempts,
        "max_attempts": job.max_attempts,
        "due_at_utc": job.due_at.to_string(),
        "next_attempt_at_utc": job.next_attempt_at.map(|at| at.to_string()),
        "last_error": job.last_error,
        "completed_at_utc": job.completed_at.map(|at| at.to_string()),
        "held_by": job.lease_holder,
    })
}
