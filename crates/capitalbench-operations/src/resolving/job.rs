//! The jobs that resolve rounds, as an operator looks at them and changes them.

use std::path::Path;

use capitalbench_archive::round::jobs;
use capitalbench_archive::round::lease::{Holder, holder};
use capitalbench_archive::round::round_folder::{RoundFolder, list_rounds};
use capitalbench_core::round::resolution_job::{JobStatus, ResolutionJob};
use capitalbench_database::gateway::GatewayError;
use capitalbench_database::jobs::{Job, Jobs};
use jiff::Timestamp;

use super::held_round::{HeldRound, take};
use super::score::RuledRun;
use super::shared_jobs;
use crate::error::Error;
use crate::operator::Operator;
use crate::operator::clock::Clock;
use crate::operator::files::open_inputs;
use crate::proof::given_instant::note_given_instant;
use crate::proof::record::record;

/// The job of a round in its folder, and who works on the round.
#[derive(Debug)]
pub struct FolderJob {
    pub round: String,
    pub job: ResolutionJob,
    pub held_by: Option<Holder>,
}

/// All jobs: of the database where one is configured, else of the folders.
#[derive(Debug)]
pub enum AllJobs {
    Shared(Vec<Job>),
    Folders {
        jobs: Vec<FolderJob>,
        unreadable: Vec<String>,
    },
}

pub fn all_jobs(operator: &Operator, rounds: &Path) -> Result<AllJobs, Error> {
    if let Some(url) = operator.configuration.database()? {
        let found = shared_jobs::ask(&url, async |jobs| jobs.all().await)?;
        return Ok(AllJobs::Shared(found));
    }
    let (mut found, mut unreadable) = (Vec::new(), Vec::new());
    for folder in list_rounds(rounds)? {
        // A lease lives by the machine's clock, whatever instant is looked at.
        let alive = Clock::Wall.now();
        let both = jobs::load(&folder).and_then(|job| Ok((job, holder(&folder, alive)?)));
        match both {
            Err(error) => unreadable.push(error.to_string()),
            Ok((Some(job), held_by)) => found.push(FolderJob {
                round: folder.name(),
                job,
                held_by,
            }),
            Ok((None, _)) => {}
        }
    }
    Ok(AllJobs::Folders {
        jobs: found,
        unreadable,
    })
}

/// Gives a job new attempts, at an instant or when it is due.
pub fn retry(
    operator: &Operator,
    round: &Path,
    next: Option<Timestamp>,
) -> Result<ResolutionJob, Error> {
    let folder = RoundFolder::open(round)?;
    note_given_instant(operator, &folder, "automation-retry")?;
    let inputs = open_inputs(round)?;
    let record = RuledRun::official(&folder)?
        .map_err(|reason| Error::new(format!("{} has no record: {reason}", folder.name())))?;
    let run_id = record.folder.run_id();
    let held = take(&folder)?;
    let mut job = match jobs::load(&folder)? {
        Some(job) if job.run_id == *run_id => job,
        _ => {
            let new = jobs::for_run(&inputs.manifest, run_id, None, operator.clock.now());
            let name = folder.name();
            new.ok_or_else(|| Error::new(format!("the manifest of {name} names no exit day")))?
        }
    };
    if job.status == JobStatus::Succeeded {
        let text = format!("{} is resolved already", folder.name());
        let hint = "correct its result with `capitalbench score-round --correct REASON`";
        return Err(Error::new(text).hint(hint));
    }
    job.retry(next);
    let plan = shared_jobs::plan(&job);
    store(operator, &folder, held, &job, async |jobs| {
        jobs.retry(&plan, next).await
    })?;
    Ok(job)
}

pub fn cancel(operator: &Operator, round: &Path, reason: &str) -> Result<ResolutionJob, Error> {
    let folder = RoundFolder::open(round)?;
    note_given_instant(operator, &folder, "automation-cancel")?;
    if reason.trim().is_empty() {
        return Err(Error::new("--reason needs a reason"));
    }
    let held = take(&folder)?;
    let job = jobs::load(&folder)?;
    let mut job = job.ok_or_else(|| Error::new(format!("{} has no job", folder.name())))?;
    if job.status == JobStatus::Succeeded {
        let text = format!("{} is resolved; there is nothing to cancel", folder.name());
        return Err(Error::new(text));
    }
    job.cancel(reason, operator.clock.now());
    // A job that the database does not know is put there, so that no other folder adds it.
    let plans = [shared_jobs::plan(&job)];
    store(operator, &folder, held, &job, async |jobs| {
        jobs.schedule(&plans).await?;
        jobs.cancel(&job.round_id, reason).await
    })?;
    Ok(job)
}

/// Changes a job in the database, where there is one, and then in its folder.
fn store<T>(
    operator: &Operator,
    folder: &RoundFolder,
    held: HeldRound,
    job: &ResolutionJob,
    change: impl AsyncFnOnce(&Jobs) -> Result<Option<T>, GatewayError>,
) -> Result<(), Error> {
    if let Some(url) = operator.configuration.database()? {
        let changed = shared_jobs::ask(&url, change)?;
        changed.ok_or_else(|| {
            let name = folder.name();
            Error::new(format!("the job of {name} in the database was not changed")).hint(
                "a worker has it, or it is over; look at it with `capitalbench automation-status`",
            )
        })?;
    }
    jobs::store(folder, job)?;
    record(operator, folder, operator.clock.now())?;
    Ok(held.release()?)
}
