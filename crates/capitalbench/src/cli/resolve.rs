//! What can be typed about resolving rounds without hand work, and about reports; no logic.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;

use super::prices::{CrossCheckChoice, SourceChoice};
use super::{Now, Output, Round, instant};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  capitalbench resolve-due --rounds-dir rounds
  capitalbench resolve-due --rounds-dir rounds --dry-run
  capitalbench resolve-due --rounds-dir rounds --max 3 --cross-check yahoo --json

For every round whose job is due: prices of the whole universe, score, report; then the boards. Safe
every minute and from several machines that share the folder: a round belongs to one worker at a
time, and one whose worker died is taken up again when its lease has expired. A failed attempt is
tried again later and later, at most 30 times; automation-status and status show the last error.
A used-up plan is no failure: the round goes on when the plan allows.

Exit codes: 0 nothing failed, 1 an attempt failed, 2 could not run.")]
pub(crate) struct ResolveDue {
    #[command(flatten)]
    pub(crate) rounds: RoundsDir,
    /// Where the boards are made anew, in latest/ and cumulative/ by track; default: boards beside
    /// the rounds
    #[arg(long, value_name = "DIR")]
    pub(crate) boards_dir: Option<PathBuf>,
    /// Resolve at most this many rounds
    #[arg(long, value_name = "N")]
    pub(crate) max: Option<usize>,
    #[command(flatten)]
    pub(crate) source: SourceChoice,
    #[command(flatten)]
    pub(crate) cross_check: CrossCheckChoice,
    /// Name of this worker in leases
    #[arg(long, value_name = "NAME")]
    pub(crate) worker_id: Option<String>,
    /// How long a round stays with a worker that gives no sign of life
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = lease)]
    pub(crate) lease_seconds: Duration,
    /// Say what is due, write nothing and ask nobody
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) now: Now,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  DATABASE_URL=… capitalbench worker --rounds-dir rounds
  DATABASE_URL=… capitalbench worker --rounds-dir rounds --once --json
  DATABASE_URL=… capitalbench worker --concurrency 4 --lease 120 --poll 10

Jobs lie in the database; accept-run puts them there, and a worker that starts adds those of its
folder. Each job belongs to one worker at a time, under a lease that it renews; one whose worker died
is taken up by another when the lease has expired. A failed attempt is tried again later and later
and given up after 30, which automation-status shows. Whenever nothing is left to do after a round was
resolved, the boards are made anew and the public database is synced.

SIGTERM and Ctrl-C give back what is under way at its next request; it costs no attempt.
Exit codes: 0 stopped or nothing failed, 1 with --once an attempt failed, 2 could not run.")]
pub(crate) struct Worker {
    #[command(flatten)]
    pub(crate) rounds: RoundsDir,
    /// Where the boards are made anew; default: boards beside the rounds
    #[arg(long, value_name = "DIR")]
    pub(crate) boards_dir: Option<PathBuf>,
    /// End when no job is due
    #[arg(long)]
    pub(crate) once: bool,
    /// How long to wait when no job is due
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = lease)]
    pub(crate) poll: Duration,
    /// How long a job stays with a worker that gives no sign of life
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = lease)]
    pub(crate) lease: Duration,
    /// Jobs at the same time
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) concurrency: u16,
    #[command(flatten)]
    pub(crate) source: SourceChoice,
    #[command(flatten)]
    pub(crate) cross_check: CrossCheckChoice,
    /// Name of this worker in leases
    #[arg(long = "worker-id", value_name = "NAME")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

fn lease(text: &str) -> Result<Duration, String> {
    let seconds: u64 = text.parse().unwrap_or(0);
    let usable = (1..=86_400).contains(&seconds);
    usable
        .then(|| Duration::from_secs(seconds))
        .ok_or_else(|| "use a number of seconds from 1 to 86400".to_owned())
}

#[derive(Debug, Clone, Args)]
pub(crate) struct RoundsDir {
    /// A folder of rounds
    #[arg(long = "rounds-dir", value_name = "DIR", default_value = "rounds")]
    pub(crate) path: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  capitalbench automation-status --rounds-dir rounds

Exit codes: 0 shown, 1 a job cannot be read, 2 could not run.")]
pub(crate) struct AutomationStatus {
    #[command(flatten)]
    pub(crate) rounds: RoundsDir,
    #[command(flatten)]
    pub(crate) now: Now,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  capitalbench automation-retry --round rounds/CB-2026-12-07-1W
  capitalbench automation-retry --round rounds/CB-2026-12-07-1W \\
      --next-attempt-at-utc 2026-12-16T02:00:00Z

A job that failed, was cancelled or names another run than the record is scheduled anew; a round with
a record and no job gets one. Exit codes: 0 scheduled, 2 could not run.")]
pub(crate) struct AutomationRetry {
    #[command(flatten)]
    pub(crate) round: Round,
    /// When to try; by default as soon as it is due
    #[arg(long, value_name = "INSTANT", value_parser = instant)]
    pub(crate) next_attempt_at_utc: Option<Timestamp>,
    #[command(flatten)]
    pub(crate) now: Now,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  capitalbench automation-cancel --round rounds/CB-2026-12-07-1W --reason \"only 4 of 8 models\"

Exit codes: 0 cancelled, 2 could not run.")]
pub(crate) struct AutomationCancel {
    #[command(flatten)]
    pub(crate) round: Round,
    /// Why, for readers of the record
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) now: Now,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  capitalbench publish-report --round rounds/CB-2026-12-07-1W

Writes results/report.md of the run and, once the round is resolved, results/report.svg. The report of
an open round tells decisions only. Exit codes: 0 written, 2 could not run.")]
pub(crate) struct PublishReport {
    #[command(flatten)]
    pub(crate) round: Round,
    /// The run; by default the official one
    #[arg(long)]
    pub(crate) run_id: Option<String>,
    #[command(flatten)]
    pub(crate) now: Now,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  capitalbench publish-round-summary --round rounds/CB-2026-12-07-1M \\
      --official-run-id official-1 --stability-run-id stability-1

Writes round_summary.md of the round. Exit codes: 0 written, 2 could not run.")]
pub(crate) struct PublishRoundSummary {
    #[command(flatten)]
    pub(crate) round: Round,
    /// The run that is ranked
    #[arg(long)]
    pub(crate) official_run_id: String,
    /// The run of replicates
    #[arg(long)]
    pub(crate) stability_run_id: String,
    #[command(flatten)]
    pub(crate) now: Now,
    #[command(flatten)]
    pub(crate) output: Output,
}
