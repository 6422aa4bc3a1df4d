//! Flags of the verbs that fetch prices, score runs and track open rounds.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};
use jiff::civil::Date;

use super::shared::{CrossCheckChoice, Now, Patience, Round, RoundsDir, SourceChoice, day};

/// Fetch the closes of a round's window
///
/// One request per option covers the whole window, so that entry and exit share one basis. A day
/// without its exact row fails; no other day is taken. Rows count as final at the
/// time that the file of the market names. Without --full-universe only held options, the reference
/// and cash are priced: then there is no oracle, no regret and no score.
///
/// Keys: TIINGO_API_KEY, ALPHAVANTAGE_API_KEY. Addresses: TIINGO_BASE_URL, YAHOO_BASE_URL,
/// ALPHAVANTAGE_BASE_URL. A paid Tiingo plan: TIINGO_PLAN=HOUR/DAY/SYMBOLS, with - for no limit;
/// a paid Alpha Vantage plan: ALPHAVANTAGE_PLAN=QUESTIONS_A_MINUTE, such as 75.
/// Counts of requests and the answers of an unfinished fetch are kept in .capitalbench beside the
/// rounds, or in CAPITALBENCH_STATE_DIR.
///
/// $ capitalbench fetch-prices --round rounds/my-round --full-universe
///
/// $ capitalbench fetch-prices --round rounds/my-round --full-universe --wait
///
/// $ capitalbench fetch-prices --round rounds/my-round --side entry
///
/// $ capitalbench fetch-prices --round rounds/my-round --full-universe --cross-check yahoo
///
/// Exit codes: 0 stored, 1 stopped by a limit (run it again at the instant it names) or stored
/// with doubts about the adjustment or the cross-check, 2 could not run (nothing was stored).
#[derive(Debug, Args)]
pub(crate) struct FetchPrices {
    #[command(flatten)]
    pub(crate) round: Round,
    /// Price what this run holds; by default what any run holds
    #[arg(long)]
    pub(crate) run_id: Option<String>,
    /// Day of the starting close; must be the manifest's where that names one
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub(crate) entry_date: Option<Date>,
    /// Day of the ending close; must be the manifest's where that names one
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub(crate) exit_date: Option<Date>,
    /// Price every option, not only those that are held
    #[arg(long)]
    pub(crate) full_universe: bool,
    /// entry: an informational entry sheet of a pending round; exit: the same as both sides
    #[arg(long, value_enum)]
    pub(crate) side: Option<SideChoice>,
    #[command(flatten)]
    pub(crate) source: SourceChoice,
    #[command(flatten)]
    pub(crate) cross_check: CrossCheckChoice,
    #[command(flatten)]
    pub(crate) manner: FetchManner,
    /// Ask another source than the manifest froze; the reason is kept with the prices
    #[arg(long, value_name = "REASON")]
    pub(crate) other_source: Option<String>,
    /// Believe a move of a day beyond the round's limit; the reason is kept with the prices
    #[arg(long, value_name = "REASON")]
    pub(crate) accept_moves: Option<String>,
    /// Say what would be asked, ask nobody and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) now: Now,
}

#[derive(Debug, Args)]
pub(crate) struct FetchManner {
    #[command(flatten)]
    pub(crate) patience: Patience,
    /// Replace final prices, with --correct; the old ones are kept in prices/replaced
    #[arg(long, requires = "correct")]
    pub(crate) overwrite_prices: bool,
    /// Why final prices are replaced; recorded with what changed in prices/corrections.jsonl
    #[arg(long, value_name = "REASON")]
    pub(crate) correct: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SideChoice {
    /// The starting close alone
    Entry,
    /// The ending close, with the starting close of the same answer
    Exit,
}

/// Record that an option was renamed or delisted
///
/// Prices of a renamed option are asked for by its new symbol. A delisted one keeps its last official
/// close and counts as cash from then on; a source that still has a later close refutes it. The
/// change is a new file of the round, signed like the others, and `verify` names it.
///
/// $ capitalbench record-listing --round rounds/my-round --option EURO --renamed-to FXEU
/// --on 2026-12-09 --reason "the fund was renamed"
///
/// $ capitalbench record-listing --round rounds/my-round --option EURO --delisted
/// --on 2026-12-09 --reason "the fund was closed"
///
/// Exit codes: 0 recorded, 2 could not run.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("change").required(true))]
pub(crate) struct RecordListing {
    #[command(flatten)]
    pub(crate) round: Round,
    /// The id of the option
    #[arg(long, value_name = "ID")]
    pub(crate) option: String,
    /// The symbol that vendors know it by from the day on
    #[arg(long, group = "change", value_name = "SYMBOL")]
    pub(crate) renamed_to: Option<String>,
    /// The day had the last official close
    #[arg(long, group = "change")]
    pub(crate) delisted: bool,
    /// The first day of the new symbol, or the day of the last close
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub(crate) on: Date,
    /// Where this is known from; kept with the round
    #[arg(long, value_name = "REASON")]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) now: Now,
}

/// Score a run, or every official run of a folder
///
/// Writes results/ of each run. A round is not scored before its exit close. Existing results are
/// never changed without --correct, which keeps the old ones in results/superseded.
///
/// $ capitalbench score-round --round rounds/my-round                 official run
///
/// $ capitalbench score-round --round rounds/my-round --run-id trial  another run
///
/// $ capitalbench score-round --rounds-dir rounds                     every round
///
/// $ capitalbench score-round --round rounds/my-round --correct late-dividend
///
/// Exit codes: 0 scored, 1 a round of the folder could not be scored, 2 could not run.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("rounds").required(true))]
pub(crate) struct ScoreRound {
    /// The round's folder
    #[arg(long, group = "rounds", value_name = "DIR")]
    pub(crate) round: Option<PathBuf>,
    /// The run; by default the official one
    #[arg(long, conflicts_with = "rounds_dir")]
    pub(crate) run_id: Option<String>,
    /// A folder of rounds: score every official run that has both price sheets
    #[arg(long, group = "rounds", value_name = "DIR")]
    pub(crate) rounds_dir: Option<PathBuf>,
    /// Replace existing results; recorded with what changed in corrections.jsonl
    #[arg(long, value_name = "REASON", conflicts_with = "rounds_dir")]
    pub(crate) correct: Option<String>,
    /// Score although two price sources disagree; the reason is recorded
    #[arg(long, value_name = "REASON", conflicts_with = "rounds_dir")]
    pub(crate) accept_cross_check: Option<String>,
    /// Score hand-made price sheets, which have no record of a fetch; the reason is recorded
    #[arg(long, value_name = "REASON", conflicts_with = "rounds_dir")]
    pub(crate) accept_unproved_prices: Option<String>,
    /// Compute and print, write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) now: Now,
}

/// Track every open round with the day's closes
///
/// Fetches the day's closes of the whole universe once, into ../market_data/daily_price_snapshots
/// beside the rounds, and rewrites prices/weekly_prices.csv and results/weekly_performance.csv of
/// every open round. These are price returns without distributions; they are provisional and enter
/// no score and no rank.
///
/// $ capitalbench update-interim-performance --rounds-dir rounds --snapshot-date 2026-12-09
/// --track all
///
/// $ capitalbench update-interim-performance --rounds-dir rounds --snapshot-date 2026-12-09
/// --skip-fetch
///
/// Exit codes: 0 tracked, 1 a round could not be tracked, 2 could not run.
#[derive(Debug, Args)]
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
    #[command(flatten)]
    pub(crate) patience: Patience,
    /// Use the existing snapshots when the fetch fails
    #[arg(long)]
    pub(crate) soft_fail: bool,
    /// Say what would be done, ask nobody and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) now: Now,
}

#[derive(Debug, Args)]
pub(crate) struct SnapshotManner {
    /// Ask nobody; use the existing snapshots
    #[arg(long)]
    pub(crate) skip_fetch: bool,
    /// Replace the snapshot of the day
    #[arg(long, conflicts_with = "skip_fetch")]
    pub(crate) overwrite_snapshot: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TrackChoice {
    /// Rounds of a week
    Weekly,
    /// Rounds of a month
    Monthly,
    /// Both
    All,
}

/// Track one run with price files of your own
///
/// The days are the entry and those given here. These are price returns without distributions, and
/// provisional.
///
/// $ capitalbench update-weekly-performance --round rounds/CB-2026-12-07-1W --run-id official-1
/// --snapshot-price-file closes-09.csv --snapshot-date 2026-12-09
///
/// Exit codes: 0 written, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct UpdateWeeklyPerformance {
    #[command(flatten)]
    pub(crate) round: Round,
    /// The run that is tracked
    #[arg(long)]
    pub(crate) run_id: String,
    /// A price file; may be repeated, each with its --snapshot-date
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) snapshot_price_file: Vec<PathBuf>,
    /// The day of the price file in the same place
    #[arg(long, value_name = "DAY", value_parser = day, required = true)]
    pub(crate) snapshot_date: Vec<Date>,
}
