//! The plan to resolve a round: when, how often it was tried, and why it did not succeed yet.

use jiff::{SignedDuration, Timestamp};

use crate::values::ids::{RoundId, RunId};
use crate::values::words::words;

/// How often a job is tried.
pub const MAX_ATTEMPTS: u32 = 30;
/// The wait after the first failure; it doubles from one failure to the next.
const FIRST_WAIT: SignedDuration = SignedDuration::from_mins(5);
/// The longest wait between two attempts.
const LONGEST_WAIT: SignedDuration = SignedDuration::from_hours(12);
/// The longest error that is kept.
const LONGEST_ERROR: usize = 600;

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobStatus {
    /// Waits for its time.
    Scheduled,
    /// A worker holds it, or stopped before it finished.
    Running,
    /// The round is resolved.
    Succeeded,
    /// The last attempt failed.
    Failed,
    /// The operator ended it; no worker tries it.
    Cancelled,
}

words!(JobStatus {
    Scheduled => "scheduled",
    Running => "running",
    Succeeded => "succeeded",
    Failed => "failed",
    Cancelled => "cancelled",
});

/// The job of one round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolutionJob {
    pub round_id: RoundId,
    /// The run that will be scored.
    pub run_id: RunId,
    /// The first moment at which it can succeed.
    pub due_at: Timestamp,
    /// When it is tried next; none means when it is due, or never once attempts are used up.
    pub next_attempt_at: Option<Timestamp>,
    /// Where it stands.
    pub status: JobStatus,
    /// Attempts so far.
    pub attempts: u32,
    /// Attempts at most.
    pub max_attempts: u32,
    /// Why the last attempt did not succeed, or why the job was cancelled; empty when all is well.
    pub last_error: String,
    /// When it was made, where that was noted.
    pub created_at: Option<Timestamp>,
    /// When the attempt under way began.
    pub locked_at: Option<Timestamp>,
    /// When it succeeded.
    pub completed_at: Option<Timestamp>,
    pub cancelled_at: Option<Timestamp>,
}

impl ResolutionJob {
    /// A new job.
    pub fn schedule(round_id: RoundId, run_id: RunId, due_at: Timestamp, now: Timestamp) -> Self {
        Self {
            round_id,
            run_id,
            due_at,
            next_attempt_at: Some(due_at),
            status: JobStatus::Scheduled,
            attempts: 0,
            max_attempts: MAX_ATTEMPTS,
            last_error: String::new(),
            created_at: Some(now),
            locked_at: None,
            completed_at: None,
            cancelled_at: None,
        }
    }

    /// The name of the job.
    pub fn job_id(&self) -> String {
        format!("{}:{}:resolve_round", self.round_id, self.run_id)
    }

    /// Whether every attempt is used up.
    pub fn is_exhausted(&self) -> bool {
        self.attempts >= self.max_attempts
            && matches!(self.status, JobStatus::Failed | JobStatus::Running)
    }

    /// When it may be tried; none once it has ended.
    ///
    /// A job that is running may be tried too: only whoever holds the round may ask, so the worker
    /// that set it running is gone.
    pub fn next_attempt(&self) -> Option<Timestamp> {
        match self.status {
            JobStatus::Succeeded | JobStatus::Cancelled => None,
            _ if self.attempts >= self.max_attempts => None,
            JobStatus::Running => Some(self.due_at),
            JobStatus::Scheduled | JobStatus::Failed => {
                Some(self.next_attempt_at.unwrap_or(self.due_at))
            }
        }
    }

    /// Whether it is to be tried now.
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.next_attempt().is_some_and(|next| next <= now)
    }

    /// An attempt begins.
    pub fn begin(&mut self, now: Timestamp) {
        self.status = JobStatus::Running;
        self.attempts += 1;
        self.locked_at = Some(now);
    }

    /// The attempt succeeded.
    pub fn succeed(&mut self, now: Timestamp) {
        self.status = JobStatus::Succeeded;
        self.last_error.clear();
        self.locked_at = None;
        self.completed_at = Some(now);
    }

    /// The attempt failed; the next one waits longer, and the last one has no next.
    pub fn fail(&mut self, error: &str, now: Timestamp) {
        self.status = JobStatus::Failed;
        self.last_error = one_line(error);
        self.locked_at = None;
        let left = self.attempts < self.max_attempts;
        let later = now.checked_add(wait_after(self.attempts)).unwrap_or(now);
        self.next_attempt_at = left.then_some(later);
    }

    /// A limit ended the attempt; it does not count, and the job goes on where it stopped.
    pub fn defer(&mut self, reason: &str, until: Timestamp) {
        self.status = JobStatus::Scheduled;
        self.attempts = self.attempts.saturating_sub(1);
        self.last_error = one_line(reason);
        self.locked_at = None;
        self.next_attempt_at = Some(until);
    }

    /// The operator wants it tried again; used-up attempts are given back.
    pub fn retry(&mut self, next_attempt_at: Option<Timestamp>) {
        if self.attempts >= self.max_attempts {
            self.attempts = 0;
        }
        self.status = JobStatus::Scheduled;
        self.next_attempt_at = next_attempt_at;
        self.last_error.clear();
        self.locked_at = None;
        self.completed_at = None;
        self.cancelled_at = None;
    }

    /// The operator wants it left alone.
    pub fn cancel(&mut self, reason: &str, now: Timestamp) {
        self.status = JobStatus::Cancelled;
        self.next_attempt_at = None;
        self.last_error = one_line(reason);
        self.locked_at = None;
        self.cancelled_at = Some(now);
    }
}

fn wait_after(attempts: u32) -> SignedDuration {
    let doublings = attempts.saturating_sub(1).min(16);
    (FIRST_WAIT * (1 << doublings)).min(LONGEST_WAIT)
}

/// A text on one line, without control characters, not longer than anyone would read.
fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_control() || c.is_whitespace());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let flat = words.join(" ");
    match flat.char_indices().nth(LONGEST_ERROR) {
        None => flat,
        Some((end, _)) => format!("{}…", &flat[..end]),
    }
}

#[cfg(test)]
mod tests;
