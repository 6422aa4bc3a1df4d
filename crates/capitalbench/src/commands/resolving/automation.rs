//! `automation-status`, `automation-retry` and `automation-cancel`: the jobs of rounds.

use capitalbench_core::round::resolution_job::ResolutionJob;
use capitalbench_database::jobs::Job;
use capitalbench_operations::resolving::job::{AllJobs, FolderJob, all_jobs, cancel, retry};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::cli::{AutomationCancel, AutomationRetry, AutomationStatus};
use crate::config::operator;
use crate::console::{DIM, ERROR, Table, complain, document, is_json, line, or_none, paint, show};
use crate::error::{Error, Exit};

const JOBS: Table<'static> = Table {
    header: "round | run | status | attempts > | due | next attempt | last error",
    drawn: &[],
    spare: &[4, 1],
    dim_from: None,
};

/// A job, wherever it is kept.
struct Row {
    round: String,
    run: String,
    status: String,
    needs_attention: bool,
    attempts: u32,
    max_attempts: u32,
    due: Timestamp,
    next: Option<Timestamp>,
    last_error: String,
    completed: Option<Timestamp>,
    held_by: Option<String>,
}

impl Row {
    fn of_folder(own: FolderJob, now: Timestamp) -> Self {
        let job = own.job;
        let is_late = job.is_due(now) && own.held_by.is_none();
        Self {
            round: own.round,
            run: job.run_id.to_string(),
            status: job.status.as_str().to_owned(),
            needs_attention: is_late || job.is_exhausted(),
            attempts: job.attempts,
            max_attempts: job.max_attempts,
            due: job.due_at,
            next: job.next_attempt(),
            last_error: job.last_error,
            completed: job.completed_at,
            held_by: own.held_by.map(|holder| holder.who),
        }
    }

    fn of_database(job: Job) -> Self {
        Self {
            round: job.round_id.to_string(),
            run: job.run_id.to_string(),
            needs_attention: matches!(job.status.as_str(), "given_up" | "failed"),
            status: job.status,
            attempts: job.attempts,
            max_attempts: job.max_attempts,
            due: job.due_at,
            next: job.next_attempt_at,
            last_error: job.last_error,
            completed: job.completed_at,
            held_by: job.lease_holder,
        }
    }

    fn to_json(&self) -> Value {
        let text = |at: Option<Timestamp>| at.map(|at| at.to_string());
        json!({
            "round_id": self.round,
            "run_id": self.run,
            "status": self.status,
            "attempts": self.attempts,
            "max_attempts": self.max_attempts,
            "due_at_utc": self.due.to_string(),
            "next_attempt_at_utc": text(self.next),
            "last_error": self.last_error,
            "completed_at_utc": text(self.completed),
            "held_by": self.held_by,
        })
    }

    fn cells(&self) -> Vec<String> {
        let status = if self.needs_attention {
            paint(ERROR, &self.status)
        } else {
            self.status.clone()
        };
        vec![
            self.round.clone(),
            self.run.clone(),
            status,
            self.attempts.to_string(),
            self.due.to_string(),
            or_none(self.next),
            self.last_error.clone(),
        ]
    }
}

pub(crate) fn status(arguments: &AutomationStatus) -> Result<Exit, Error> {
    let operator = operator(arguments.now.instant)?;
    let now = operator.now();
    let (rows, unreadable): (Vec<Row>, _) = match all_jobs(&operator, &arguments.rounds.folder)? {
        AllJobs::Shared(jobs) => (jobs.into_iter().map(Row::of_database).collect(), Vec::new()),
        AllJobs::Folders { jobs, unreadable } => {
            let rows = jobs.into_iter().map(|own| Row::of_folder(own, now));
            (rows.collect(), unreadable)
        }
    };
    if is_json() {
        let jobs: Vec<Value> = rows.iter().map(Row::to_json).collect();
        document(&json!({"jobs": jobs, "unreadable": unreadable}));
        return Ok(Exit::of(unreadable.is_empty()));
    }
    line(JOBS.render(rows.iter().map(Row::cells).collect()));
    for row in &rows {
        if let Some(holder) = &row.held_by {
            line(paint(DIM, format!("{} is with {holder}", row.round)));
        }
    }
    complain(&unreadable);
    Ok(Exit::of(unreadable.is_empty()))
}

pub(crate) fn run_retry(arguments: &AutomationRetry) -> Result<Exit, Error> {
    let operator = operator(arguments.now.instant)?;
    let next = arguments.next_attempt_at_utc;
    let job = retry(&operator, &arguments.round.path, next)?;
    Ok(tell(job, operator.now()))
}

pub(crate) fn run_cancel(arguments: &AutomationCancel) -> Result<Exit, Error> {
    let operator = operator(arguments.now.instant)?;
    let job = cancel(&operator, &arguments.round.path, &arguments.reason)?;
    Ok(tell(job, operator.now()))
}

fn tell(job: ResolutionJob, now: Timestamp) -> Exit {
    let own = FolderJob {
        round: job.round_id.to_string(),
        job,
        held_by: None,
    };
    let row = Row::of_folder(own, now);
    let next = next_attempt(row.next);
    let text = || line(format!("{}: {}, {next}", row.round, row.status));
    show(|| row.to_json(), text);
    Exit::Success
}

/// When a job is tried again, in words.
pub(in crate::commands) fn next_attempt(at: Option<Timestamp>) -> String {
    let at = at.map(|at| format!("next attempt {at}"));
    at.unwrap_or_else(|| "no further attempt".to_owned())
}
