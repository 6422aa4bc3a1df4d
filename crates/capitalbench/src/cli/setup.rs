//! Flags of the verbs that make a round and freeze it.

use std::path::PathBuf;

use capitalbench_core::asking::lanes::{Lane, Lanes};
use capitalbench_core::market::calendar::{EntryRule, Roll};
use capitalbench_core::market::published_prices::PublishedPrices;
use capitalbench_core::round::manifest::{Proof, Track};
use clap::{ArgGroup, Args, ValueEnum};
use jiff::Timestamp;
use jiff::civil::Date;

use super::shared::{Now, Patience, Round, RoundsDir, Source, SourceChoice, day, instant, word};

/// Play an invented market offline, with its boards
///
/// Prices and answers are invented and follow from the seed; nothing leaves this machine. The real
/// commands take every step. At the end the site of the rounds is served at 127.0.0.1:8400, or at
/// the next free port, until Ctrl-C. The rounds stay in the folder, which a later demo replaces.
///
/// $ capitalbench demo
///
/// $ capitalbench demo --open
///
/// $ capitalbench demo --no-serve --output /tmp/demo
///
/// Exit codes: 0 played and verified, 1 something did not verify, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Another seed is another market
    #[arg(long, value_name = "N", default_value = "7")]
    pub(crate) seed: u64,
    /// Where the rounds go
    #[arg(long, value_name = "DIR", default_value = "capitalbench-demo")]
    pub(crate) output: PathBuf,
    /// Stop after the boards
    #[arg(long)]
    pub(crate) no_serve: bool,
    /// Open the site in a browser
    #[arg(long, conflicts_with = "no_serve")]
    pub(crate) open: bool,
}

/// Show every round, its state and the next step
///
/// $ capitalbench status --rounds-dir rounds
///
/// Exit codes: 0 shown, 1 a round cannot be read, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct Status {
    #[command(flatten)]
    pub(crate) rounds: RoundsDir,
    #[command(flatten)]
    pub(crate) now: Now,
}

/// Create a round with dates from the calendar
///
/// Without --decision-deadline the deadline is 5 minutes before the exchange opens next. The entry
/// is the first close after the deadline; the exit is the close one week or one month later.
///
/// With --proof signed every step must be in the signed log. With --proof anchored outside clocks
/// must also have stamped the freeze before the calls and the picks before the entry close (see
/// `anchor`). The manifest freezes where prices come from and the hosts of the models' providers;
/// another source later needs a reason (`fetch-prices --other-source`). Nothing is ever overwritten.
///
/// $ capitalbench init-round --round-id CB-2026-12-07-1W --horizon "one week" --submission-format
/// portfolio --models configs/models.yaml
///
/// $ capitalbench init-round --round-id LEAGUE-7 --horizon "one month" --submission-format
/// single_pick --universe my-options.yaml --decision-deadline 2026-12-07T14:00:00Z
///
/// Exit codes: 0 created, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct InitRound {
    /// Name of the round and of its folder
    #[arg(long)]
    pub(crate) round_id: String,
    /// Length of the window: "one week" or "one month"
    #[arg(long, default_value = "one month", value_parser = horizon)]
    pub(crate) horizon: Track,
    /// What models are asked for
    #[arg(long, value_enum, default_value = "portfolio")]
    pub(crate) submission_format: Format,
    /// Version of the rules, such as portfolio-v1.1
    #[arg(long, value_name = "LABEL")]
    pub(crate) methodology: Option<String>,
    /// A universe file of your own
    #[arg(long, value_name = "FILE")]
    pub(crate) universe: Option<PathBuf>,
    /// A shipped universe (v1.5, v2.0, v2.1, europe-v1, crypto-v1), or the name of your own
    #[arg(long, value_name = "VERSION")]
    pub(crate) universe_version: Option<String>,
    /// Last moment for a decision, such as 2026-12-07T14:30:00Z
    #[arg(long, value_name = "INSTANT", value_parser = instant)]
    pub(crate) decision_deadline: Option<Timestamp>,
    /// Which close the window starts from
    #[arg(
        long,
        value_name = "RULE",
        default_value = "first_close_after_deadline"
    )]
    #[arg(value_parser = word(ENTRY_RULES, EntryRule::parse))]
    pub(crate) entry_rule: EntryRule,
    /// The session to which a closed day moves
    #[arg(long, default_value = "previous", value_parser = word(["previous", "next"], Roll::parse))]
    pub(crate) roll: Roll,
    /// Model configuration; its active models become the frozen roster
    #[arg(long, value_name = "FILE")]
    pub(crate) models: Option<PathBuf>,
    /// The market is invented: mock models may be the record, and it never joins the public one
    #[arg(long)]
    pub(crate) synthetic: bool,
    /// What readers can check without trusting you
    #[arg(long, default_value = "none")]
    #[arg(value_parser = word(["none", "signed", "anchored"], Proof::parse))]
    pub(crate) proof: Proof,
    /// The source of the prices, frozen with the round; tiingo unless the market is invented
    #[arg(long, value_enum, value_name = "SOURCE")]
    pub(crate) price_source: Option<Source>,
    /// The source they will be compared with, frozen with the round
    #[arg(long, value_enum, value_name = "SOURCE")]
    pub(crate) second_price_source: Option<Source>,
    /// The largest move of a day that is believed from one source, in basis points; from v1.2 on
    #[arg(long, value_name = "BPS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) largest_daily_move_bps: Option<u32>,
    /// Twins of the question that are asked beside the record, such as order,masked:2+2 (order,
    /// masked, no_briefing, no_table; answers to the frozen text and to each twin); from v1.2 on
    #[arg(long, value_name = "LANES", value_parser = Lanes::parse)]
    pub(crate) lanes: Option<Lanes>,
    /// Which prices everybody may read: the closes, or returns only while the closes stay private;
    /// returns from v1.2 on
    #[arg(long, value_name = "WHICH", default_value = "full")]
    #[arg(value_parser = word(["full", "returns"], PublishedPrices::parse))]
    pub(crate) publish_prices: PublishedPrices,
    #[command(flatten)]
    pub(crate) rounds: RoundsDir,
    #[command(flatten)]
    pub(crate) now: Now,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Format {
    /// One option
    SinglePick,
    /// A constrained list of holdings
    Portfolio,
}

const ENTRY_RULES: [&str; 3] = [
    "first_close_after_deadline",
    "same_day_close",
    "last_close_before_deadline",
];

fn horizon(text: &str) -> Result<Track, String> {
    Track::from_horizon(text).ok_or_else(|| "use \"one week\" or \"one month\"".to_owned())
}

/// Bring research and the briefing into a round
///
/// Models are shown the final briefing only. It is refused, with line and phrase, when it
/// recommends, ranks, interprets, links or cites.
///
/// $ capitalbench import-research --round rounds/CB-2026-12-07-1W --market-fact-report facts.md
/// --audit-report audit.md --final-briefing briefing.md --research-cutoff-utc
/// 2026-12-07T12:00:00Z
///
/// Exit codes: 0 imported, 1 the briefing was refused, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct ImportResearch {
    #[command(flatten)]
    pub(crate) round: Round,
    /// Facts with their sources; audit only
    #[arg(long, value_name = "FILE")]
    pub(crate) market_fact_report: PathBuf,
    /// A second reader's check; audit only
    #[arg(long, value_name = "FILE")]
    pub(crate) audit_report: PathBuf,
    /// The text that models are shown
    #[arg(long, value_name = "FILE")]
    pub(crate) final_briefing: PathBuf,
    /// No fact after this instant
    #[arg(long, value_name = "INSTANT", value_parser = instant)]
    pub(crate) research_cutoff_utc: Timestamp,
}

/// Make the briefing of a round by rule
///
/// Without files or a command the facts are computed from the histories of the market table (rounds
/// from v1.2 on keep them) and from the US Treasury's par yield curve, whose address TREASURY_BASE_URL
/// may replace; for an invented market nothing is asked. The sources are kept with the round, and
/// `verify` makes the text again.
///
/// A command runs without a shell and without your keys, with CAPITALBENCH_ROUND and
/// CAPITALBENCH_CUTOFF, for at most five minutes; what it prints becomes the briefing, and the command
/// itself is published with it.
///
/// $ capitalbench make-briefing --round rounds/CB-2026-12-07-1W
///
/// $ capitalbench make-briefing --round rounds/CB-2026-12-07-1W --command "python3 facts.py"
///
/// Exit codes: 0 made, 2 could not run or the briefing was refused (nothing was written).
#[derive(Debug, Args)]
pub(crate) struct MakeBriefing {
    #[command(flatten)]
    pub(crate) round: Round,
    /// No fact after this instant; by default now
    #[arg(long, value_name = "INSTANT", value_parser = instant)]
    pub(crate) research_cutoff_utc: Option<Timestamp>,
    /// A command that prints the briefing
    #[arg(long, value_name = "COMMAND", conflicts_with = "final_briefing")]
    pub(crate) command: Option<String>,
    /// Facts with their sources, as for import-research
    #[arg(long, value_name = "FILE", requires = "final_briefing")]
    pub(crate) market_fact_report: Option<PathBuf>,
    /// A second reader's check, as for import-research
    #[arg(long, value_name = "FILE", requires = "final_briefing")]
    pub(crate) audit_report: Option<PathBuf>,
    /// The text that models are shown
    #[arg(long, value_name = "FILE", requires_all = ["market_fact_report", "audit_report"])]
    pub(crate) final_briefing: Option<PathBuf>,
    /// Let the briefing say that a public source is missing; in the last hour it does so anyway
    #[arg(long)]
    pub(crate) allow_gaps: bool,
    #[command(flatten)]
    pub(crate) now: Now,
}

/// Make the table of returns that models are shown
///
/// The tiingo source reads its key from TIINGO_API_KEY and its address from TIINGO_BASE_URL. The
/// csv source reads one file per symbol, such as closes/SPY.csv, with the columns date, close and
/// adj_close.
///
/// $ capitalbench fetch-universe-performance --round rounds/CB-2026-12-07-1W --as-of-date
/// 2026-12-04
///
/// $ capitalbench fetch-universe-performance --round rounds/CB-2026-12-07-1W --as-of-date
/// 2026-12-04 --source csv --histories closes/
///
/// Exit codes: 0 every option has its figures, 1 some failed (the table is written and says
/// which), 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct FetchUniversePerformance {
    #[command(flatten)]
    pub(crate) round: Round,
    /// The last day whose close may be used
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub(crate) as_of_date: Date,
    #[command(flatten)]
    pub(crate) source: SourceChoice,
    /// Replace an existing table
    #[arg(long)]
    pub(crate) overwrite_performance: bool,
    /// Believe a move of a day beyond the round's limit; the reason is frozen with the table
    #[arg(long, value_name = "REASON")]
    pub(crate) accept_moves: Option<String>,
    #[command(flatten)]
    pub(crate) patience: Patience,
    #[command(flatten)]
    pub(crate) now: Now,
}

/// Ask a price source whether it has every option
///
/// Writes universe_validation_report.json and .md into the round, or beside the universe file.
///
/// $ capitalbench validate-universe --round rounds/CB-2026-12-07-1W --start-date 2025-12-04
/// --end-date 2026-12-04
///
/// $ capitalbench validate-universe --options my-options.yaml --source csv --histories closes/
/// --start-date 2025-12-04 --end-date 2026-12-04
///
/// Exit codes: 0 every option is known, 1 some are not, 2 could not run.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("what").required(true).args(["round", "options"]))]
pub(crate) struct ValidateUniverse {
    /// The round's folder
    #[arg(long, value_name = "DIR")]
    pub(crate) round: Option<PathBuf>,
    /// A universe file
    #[arg(long, value_name = "FILE")]
    pub(crate) options: Option<PathBuf>,
    /// First day to ask for
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub(crate) start_date: Date,
    /// Last day to ask for
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub(crate) end_date: Date,
    #[command(flatten)]
    pub(crate) source: SourceChoice,
    #[command(flatten)]
    pub(crate) patience: Patience,
    #[command(flatten)]
    pub(crate) now: Now,
}

/// Show the exact text that models are sent
///
/// It is followed by an estimate of its tokens.
///
/// $ capitalbench show-prompt --round rounds/CB-2026-12-07-1W
///
/// $ capitalbench show-prompt --round rounds/CB-2026-12-07-1W --model openai-gpt-5-5
///
/// Exit codes: 0 shown, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct ShowPrompt {
    #[command(flatten)]
    pub(crate) round: Round,
    /// Add the lines that name this model
    #[arg(long, value_name = "MODEL_ID")]
    pub(crate) model: Option<String>,
    /// Provider of that model, when its id does not begin with it
    #[arg(long, requires = "model")]
    pub(crate) provider: Option<String>,
    /// The text of a twin lane instead: base, order, masked, no_briefing or no_table
    #[arg(long, value_parser = word(LANES, Lane::parse))]
    pub(crate) lane: Option<Lane>,
}

const LANES: [&str; 5] = ["base", "order", "masked", "no_briefing", "no_table"];

/// Freeze the inputs of a round, or check them
///
/// $ capitalbench hash-round --round rounds/my-round           freeze it
///
/// $ capitalbench hash-round --round rounds/my-round --check   compare, write nothing
///
/// Exit codes: 0 frozen or unchanged, 1 --check found a difference, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct HashRound {
    #[command(flatten)]
    pub(crate) round: Round,
    /// Compare with the stored digests and write nothing
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) now: Now,
}
