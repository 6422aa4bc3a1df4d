//! `automation/resolution_job.yaml`: what was planned for the exit.

use serde::Deserialize;

use super::utf8;
use crate::error::Fault;
use crate::yaml::from_yaml;

/// The part of a resolution job that others can check.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Job {
    /// The round.
    pub round_id: String,
    /// The run to be scored.
    pub run_id: String,
    /// scheduled, running, succeeded, failed or cancelled.
    pub status: String,
    /// Why it did not succeed.
    #[serde(default)]
    pub last_error: Option<String>,
}

/// Reads a job.
pub fn parse(bytes: &[u8]) -> Result<Job, Fault> {
    Ok(from_yaml(utf8(bytes)?)?)
}
