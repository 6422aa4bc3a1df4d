//! What can be typed about prices and scores.

use std::path::PathBuf;

use capitalbench_core::market::cross_check::DEFAULT_TOLERANCE_BPS;
use clap::{ArgGroup, Args, ValueEnum};
use jiff::civil::Date;

use super::{Now, Output, Round, day};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  capitalbench fetch-prices --round rounds/CB-2026-12-07-1W --full-universe
  capitalbench fetch-prices --round rounds/CB-2026-12-07-1W --full-universe --wait
  capitalbench fetch-prices --round rounds/CB-2026-12-07-1W --side entry
  capitalbench fetch-prices --round rounds/CB-2026-12-07-1W --full-universe --cross-check yahoo

One question per option covers the whole window, so that entry and exit share one basis. A day
without its exact row fails; no other day is taken. Rows count as final at 20:15 in New York.
Without --full-universe only held options, the reference and cash are priced: then there is no
oracle, no regret and no score.

Keys: TIINGO_API_KEY, ALPHAVANTAGE_API_KEY. Addresses: TIINGO_BASE_URL, YAHOO_BASE_URL,
ALPHAVANTAGE_BASE_URL. A paid Tiingo plan: TIINGO_PLAN=HOUR/DAY/SYMBOLS, - for no limit.
Questions asked and answers of an unfinished fetch are kept in .capitalbench beside the rounds, or
in CAPITALBENCH_STATE_DIR.

Exit codes: 0 stored, 1 stopped by a limit (run it again at the instant it names) or stored with
doubts about the adjustment or the cross-check, 2 could not run; nothing was stored.")]
pub(crate) struct FetchPrices {
    #[command(flatten)]
    pub(crate) round: Round,
    /// Held options are those of this run; by default of all runs
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
    /// Say what would be asked, ask nobody and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) now: Now,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct CrossCheckChoice {
    /// Compare the return of every option with this source
    #[arg(
        id = "cross_check_source",
        long = "cross-check",
        value_enum,
        value_name = "SOURCE"
    )]
    pub(crate) source: Option<Source>,
    /// How far the two may be apart, in basis points
    #[arg(long, value_name = "BPS", default_value_t = DEFAULT_TOLERANCE_BPS, value_parser = tolerance)]
    pub(crate) tolerance_bps: f64,
    /// Folder of histories when the other source is csv
    #[arg(
        id = "cross_check_histories",
        long = "cross-check-histories",
        value_name = "DIR"
    )]
    pub(crate) histories: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct FetchManner {
    /// Wait when a limit is reached, in place of stopping
    #[arg(long)]
    pub(crate) wait: bool,
    /// Replace final prices that are there, with --correct; they are kept in prices/replaced
    #[arg(long, requires = "correct")]
    pub(crate) overwrite_prices: bool,
    /// Why final prices are replaced; the reason and what changed go to prices/corrections.jsonl
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

fn tolerance(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().unwrap_or(f64::NAN);
    let usable = value.is_finite() && value >= 0.0;
    usable
        .then_some(value)
        .ok_or_else(|| "use a number of basis points, such as 10".to_owned())
}

#[derive(Debug, Clone, Args)]
pub(crate) struct SourceChoice {
    /// Where prices come from
    #[arg(long, value_enum, default_value = "tiingo")]
    pub(crate) source: Source,
    /// Folder of histories for the csv source
    #[arg(long, value_name = "DIR", required_if_eq("source", "csv"))]
    pub(crate) histories: Option<PathBuf>,
}

impl Source {
    /// The word that is typed and stored.
    pub(crate) fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Source {
    /// Tiingo end-of-day prices
    Tiingo,
    /// A folder with one CSV file per symbol
    Csv,
    /// Yahoo's chart; unofficial, no key
    Yahoo,
    /// Alpha Vantage; adjusted closes need a paid key
    Alphavantage,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("rounds").required(true))]
#[command(after_help = "Examples:
  capitalbench score-round --round rounds/my-round                 its official run
  capitalbench score-round --round rounds/my-round --run-id trial  another run
  capitalbench score-round --rounds-dir rounds                     every official run with prices
  capitalbench score-round --round rounds/my-round --correct late-dividend

Writes results/ of each run. A round is not scored before its exit close. Results that are there
are never changed without --correct; what they were is kept in results/superseded.
Exit codes: 0 scored, 1 a round of the folder could not be scored, 2 could not run.")]
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
    /// Replace results that are there; the reason and what changed go to corrections.jsonl
    #[arg(long, value_name = "REASON", conflicts_with = "rounds_dir")]
    pub(crate) correct: Option<String>,
    /// Score although two sources are apart; the reason is recorded
    #[arg(long, value_name = "REASON", conflicts_with = "rounds_dir")]
    pub(crate) accept_cross_check: Option<String>,
    /// Score hand-made sheets, of whose fetch there is no record; the reason is recorded
    #[arg(long, value_name = "REASON", conflicts_with = "rounds_dir")]
    pub(crate) accept_unproved_prices: Option<String>,
    /// Compute and print, write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) now: Now,
    #[command(flatten)]
    pub(crate) output: Output,
}
