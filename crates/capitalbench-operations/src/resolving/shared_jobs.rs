//! Resolution jobs in the database, where one is configured, so that several machines share them.

use std::path::Path;

use capitalbench_archive::round::jobs;
use capitalbench_archive::round::round_folder::list_rounds;
use capitalbench_core::round::resolution_job::ResolutionJob;
use capitalbench_database::direct::DatabaseUrl;
use capitalbench_database::gateway::GatewayError;
use capitalbench_database::jobs::{Jobs, Plan};

use super::held_round::is_over;
use crate::error::Error;
use crate::operator::{Notice, Operator, wait};

/// Plans the job of a round in the database too; false where no database is configured.
///
/// A failure undoes nothing: a worker that starts adds the jobs of its folder.
pub fn register(operator: &Operator, job: &ResolutionJob) -> Result<bool, Error> {
    let Some(url) = operator.configuration.database()? else {
        return Ok(false);
    };
    ask(&url, async |jobs| jobs.schedule(&[plan(job)]).await)?;
    Ok(true)
}

/// The job of a folder in the form that the database takes.
pub fn plan(job: &ResolutionJob) -> Plan {
    (job.round_id.clone(), job.run_id.clone(), job.due_at)
}

/// The jobs of a folder that are not over; those that cannot be read are announced.
pub fn open_jobs(operator: &Operator, rounds: &Path) -> Result<Vec<Plan>, Error> {
    let mut plans = Vec::new();
    for folder in list_rounds(rounds)? {
        match jobs::load(&folder) {
            Err(error) => operator.say(&Notice::Failed(&error.into())),
            Ok(Some(job)) if !is_over(&job) => plans.push(plan(&job)),
            Ok(_) => {}
        }
    }
    Ok(plans)
}

/// Asks the jobs of a database.
pub fn ask<T>(
    url: &DatabaseUrl,
    question: impl AsyncFnOnce(&Jobs) -> Result<T, GatewayError>,
) -> Result<T, Error> {
    let answer = wait(async {
        let jobs = Jobs::connect(url).await?;
        question(&jobs).await
    })?;
    Ok(answer?)
}
