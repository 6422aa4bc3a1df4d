//! Flags of the verbs that resolve rounds without hand work.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;

use super::shared::{CrossCheckChoice, Now, Patience, Round, RoundsDir, SourceChoice, instant};
use super::store::StoreChoice;

/// Resolve every round that is due
///
/// For every round whose job is due: prices of the whole universe, score, report; then the boards.
/// It is safe to run every minute and on several machines that share the folder: one worker at a
/// time has a round, and another takes over when the lease of a dead worker has expired. A failed
/// attempt is repeated with growing pauses, at most 30 times; automation-status and status show the
/// last error. A used-up price plan is not a failure: the round continues when the plan allows.
///
/// $ capitalbench resolve-due --rounds-dir rounds
///
/// $ capitalbench resolve-due --rounds-dir rounds --dry-run
///
/// $ capitalbench resolve-due --rounds-dir rounds --max 3 --cross-check yahoo --json
///
/// Exit codes: 0 nothing failed, 1 an attempt failed, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct ResolveDue {
    #[command(flatten)]
    pub(crate) rounds: RoundsDir,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    /// Where the boards are written, in latest/ and cumulative/ by track; default: boards beside the
    /// rounds
    #[arg(long, value_name = "DIR")]
    pub(crate) boards_dir: Option<PathBuf>,
    /// Resolve at most this many rounds
    #[arg(long, value_name = "N")]
    pub(crate) max: Option<usize>,
    #[command(flatten)]
    pub(crate) source: SourceChoice,
    #[command(flatten)]
    pub(crate) cross_check: CrossCheckChoice,
    #[command(flatten)]
    pub(crate) patience: Patience,
    /// Name of this worker in leases
    #[arg(long, value_name = "NAME")]
    pub(crate) worker_id: Option<String>,
    /// How long a round stays with a worker that does not renew its lease
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds)]
    pub(crate) lease_seconds: Duration,
    /// Say what is due, write nothing and ask nobody
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) now: Now,
}

/// Resolve rounds whose jobs are in a database or a store
///
/// accept-run puts jobs into the database, and a worker that starts adds those of its folder. One
/// worker at a time has a job, under a lease that it renews; another takes over when the lease of a
/// dead worker has expired. A failed attempt is repeated with growing pauses and given up after 30,
/// which automation-status shows. When a round was resolved and nothing else is due, the worker
/// writes the boards and syncs the public database.
///
/// With --store it needs no shared folder: it claims a due round in the store, fetches that round
/// alone, resolves it here and pushes it by one conditional write. A worker that lost its claim
/// cannot push. Without DATABASE_URL the store alone says what is due; with it the jobs of the
/// database do, and a worker that starts adds those of the store. Such a worker writes no boards and
/// asks no clocks: the machine that runs the league does.
///
/// SIGTERM and Ctrl-C give back the current job at its next request; this costs no attempt.
///
/// $ DATABASE_URL=… capitalbench worker --rounds-dir rounds
///
/// $ DATABASE_URL=… capitalbench worker --rounds-dir rounds --once --json
///
/// $ DATABASE_URL=… capitalbench worker --concurrency 4 --lease 120 --poll 10
///
/// $ capitalbench worker --store s3://bench/rounds --concurrency 4
///
/// $ DATABASE_URL=… capitalbench worker --store s3://bench/rounds
///
/// Exit codes: 0 stopped or nothing failed, 1 with --once an attempt failed, 2 could not run.
#[derive(Debug, Clone, Args)]
pub(crate) struct Worker {
    #[command(flatten)]
    pub(crate) rounds: RoundsDir,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    /// Where the boards are written; default: boards beside the rounds
    #[arg(long, value_name = "DIR")]
    pub(crate) boards_dir: Option<PathBuf>,
    /// End when no job is due
    #[arg(long)]
    pub(crate) once: bool,
    /// How long to wait when no job is due
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub(crate) poll: Duration,
    /// How long a job stays with a worker that does not renew its lease
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds)]
    pub(crate) lease: Duration,
    /// Jobs at the same time
    #[arg(long, value_name = "N", default_value = "1")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) concurrency: u16,
    #[command(flatten)]
    pub(crate) source: SourceChoice,
    #[command(flatten)]
    pub(crate) cross_check: CrossCheckChoice,
    /// Name of this worker in leases
    #[arg(long = "worker-id", value_name = "NAME")]
    pub(crate) name: Option<String>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let usable = text.parse().ok().filter(|n| (1..=86_400).contains(n));
    usable
        .map(Duration::from_secs)
        .ok_or_else(|| "use a number of seconds from 1 to 86400".to_owned())
}

/// Show the job of every round and its last error
///
/// $ capitalbench automation-status --rounds-dir rounds
///
/// Exit codes: 0 shown, 1 a job cannot be read, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct AutomationStatus {
    #[command(flatten)]
    pub(crate) rounds: RoundsDir,
    #[command(flatten)]
    pub(crate) now: Now,
}

/// Schedule the job of a round again
///
/// This works for a job that failed, was cancelled or names another run than the record, and for a
/// round that has a record but no job.
///
/// $ capitalbench automation-retry --round rounds/CB-2026-12-07-1W
///
/// $ capitalbench automation-retry --round rounds/CB-2026-12-07-1W --next-attempt-at-utc
/// 2026-12-16T02:00:00Z
///
/// Exit codes: 0 scheduled, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct AutomationRetry {
    #[command(flatten)]
    pub(crate) round: Round,
    /// When to try; by default as soon as it is due
    #[arg(long, value_name = "INSTANT", value_parser = instant)]
    pub(crate) next_attempt_at_utc: Option<Timestamp>,
    #[command(flatten)]
    pub(crate) now: Now,
}

/// Cancel the job of a round
///
/// $ capitalbench automation-cancel --round rounds/CB-2026-12-07-1W --reason "only 4 of 8 models"
///
/// Exit codes: 0 cancelled, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct AutomationCancel {
    #[command(flatten)]
    pub(crate) round: Round,
    /// Why, for readers of the record
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) now: Now,
}
