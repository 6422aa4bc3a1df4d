//! `automation-status`, `automation-retry` and `automation-cancel`: the jobs of rounds.

use capitalbench_archive::round::jobs;
use capitalbench_archive::round::lease::holder;
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes, list_rounds};
use capitalbench_core::asking::run::official_run;
use capitalbench_core::round::resolution_job::{JobStatus, ResolutionJob};
use capitalbench_database::direct::DatabaseUrl;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::Exit;
use crate::cli::{AutomationCancel, AutomationRetry, AutomationStatus};
use crate::clock::{Clock, now_or};
use crate::console::{DIM, ERROR, Table, document, line, or_none, paint, remark};
use crate::error::CommandError;
use crate::steps::given_instant::note_given_instant;
use crate::steps::held_round::take;
use crate::steps::public_store::database;
use crate::steps::record;
use crate::steps::shared_jobs;

const JOBS: Table<'static> = Table {
    header: &[
        "round",
        "run",
        "status",
        "attempts",
        "due",
        "next attempt",
        "last error",
    ],
    right: &[3],
    drawn: &[],
    spare: &[4, 1],
    dim_from: None,
};

pub(crate) fn status(arguments: &AutomationStatus) -> Result<Exit, CommandError> {
    if let Some(url) = database()? {
        return shared_status(&url, arguments.output.json);
    }
    let now = now_or(arguments.now.instant);
    let (mut found, mut unreadable) = (Vec::new(), Vec::new());
    for folder in list_rounds(&arguments.rounds.folder)? {
        // A lease lives by the machine's clock, whatever instant is looked at.
        let alive = Clock::Wall.now();
        let both = jobs::load(&folder).and_then(|job| Ok((job, holder(&folder, alive)?)));
        match both {
            Err(error) => unreadable.push(error.to_string()),
            Ok((Some(job), held)) => found.push((folder.name(), job, held)),
            Ok((None, _)) => {}
        }
    }
    if arguments.output.json {
        let jobs: Vec<Value> = found
            .iter()
            .map(|(round, job, held)| {
                let mut value = as_json(round, job);
                value["held_by"] = json!(held.as_ref().map(|holder| &holder.who));
                value
            })
            .collect();
        document(&json!({"jobs": jobs, "unreadable": unreadable}));
        return Ok(Exit::of(unreadable.is_empty()));
    }
    let rows = found.iter().map(|(round, job, held)| {
        let late = job.is_due(now) && held.is_none();
        let word = job.status.as_str();
        let word = if late || job.is_exhausted() {
            paint(ERROR, word)
        } else {
            word.to_owned()
        };
        vec![
            round.clone(),
            job.run_id.to_string(),
            word,
            job.attempts.to_string(),
            job.due_at.to_string(),
            or_none(job.next_attempt()),
            job.last_error.clone(),
        ]
    });
    line(JOBS.render(rows.collect()));
    for (round, _, held) in &found {
        if let Some(holder) = held {
            line(paint(DIM, format!("{round} is with {}", holder.who)));
        }
    }
    for error in &unreadable {
        remark(format!("{} {error}", paint(ERROR, "error:")));
    }
    Ok(Exit::of(unreadable.is_empty()))
}

/// The jobs of the database.
fn shared_status(url: &DatabaseUrl, json: bool) -> Result<Exit, CommandError> {
    let found = shared_jobs::ask(url, async |jobs| jobs.all().await)?;
    if json {
        let jobs: Vec<Value> = found.iter().map(shared_jobs::as_json).collect();
        document(&json!({"jobs": jobs, "unreadable": []}));
        return Ok(Exit::Success);
    }
    let rows = found.iter().map(|job| {
        let word = match job.status.as_str() {
            "given_up" | "failed" => paint(ERROR, &job.status),
            word => word.to_owned(),
        };
        let next = job.next_attempt_at.filter(|_| job.lease_holder.is_none());
        vec![
            job.round_id.to_string(),
            job.run_id.to_string(),
            word,
            job.attempts.to_string(),
            job.due_at.to_string(),
            or_none(next),
            job.last_error.clone(),
        ]
    });
    line(JOBS.render(rows.collect()));
    for job in &found {
        if let Some(holder) = &job.lease_holder {
            line(paint(DIM, format!("{} is with {holder}", job.round_id)));
        }
    }
    Ok(Exit::Success)
}

/// Why the database did not take what was asked: the job is with a worker, over, or not there.
fn not_taken(folder: &RoundFolder) -> CommandError {
    let text = format!(
        "the job of {} in the database is not changed",
        folder.name()
    );
    let hint = "a worker has it, or it is over; look at it with `capitalbench automation-status`";
    CommandError::new(text).hint(hint)
}

fn as_json(round: &str, job: &ResolutionJob) -> Value {
    let text = |at: Option<Timestamp>| at.map(|at| at.to_string());
    json!({
        "round_id": round,
        "run_id": job.run_id.as_str(),
        "status": job.status.as_str(),
        "attempts": job.attempts,
        "max_attempts": job.max_attempts,
        "due_at_utc": job.due_at.to_string(),
        "next_attempt_at_utc": text(job.next_attempt()),
        "last_error": job.last_error,
        "completed_at_utc": text(job.completed_at),
    })
}

pub(crate) fn retry(arguments: &AutomationRetry) -> Result<Exit, CommandError> {
    let clock = Clock::starting_at(arguments.now.instant);
    let folder = RoundFolder::open(&arguments.round.path)?;
    note_given_instant(&folder, "automation-retry", arguments.now.instant)?;
    let inputs = RoundInputs::load(folder.clone(), &Universes::default())?;
    let runs = folder.runs()?;
    let enforcement = inputs.manifest.methodology.enforcement();
    let record = official_run(&runs, enforcement).map_err(|reason| {
        CommandError::new(format!("{} has no record: {reason}", folder.name()))
    })?;
    let held = take(&folder)?;
    let mut job = match jobs::load(&folder)? {
        Some(job) if job.run_id == record.run_id => job,
        _ => {
            jobs::for_run(&inputs.manifest, &record.run_id, None, clock.now()).ok_or_else(|| {
                CommandError::new(format!(
                    "the manifest of {} names no exit day",
                    folder.name()
                ))
            })?
        }
    };
    if job.status == JobStatus::Succeeded {
        let text = format!("{} is resolved already", folder.name());
        let hint = "correct its result with `capitalbench score-round --correct REASON`";
        return Err(CommandError::new(text).hint(hint));
    }
    job.retry(arguments.next_attempt_at_utc);
    if let Some(url) = database()? {
        let (plan, next) = (shared_jobs::plan(&job), arguments.next_attempt_at_utc);
        let taken = shared_jobs::ask(&url, async |jobs| jobs.retry(&plan, next).await)?;
        taken.ok_or_else(|| not_taken(&folder))?;
    }
    jobs::store(&folder, &job)?;
    record::record(&folder, clock.now())?;
    held.release()?;
    tell(&folder, &job, arguments.output.json);
    Ok(Exit::Success)
}

pub(crate) fn cancel(arguments: &AutomationCancel) -> Result<Exit, CommandError> {
    let clock = Clock::starting_at(arguments.now.instant);
    let folder = RoundFolder::open(&arguments.round.path)?;
    note_given_instant(&folder, "automation-cancel", arguments.now.instant)?;
    if arguments.reason.trim().is_empty() {
        return Err(CommandError::new("--reason needs a reason"));
    }
    let held = take(&folder)?;
    let job = jobs::load(&folder)?;
    let mut job = job.ok_or_else(|| CommandError::new(format!("{} has no job", folder.name())))?;
    if job.status == JobStatus::Succeeded {
        let text = format!("{} is resolved; there is nothing to cancel", folder.name());
        return Err(CommandError::new(text));
    }
    job.cancel(&arguments.reason, clock.now());
    if let Some(url) = database()? {
        let (id, reason) = (&job.round_id, &arguments.reason);
        // One that the database does not know is put there, so that nobody adds it from another folder.
        let plans = [shared_jobs::plan(&job)];
        let taken = shared_jobs::ask(&url, async |jobs| {
            jobs.schedule(&plans).await?;
            jobs.cancel(id, reason).await
        })?;
        taken.ok_or_else(|| not_taken(&folder))?;
    }
    jobs::store(&folder, &job)?;
    record::record(&folder, clock.now())?;
    held.release()?;
    tell(&folder, &job, arguments.output.json);
    Ok(Exit::Success)
}

fn tell(folder: &RoundFolder, job: &ResolutionJob, json: bool) {
    if json {
        document(&as_json(&folder.name(), job));
        return;
    }
    let next = job.next_attempt().map_or_else(
        || "no further attempt".to_owned(),
        |at| format!("next attempt {at}"),
    );
    line(format!(
        "{}: {}, {next}",
        folder.name(),
        job.status.as_str()
    ));
}
