//! `automation/resolution_job.yaml`: when the round is to be resolved, and how attempts went.

use std::fmt::Write as _;

use capitalbench_core::round::resolution_job::{JobStatus, MAX_ATTEMPTS, ResolutionJob};
use capitalbench_core::values::ids::{RoundId, RunId};
use capitalbench_core::values::time::WrittenInstant;
use jiff::{Timestamp, Unit};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::disk::error::Fault;
use crate::format::text::scalar::yaml_text;
use crate::format::utf8;
use capitalbench_core::encoding::yaml::from_yaml;

const JOB_TYPE: &str = "resolve_round";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    #[serde(default, rename = "job_id")]
    _job_id: Option<String>,
    round_id: RoundId,
    run_id: RunId,
    job_type: Option<String>,
    due_at_utc: WrittenInstant,
    #[serde(default, deserialize_with = "instant")]
    next_attempt_at_utc: Option<Timestamp>,
    status: String,
    #[serde(default)]
    attempts: u32,
    max_attempts: Option<u32>,
    last_error: Option<String>,
    #[serde(default, deserialize_with = "instant")]
    created_at_utc: Option<Timestamp>,
    #[serde(default, deserialize_with = "instant")]
    locked_at_utc: Option<Timestamp>,
    #[serde(default, deserialize_with = "instant")]
    completed_at_utc: Option<Timestamp>,
    #[serde(default, deserialize_with = "instant")]
    cancelled_at_utc: Option<Timestamp>,
}

/// An instant that may be null or blank.
fn instant<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
    let text = Option::<String>::deserialize(from)?.unwrap_or_default();
    if text.is_empty() {
        return Ok(None);
    }
    let wrong = || D::Error::custom(format!("{text:?} is not an instant"));
    Ok(Some(WrittenInstant::parse(&text).ok_or_else(wrong)?.at()))
}

pub fn parse(bytes: &[u8]) -> Result<ResolutionJob, Fault> {
    let stored: Stored = from_yaml(utf8(bytes)?)?;
    if let Some(other) = stored.job_type.filter(|kind| kind != JOB_TYPE) {
        return Err(Fault::field("job_type", format!("{other:?} is not known")));
    }
    let status = JobStatus::parse(&stored.status).ok_or_else(|| {
        let words = "must be scheduled, running, succeeded, failed or cancelled";
        Fault::field("status", words)
    })?;
    Ok(ResolutionJob {
        round_id: stored.round_id,
        run_id: stored.run_id,
        due_at: stored.due_at_utc.at(),
        next_attempt_at: stored.next_attempt_at_utc,
        status,
        attempts: stored.attempts,
        max_attempts: stored.max_attempts.unwrap_or(MAX_ATTEMPTS),
        last_error: stored.last_error.unwrap_or_default(),
        created_at: stored.created_at_utc,
        locked_at: stored.locked_at_utc,
        completed_at: stored.completed_at_utc,
        cancelled_at: stored.cancelled_at_utc,
    })
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
