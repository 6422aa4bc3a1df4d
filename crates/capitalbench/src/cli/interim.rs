//! What can be typed about provisional tracking; no logic.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use jiff::civil::Date;

use super::prices::SourceChoice;
use super::resolve::RoundsDir;
use super::{Now, Output, Round, day};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  capitalbench update-interim-performance --rounds-dir rounds --snapshot-date 2026-12-09 --track all
  capitalbench update-interim-performance --rounds-dir rounds --snapshot-date 2026-12-09 --skip-fetch

Fetches the day's closes of the whole universe once, into ../market_data/daily_price_snapshots beside
the rounds, and rewrites prices/weekly_prices.csv and results/weekly_performance.csv of every open
round. These are price returns, distributions not included; they are provisional and enter no score
and no rank. Exit codes: 0 done, 1 a round could not be tracked, 2 could not run.")]
pub(crate) struct UpdateInterimPerformance {
    #[command(flatten)]
    pub(crate) rounds: RoundsDir,
    /// The day whose closes are wanted
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub(crate) snapshot_date: Date,
    /// Folder of the daily snapshots; by default beside the rounds
    #[arg(long, value_name = "DIR")]
    pub(crate) snapshots_dir: Option<PathBuf>,
    /// The round whose universe is fetched; by default the largest of an open round
    #[arg(long, value_name = "ROUND")]
    pub(crate) universe_round: Option<String>,
    /// Which rounds are tracked
    #[arg(long, value_enum, default_value = "monthly")]
    pub(crate) track: TrackChoice,
    #[command(flatten)]
    pub(crate) manner: SnapshotManner,
    #[command(flatten)]
    pub(crate) source: SourceChoice,
    /// Go on with the snapshots that are there when the fetch fails
    #[arg(long)]
    pub(crate) soft_fail: bool,
    /// Say what would be done, ask nobody and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) now: Now,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct SnapshotManner {
    /// Ask nobody; use the snapshots that are there
    #[arg(long)]
    pub(crate) skip_fetch: bool,
    /// Replace the snapshot of the day
    #[arg(long, conflicts_with = "skip_fetch")]
    pub(crate) overwrite_snapshot: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TrackChoice {
    /// Rounds of one week
    Weekly,
    /// Rounds of one month
    Monthly,
    /// Both
    All,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  capitalbench update-weekly-performance --round rounds/CB-2026-12-07-1W --run-id official-1 \\
      --snapshot-price-file closes-09.csv --snapshot-date 2026-12-09

The days are the entry and those given here; price returns, distributions not included, provisional.
Exit codes: 0 written, 2 could not run.")]
pub(crate) struct UpdateWeeklyPerformance {
    #[command(flatten)]
    pub(crate) round: Round,
    /// The run that is tracked
    #[arg(long)]
    pub(crate) run_id: String,
    /// A price file; give it together with its day, as often as needed
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) snapshot_price_file: Vec<PathBuf>,
    /// The day of the price file in the same place
    #[arg(long, value_name = "DAY", value_parser = day, required = true)]
    pub(crate) snapshot_date: Vec<Date>,
    #[command(flatten)]
    pub(crate) output: Output,
}
