//! Flags of the verbs that show or write results across rounds.

use std::path::PathBuf;

use clap::Args;

use super::shared::{Now, Round, Rounds, TrackName};
use super::store::StoreChoice;

/// Show how models stand, and what may be claimed
///
/// Intervals are 95 %. Windows overlap, so rounds are worth fewer effective windows; the heading
/// says how many.
///
/// $ capitalbench leaderboard                              the current sets
///
/// $ capitalbench leaderboard --track weekly --as-of 2026-08-21
///
/// $ capitalbench leaderboard --set weekly-set-2026-06-09  any set, with its rounds
///
/// $ capitalbench leaderboard --round CB-2026-08-04-1W     one round
///
/// $ capitalbench leaderboard --at 1200                    as signed at that log size
///
/// $ capitalbench leaderboard --at checkpoint-of-march     at a checkpoint you kept
///
/// $ capitalbench leaderboard --store s3://bench/rounds    rounds of a store
///
/// Exit codes: 0 shown, 1 there is nothing to show yet, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct Leaderboard {
    #[command(flatten)]
    pub(crate) rounds: Rounds,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    /// Only this track
    #[arg(long, value_enum)]
    pub(crate) track: Option<TrackName>,
    /// One comparison set by its id
    #[arg(long, value_name = "SET_ID", conflicts_with = "round")]
    pub(crate) set: Option<String>,
    /// One round by its id; an open one shows decisions only
    #[arg(long, value_name = "ROUND_ID")]
    pub(crate) round: Option<String>,
    /// The board at a checkpoint of the signed log: its size, its root in hex or base64, or a file
    #[arg(long, value_name = "CHECKPOINT")]
    pub(crate) at: Option<String>,
}

/// Compare models on the rounds they share
///
/// Only resolved rounds that all of them completed count; nobody is backfilled.
///
/// $ capitalbench compare openai-gpt-5-5 xai-grok-4-3 --track weekly
///
/// Exit codes: 0 compared, 1 they share no resolved round, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// Ids of two or more models
    #[arg(required = true, num_args = 2.., value_name = "MODEL")]
    pub(crate) models: Vec<String>,
    #[command(flatten)]
    pub(crate) rounds: Rounds,
    /// Only this track
    #[arg(long, value_enum)]
    pub(crate) track: Option<TrackName>,
}

/// Let an assistant ask the record, read-only, by MCP
///
/// Speaks the Model Context Protocol on standard input and output. Its tools are boards, rounds,
/// round, models, model, explain and verify; none writes, pays or trades, and no answer has more
/// than 200,000 bytes. docs/data.md shows how an assistant is set up.
///
/// $ capitalbench mcp --rounds-dir rounds
///
/// Exit codes: 0 the input ended, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct Mcp {
    #[command(flatten)]
    pub(crate) rounds: Rounds,
}

/// Say whether a model's record differs from luck
///
/// Sentences compare it with luck, with the reference and with the other models. How every number is
/// made: docs/statistics.md.
///
/// $ capitalbench explain xai-grok-4-3
///
/// $ capitalbench explain xai-grok-4-3 --track weekly --as-of 2026-08-21
///
/// Exit codes: 0 explained, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The model's id
    pub(crate) model: String,
    /// Only this track
    #[arg(long, value_enum)]
    pub(crate) track: Option<TrackName>,
    #[command(flatten)]
    pub(crate) rounds: Rounds,
}

/// Show which rounds the boards count
///
/// $ capitalbench cumulative-status --rounds-dir rounds --track monthly
///
/// Exit codes: 0 shown, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct CumulativeStatus {
    #[command(flatten)]
    pub(crate) rounds: Rounds,
    /// Only this track
    #[arg(long, value_enum)]
    pub(crate) track: Option<TrackName>,
}

/// Write the result of the latest resolved round
///
/// Writes latest_round_leaderboard.csv, as it was scored, and latest_round_report.md. The latest
/// round has the last exit, then the last deadline.
///
/// $ capitalbench publish-latest --rounds-dir rounds --output latest --track weekly
///
/// Exit codes: 0 written, 1 no round is resolved, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct PublishLatest {
    #[command(flatten)]
    pub(crate) rounds: Rounds,
    /// Where the files go
    #[arg(long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// Only this track
    #[arg(long, value_enum)]
    pub(crate) track: Option<TrackName>,
}

/// Write the boards across rounds
///
/// Writes official_leaderboard.csv, stability_leaderboard.csv, round_index.csv and
/// cumulative_report.md. Tracks are never mixed: without --track they go into weekly/ and monthly/,
/// with it straight into the folder.
///
/// $ capitalbench publish-cumulative --rounds-dir rounds --output cumulative
///
/// $ capitalbench publish-cumulative --output cumulative --track weekly
///
/// Exit codes: 0 written, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct PublishCumulative {
    #[command(flatten)]
    pub(crate) rounds: Rounds,
    /// Where the files go
    #[arg(long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// Only this track
    #[arg(long, value_enum)]
    pub(crate) track: Option<TrackName>,
}

/// Write the report of a run
///
/// Writes results/report.md of the run and, once the round is resolved, the chart
/// results/report.svg. The report of an open round tells decisions only.
///
/// $ capitalbench publish-report --round rounds/CB-2026-12-07-1W
///
/// Exit codes: 0 written, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct PublishReport {
    #[command(flatten)]
    pub(crate) round: Round,
    /// The run; by default the official one
    #[arg(long)]
    pub(crate) run_id: Option<String>,
    #[command(flatten)]
    pub(crate) now: Now,
}

/// Write a summary of a round's two runs
///
/// Writes round_summary.md of the round, from its official run and its consistency run.
///
/// $ capitalbench publish-round-summary --round rounds/CB-2026-12-07-1M --official-run-id
/// official-1 --stability-run-id stability-1
///
/// Exit codes: 0 written, 2 could not run.
#[derive(Debug, Args)]
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
}
