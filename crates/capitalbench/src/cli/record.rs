//! Flags of the verbs around the record of a round; no logic.

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use jiff::Timestamp;

use super::{Now, Output, Round, instant};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  capitalbench accept-run --round rounds/CB-2026-12-07-1W --run-id official-20261207
  capitalbench accept-run --round rounds/CB-2026-12-07-1W --run-id official-2 --supersede \
      --reason revoked-key

Writes acceptance.json into the run, with the digests of what was accepted; nothing is ever edited.
The job in automation/resolution_job.yaml lets resolve-due do the rest.
In a round with `proof: anchored` the picks are stamped by the clocks of CAPITALBENCH_TSA_URLS, and the
acceptance is complete only once a stamp before the entry close is there; run it again after `anchor`.
Every reason against it is told at once. Exit codes: 0 accepted, 1 refused or not complete, 2 could not run.")]
pub(crate) struct AcceptRun {
    #[command(flatten)]
    pub(crate) round: Round,
    /// The run that becomes the record
    #[arg(long)]
    pub(crate) run_id: String,
    /// Let it take the place of the run that is the record now; needs --reason, and is refused after
    /// the entry close
    #[arg(long, requires = "reason")]
    pub(crate) supersede: bool,
    /// Why, for readers of the record
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) reason: Option<String>,
    /// Resolve the round at this instant; by default when the rows of its exit day are final
    #[arg(long, value_name = "INSTANT", value_parser = instant)]
    pub(crate) due_at_utc: Option<Timestamp>,
    /// Let resolve-due leave the round alone
    #[arg(long, conflicts_with = "due_at_utc")]
    pub(crate) no_schedule_resolution: bool,
    #[command(flatten)]
    pub(crate) now: Now,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  capitalbench compare-runs --round rounds/CB-2026-12-07-1W official-1 official-2

The overlap is the share of the portfolio that both runs hold alike.
Exit codes: 0 compared, 2 could not run.")]
pub(crate) struct CompareRuns {
    #[command(flatten)]
    pub(crate) round: Round,
    /// One run
    pub(crate) first: String,
    /// The other run
    pub(crate) second: String,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  capitalbench show-controls --round rounds/CB-2026-12-07-1W

Controls follow the limits of the round and cost nothing. The random one is drawn by a seed that
the freeze fixes. Exit codes: 0 shown, 2 could not run.")]
pub(crate) struct ShowControls {
    #[command(flatten)]
    pub(crate) round: Round,
    #[command(flatten)]
    pub(crate) output: Output,
}
