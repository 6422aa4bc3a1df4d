//! What can be typed; no logic. `cli/` has a file for each part of a round's life.
//!
//! The comments are the help: a line for the list of verbs, then text, examples after `$`, and exit
//! codes.
#![expect(
    clippy::doc_markdown,
    rustdoc::bare_urls,
    reason = "the help would show the marks that these lints want"
)]

use clap::{ArgAction, Args, ColorChoice, Parser, Subcommand};

mod agents;
mod asking;
mod boards;
mod claims;
mod enter;
mod jobs;
mod league;
mod overview;
mod prices;
mod proof;
mod publish;
mod replay;
mod setup;
mod shared;
mod store;
mod tools;
mod verb_text;

pub(crate) use agents::*;
pub(crate) use asking::*;
pub(crate) use boards::*;
pub(crate) use claims::*;
pub(crate) use enter::*;
pub(crate) use jobs::*;
pub(crate) use league::*;
pub(crate) use overview::*;
pub(crate) use prices::*;
pub(crate) use proof::*;
pub(crate) use publish::*;
pub(crate) use replay::*;
pub(crate) use setup::*;
pub(crate) use shared::*;
pub(crate) use store::*;
pub(crate) use tools::*;
pub(crate) use verb_text::*;

/// CapitalBench lets language models allocate capital and scores what they chose.
///
/// Rounds are folders on disk. Only these need a network: fetching prices and yields, asking models
/// when you allow it, asking outside clocks, syncing a database that you name, and serving the site.
#[derive(Debug, Parser)]
#[command(name = "capitalbench", version, disable_help_flag = true)]
#[command(max_term_width = 100, subcommand_value_name = "VERB")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    /// Whether `--json` was typed, which [`definitions`] gives to every verb that prints a result.
    #[arg(skip)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every verb")]
pub(crate) struct Global {
    /// Use colours; auto means on a terminal, unless NO_COLOR is set
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        value_enum,
        default_value = "auto"
    )]
    pub(crate) color: ColorChoice,
    /// Print errors only, and the document that --json asks for
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say on standard error what is read, asked and written, and when
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// Print help
    #[arg(short, long, global = true, action = ArgAction::HelpShort)]
    help: Option<bool>,
}

/// Verbs; `overview.rs` says under which heading the help shows each.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(Demo),
    League(League),
    Status(Status),
    InitRound(InitRound),
    ImportResearch(ImportResearch),
    FetchUniversePerformance(FetchUniversePerformance),
    MakeBriefing(MakeBriefing),
    ValidateUniverse(ValidateUniverse),
    ShowPrompt(ShowPrompt),
    Verify(Verify),
    Bundle(Bundle),
    AuditRound(AuditRound),
    HashRound(HashRound),
    RunRound(RunRound),
    CheckProviders(CheckProviders),
    SmokeProvider(SmokeProvider),
    ListRuns(ListRuns),
    ValidateSubmissions(ValidateSubmissions),
    CompareRuns(CompareRuns),
    AcceptRun(AcceptRun),
    VoidRound(VoidRound),
    ShowControls(ShowControls),
    FetchPrices(FetchPrices),
    RecordListing(RecordListing),
    ScoreRound(ScoreRound),
    Enter(Enter),
    Explain(Explain),
    Replay(Replay),
    Leaderboard(Leaderboard),
    Compare(Compare),
    Mcp(Mcp),
    Claim(Claim),
    PlanEvidence(PlanEvidence),
    PublishLatest(PublishLatest),
    PublishCumulative(PublishCumulative),
    CumulativeStatus(CumulativeStatus),
    Export(Export),
    BuildSite(BuildSite),
    Serve(Serve),
    ResolveDue(ResolveDue),
    Worker(Worker),
    UpdateInterimPerformance(UpdateInterimPerformance),
    UpdateWeeklyPerformance(UpdateWeeklyPerformance),
    AutomationStatus(AutomationStatus),
    AutomationRetry(AutomationRetry),
    AutomationCancel(AutomationCancel),
    PublishReport(PublishReport),
    PublishRoundSummary(PublishRoundSummary),
    Keys(Keys),
    Anchor(Anchor),
    SyncWeb(SyncWeb),
    Db(Db),
    Store(Store),
    Completions(Completions),
    Man(Man),
}
