//! What can be typed; no logic.

use std::path::PathBuf;

use capitalbench_core::values::time::parse_day;
use clap::{ArgGroup, Args, Parser, Subcommand};
use jiff::Timestamp;
use jiff::civil::Date;

mod anchor;
mod boards;
mod database;
mod demo;
mod init_round;
mod interim;
mod keys;
mod prices;
mod record;
mod resolve;

pub(crate) use interim::{TrackChoice, UpdateInterimPerformance, UpdateWeeklyPerformance};

pub(crate) use anchor::Anchor;
pub(crate) use init_round::{Format, InitRound};
pub(crate) use keys::{Keys, KeysInit, KeysShow, KeysVerb};
pub(crate) use resolve::{
    AutomationCancel, AutomationRetry, AutomationStatus, PublishReport, PublishRoundSummary,
    ResolveDue, Worker,
};

pub(crate) use boards::{
    Compare, CumulativeStatus, Export, Leaderboard, PublishCumulative, PublishLatest, Rounds,
    TrackName,
};
pub(crate) use database::{Db, DbVerb, SyncWeb};
pub(crate) use demo::Demo;
pub(crate) use prices::{
    CrossCheckChoice, FetchPrices, ScoreRound, SideChoice, Source, SourceChoice,
};
mod explain;

pub(crate) use explain::Explain;
pub(crate) use record::{AcceptRun, CompareRuns, ShowControls};
mod run_round;
mod site;
mod verify;

pub(crate) use run_round::{CheckProviders, RunRound, SmokeProvider};
pub(crate) use site::{BuildSite, RecordSource, Serve};
pub(crate) use verify::{Bundle, Verify};

/// An open, auditable benchmark of how language models allocate capital.
///
/// Rounds are folders on disk. The network is used only to fetch prices, to ask models when allowed,
/// to ask outside clocks, to sync a database that you name, and to serve the site.
/// Exit codes: 0 holds, 1 does not hold, 2 could not run.
#[derive(Debug, Parser)]
#[command(name = "capitalbench", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Play several rounds of an invented market with mock models, offline, and show the boards
    Demo(Demo),
    /// Show every round, where it stands and what comes next
    Status(Status),
    /// Create a round: manifest, options, prompt, schema; dates from the exchange calendar
    InitRound(InitRound),
    /// Bring the research into a round; only the final briefing is shown to models
    ImportResearch(ImportResearch),
    /// Make the table of trailing returns that every model is shown
    FetchUniversePerformance(FetchUniversePerformance),
    /// Ask the price source whether it knows every option
    ValidateUniverse(ValidateUniverse),
    /// Show the exact text that models are sent, with a token estimate
    ShowPrompt(ShowPrompt),
    /// Re-derive everything from the artifacts and report where they disagree
    Verify(Verify),
    /// Put a signed round with its log into one file that anybody can verify offline
    Bundle(Bundle),
    /// Check one round area by area and name the next step
    AuditRound(AuditRound),
    /// Freeze the inputs of a round by their digests, or check that they hold
    HashRound(HashRound),
    /// Ask the models of a frozen round; every attempt stays on disk
    RunRound(RunRound),
    /// Say which provider keys are set, never their values
    CheckProviders(CheckProviders),
    /// Make one tiny call to a configured model and show what came back
    SmokeProvider(SmokeProvider),
    /// List the runs of a round
    ListRuns(ListRuns),
    /// Check every raw submission of a run and write the parsed ones
    ValidateSubmissions(ValidateSubmissions),
    /// Show two runs of a round side by side
    CompareRuns(CompareRuns),
    /// Make a run the record of its round, or say every reason why not
    AcceptRun(AcceptRun),
    /// Show what control entrants hold in a frozen round
    ShowControls(ShowControls),
    /// Fetch the closes of a round's window, both sides from one answer per option
    FetchPrices(FetchPrices),
    /// Score a run, or every official run of a folder of rounds
    ScoreRound(ScoreRound),
    /// Say in sentences whether a model's record differs from luck, the index and other models
    Explain(Explain),
    /// Show how models stand, with what may be claimed
    Leaderboard(Leaderboard),
    /// Hold models against each other on the rounds they share
    Compare(Compare),
    /// Write the result of the latest resolved round
    PublishLatest(PublishLatest),
    /// Write the boards across rounds
    PublishCumulative(PublishCumulative),
    /// Show which rounds the boards count, and by which run
    CumulativeStatus(CumulativeStatus),
    /// Write everything that is public as JSON, CSV and Parquet
    Export(Export),
    /// Write the website for any static host
    BuildSite(BuildSite),
    /// Serve the website from memory
    Serve(Serve),
    /// Resolve every round whose time has come: prices, score, report, boards
    ResolveDue(ResolveDue),
    /// Resolve rounds whose jobs lie in the database, beside any number of other workers
    Worker(Worker),
    /// Take the day's snapshot and track every open round provisionally
    UpdateInterimPerformance(UpdateInterimPerformance),
    /// Track one run provisionally with price files of your own
    UpdateWeeklyPerformance(UpdateWeeklyPerformance),
    /// Show the job of every round, its attempts and its last error
    AutomationStatus(AutomationStatus),
    /// Schedule the job of a round anew
    AutomationRetry(AutomationRetry),
    /// Let nobody resolve a round
    AutomationCancel(AutomationCancel),
    /// Write the report of a run, with a chart once it has a result
    PublishReport(PublishReport),
    /// Write a summary of a round's official run and its consistency run
    PublishRoundSummary(PublishRoundSummary),
    /// Make or show the key that signs what happens to the rounds of a folder
    Keys(Keys),
    /// Have outside clocks stamp the newest signed state of the log
    Anchor(Anchor),
    /// Bring the public database up to date with the rounds
    SyncWeb(SyncWeb),
    /// Prepare and check the public database
    Db(Db),
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  capitalbench audit-round --round rounds/CB-2026-05-28-1W --run-id official-20260528-1W

Exit codes: 0 nothing failed or is missing, 1 otherwise, 2 could not run.")]
pub(crate) struct AuditRound {
    #[command(flatten)]
    pub(crate) round: Round,
    /// Look at this run only
    #[arg(long)]
    pub(crate) run_id: Option<String>,
    #[command(flatten)]
    pub(crate) now: Now,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  capitalbench status --rounds-dir rounds")]
pub(crate) struct Status {
    /// A folder of rounds
    #[arg(long, value_name = "DIR", default_value = "rounds")]
    pub(crate) rounds_dir: PathBuf,
    #[command(flatten)]
    pub(crate) now: Now,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  capitalbench import-research --round rounds/CB-2026-12-07-1W \\
      --market-fact-report facts.md --audit-report audit.md --final-briefing briefing.md \\
      --research-cutoff-utc 2026-12-07T12:00:00Z

The briefing is refused, with line and phrase, when it recommends, ranks, interprets, links or
cites. Exit codes: 0 imported, 1 the briefing was refused, 2 could not run.")]
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
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  capitalbench fetch-universe-performance --round rounds/CB-2026-12-07-1W --as-of-date 2026-12-04
  capitalbench fetch-universe-performance --round rounds/CB-2026-12-07-1W --as-of-date 2026-12-04 \\
      --source csv --histories closes/

The tiingo source reads its key from TIINGO_API_KEY and its address from TIINGO_BASE_URL.
The csv source reads one file per symbol, such as closes/SPY.csv with the columns
date, close, adj_close. Exit codes: 0 every option has its figures, 1 some failed (the table is
written and says which), 2 could not run.")]
pub(crate) struct FetchUniversePerformance {
    #[command(flatten)]
    pub(crate) round: Round,
    /// The last day whose close may be used
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub(crate) as_of_date: Date,
    #[command(flatten)]
    pub(crate) source: SourceChoice,
    /// Replace a table that is there
    #[arg(long)]
    pub(crate) overwrite_performance: bool,
    #[command(flatten)]
    pub(crate) now: Now,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("what").required(true).args(["round", "options"]),
    after_help = "Examples:
  capitalbench validate-universe --round rounds/CB-2026-12-07-1W \\
      --start-date 2025-12-04 --end-date 2026-12-04
  capitalbench validate-universe --options my-options.yaml --source csv --histories closes/ \\
      --start-date 2025-12-04 --end-date 2026-12-04

Writes universe_validation_report.json and .md into the round, or beside the file.
Exit codes: 0 every option is known, 1 some are not, 2 could not run."
)]
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
    pub(crate) now: Now,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// An instant; a day alone means its first moment, in UTC.
fn instant(text: &str) -> Result<Timestamp, String> {
    let whole = if parse_day(text).is_some() {
        format!("{}T00:00:00Z", text.trim())
    } else {
        text.trim().to_owned()
    };
    let example = "use an instant like 2026-12-07T14:25:00Z";
    whole.parse().map_err(|_| example.to_owned())
}

fn day(text: &str) -> Result<Date, String> {
    parse_day(text).ok_or_else(|| "use a day like 2026-12-04".to_owned())
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  capitalbench show-prompt --round rounds/CB-2026-12-07-1W
  capitalbench show-prompt --round rounds/CB-2026-12-07-1W --model openai-gpt-5-5 | less")]
pub(crate) struct ShowPrompt {
    #[command(flatten)]
    pub(crate) round: Round,
    /// Add the lines that name this model
    #[arg(long, value_name = "MODEL_ID")]
    pub(crate) model: Option<String>,
    /// Provider of that model, when its id does not begin with it
    #[arg(long, requires = "model")]
    pub(crate) provider: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  capitalbench hash-round --round rounds/my-round           freeze it
  capitalbench hash-round --round rounds/my-round --check   compare, write nothing

Exit codes: 0 frozen or unchanged, 1 --check found a difference, 2 could not run.")]
pub(crate) struct HashRound {
    #[command(flatten)]
    pub(crate) round: Round,
    /// Compare with the stored digests and write nothing
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) now: Now,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  capitalbench list-runs --round rounds/CB-2026-05-28-1W")]
pub(crate) struct ListRuns {
    #[command(flatten)]
    pub(crate) round: Round,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  capitalbench validate-submissions --round rounds/my-round --run-id official-20261116

Writes submissions/parsed, validation_summary.json and _validation_errors.json of the run.
Exit codes: 0 all valid, 1 some invalid, 2 could not run.")]
pub(crate) struct ValidateSubmissions {
    #[command(flatten)]
    pub(crate) round: Round,
    /// The run; may be left out when the round has only one
    #[arg(long)]
    pub(crate) run_id: Option<String>,
    /// Say what would be written and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Listing {
    /// List every finding of a folder, notes included
    #[arg(long)]
    pub(crate) all: bool,
    /// List the codes of findings and what they mean
    #[arg(long, conflicts_with = "path")]
    pub(crate) codes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Round {
    /// The round's folder
    #[arg(long = "round", value_name = "DIR")]
    pub(crate) path: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Now {
    /// Look at things as of this instant instead of now
    #[arg(long = "now", value_name = "INSTANT", value_parser = instant)]
    pub(crate) instant: Option<Timestamp>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Output {
    /// Print JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}
