//! `automation/resolution_job.yaml`: what was planned for the exit.

use std::fmt::Write as _;

use capitalbench_core::round::resolution_job::{JobStatus, MAX_ATTEMPTS, ResolutionJob};
use capitalbench_core::values::ids::{RoundId, RunId};
use capitalbench_core::values::time::Stamp;
use jiff::{Timestamp, Unit};
use serde::Deserialize;

use crate::disk::error::Fault;
use crate::format::text::scalar::yaml_text;
use crate::format::utf8;
use capitalbench_core::encoding::yaml::from_yaml;

const JOB_TYPE: &str = "resolve_round";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    #[serde(default, rename = "job_id")]
    _job_id: Option<String>,
    round_id: String,
    run_id: String,
    #[serde(default)]
    job_type: Option<String>,
    due_at_utc: String,
    #[serde(default)]
    next_attempt_at_utc: Option<String>,
    status: String,
    #[serde(default)]
    attempts: u32,
    #[serde(default)]
    max_attempts: Option<u32>,
    #[serde(default)]
    last_error: Option<String>,
    #[serde(default)]
    created_at_utc: Option<String>,
    #[serde(default)]
    locked_at_utc: Option<String>,
    #[serde(default)]
    completed_at_utc: Option<String>,
    #[serde(default)]
    cancelled_at_utc: Option<String>,
}

/// Reads a job.
pub fn parse(bytes: &[u8]) -> Result<ResolutionJob, Fault> {
    let fields: Fields = from_yaml(utf8(bytes)?)?;
    if let Some(other) = fields.job_type.filter(|kind| kind != JOB_TYPE) {
        return Err(Fault::field("job_type", format!("{other:?} is not known")));
    }
    let status = JobStatus::parse(&fields.status).ok_or_else(|| {
        let words = "scheduled, running, succeeded, failed or cancelled";
        Fault::field("status", format!("{:?} is not {words}", fields.status))
    })?;
    let wrong = |field: &'static str| {
        move |error: capitalbench_core::values::ids::IdError| Fault::field(field, error.to_string())
    };
    let optional = |field: &'static str, text: Option<String>| -> Result<_, Fault> {
        let text = text.filter(|text| !text.is_empty());
        text.map(|text| instant(field, &text)).transpose()
    };
    Ok(ResolutionJob {
        round_id: RoundId::parse(&fields.round_id).map_err(wrong("round_id"))?,
        run_id: RunId::parse(&fields.run_id).map_err(wrong("run_id"))?,
        due_at: instant("due_at_utc", &fields.due_at_utc)?,
        next_attempt_at: optional("next_attempt_at_utc", fields.next_attempt_at_utc)?,
        status,
        attempts: fields.attempts,
        max_attempts: fields.max_attempts.unwrap_or(MAX_ATTEMPTS),
        last_error: fields.last_error.unwrap_or_default(),
        created_at: optional("created_at_utc", fields.created_at_utc)?,
        locked_at: optional("locked_at_utc", fields.locked_at_utc)?,
        completed_at: optional("completed_at_utc", fields.completed_at_utc)?,
        cancelled_at: optional("cancelled_at_utc", fields.cancelled_at_utc)?,
    })
}

fn instant(field: &str, text: &str) -> Result<Timestamp, Fault> {
    let stamp = Stamp::parse(text);
    let wrong = || Fault::field(field, format!("{text:?} is not an instant"));
    stamp.map(|stamp| stamp.at()).ok_or_else(wrong)
}

/// The text of a job, member by member as the archive writes them.
pub fn render(job: &ResolutionJob) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{name}: {value}");
    };
    let or_null = |at: Option<Timestamp>| at.map_or_else(|| "null".to_owned(), quoted);
    line("job_id", &job.job_id());
    line("round_id", &yaml_text(job.round_id.as_str()));
    line("run_id", &yaml_text(job.run_id.as_str()));
    line("job_type", JOB_TYPE);
    line("due_at_utc", &quoted(job.due_at));
    line("next_attempt_at_utc", &or_null(job.next_attempt_at));
    line("status", job.status.as_str());
    line("attempts", &job.attempts.to_string());
    line("max_attempts", &job.max_attempts.to_string());
    line("last_error", &yaml_text(&job.last_error));
    for (name, at) in [
        ("created_at_utc", job.created_at),
        ("locked_at_utc", job.locked_at),
        ("completed_at_utc", job.completed_at),
        ("cancelled_at_utc", job.cancelled_at),
    ] {
        if let Some(at) = at {
            line(name, &quoted(at));
        }
    }
    text
}

/// An instant to the microsecond, with the offset spelled out.
fn quoted(at: Timestamp) -> String {
    let rounded = at.round(Unit::Microsecond).unwrap_or(at).to_string();
    format!("'{}+00:00'", rounded.trim_end_matches('Z'))
}

#[cfg(test)]
mod tests;
