//! One file per verb; each loads, asks the archive or the core, and prints.

use std::path::{Path, PathBuf};

use capitalbench_core::decision::portfolio::Holding;
use capitalbench_core::values::ids::RunId;
use serde_json::{Value, json};

use self::resolving::update_interim;
use crate::cli::Command;
use crate::error::{Error, Exit};

mod asking;
mod checking;
mod entering;
mod league;
pub(crate) mod notices;
mod opening;
mod publishing;
mod reading;
mod resolving;
mod tools;

use opening::fetch_universe_performance;
use publishing::publish_report;

/// Runs what was typed.
pub(crate) fn run(mut command: Command) -> Result<Exit, Error> {
    let _held = publishing::stored::hold(&mut command)?;
    run_verb(command)
}

fn run_verb(command: Command) -> Result<Exit, Error> {
    match command {
        Command::Demo(arguments) => tools::demo::run(&arguments),
        Command::League(arguments) => league::run(&arguments),
        Command::Status(arguments) => reading::status::run(&arguments),
        Command::InitRound(arguments) => opening::init_round::run(&arguments),
        Command::ImportResearch(arguments) => opening::import_research::run(&arguments),
        Command::FetchUniversePerformance(arguments) => fetch_universe_performance::run(&arguments),
        Command::MakeBriefing(arguments) => opening::make_briefing::run(&arguments),
        Command::ValidateUniverse(arguments) => opening::validate_universe::run(&arguments),
        Command::ShowPrompt(arguments) => opening::show_prompt::run(&arguments),
        Command::Verify(arguments) => checking::verify::run(&arguments),
        Command::AuditRound(arguments) => checking::audit_round::run(&arguments),
        Command::HashRound(arguments) => opening::hash_round::run(&arguments),
        Command::RunRound(arguments) => asking::run_round::run(&arguments),
        Command::CheckProviders(_) => asking::check_providers::run(),
        Command::SmokeProvider(arguments) => asking::smoke_provider::run(&arguments),
        Command::ListRuns(arguments) => asking::list_runs::run(&arguments),
        Command::ValidateSubmissions(arguments) => asking::validate_submissions::run(&arguments),
        Command::CompareRuns(arguments) => asking::compare_runs::run(&arguments),
        Command::AcceptRun(arguments) => asking::accept_run::run(&arguments),
        Command::VoidRound(arguments) => asking::void_round::run(&arguments),
        Command::ShowControls(arguments) => asking::show_controls::run(&arguments),
        Command::RecordListing(arguments) => resolving::record_listing::run(&arguments),
        Command::FetchPrices(arguments) => resolving::fetch_prices::run(&arguments),
        Command::ScoreRound(arguments) => resolving::score_round::run(&arguments),
        Command::Replay(arguments) => asking::replay::run(&arguments),
        Command::Explain(arguments) => reading::explain::run(&arguments),
        Command::Leaderboard(arguments) => reading::leaderboard::run(&arguments),
        Command::Mcp(arguments) => reading::mcp::run(&arguments),
        Command::Compare(arguments) => reading::compare::run(&arguments),
        Command::Claim(arguments) => reading::claim::run(&arguments),
        Command::PlanEvidence(arguments) => reading::plan_evidence::run(&arguments),
        Command::PublishLatest(arguments) => publishing::publish_latest::run(&arguments),
        Command::PublishCumulative(arguments) => publishing::publish_cumulative::run(&arguments),
        Command::CumulativeStatus(arguments) => reading::cumulative_status::run(&arguments),
        Command::Export(arguments) => publishing::export::run(&arguments),
        Command::BuildSite(arguments) => publishing::build_site::run(&arguments),
        Command::Serve(arguments) => publishing::serve::run(&arguments, 0),
        Command::ResolveDue(arguments) => resolving::resolve_due::run(&arguments),
        Command::Worker(arguments) => resolving::worker::run(&arguments),
        Command::UpdateInterimPerformance(arguments) => update_interim::run(&arguments),
        Command::UpdateWeeklyPerformance(arguments) => update_interim::run_one(&arguments),
        Command::AutomationStatus(arguments) => resolving::automation::status(&arguments),
        Command::AutomationRetry(arguments) => resolving::automation::run_retry(&arguments),
        Command::AutomationCancel(arguments) => resolving::automation::run_cancel(&arguments),
        Command::PublishReport(arguments) => publish_report::run(&arguments),
        Command::PublishRoundSummary(arguments) => publish_report::run_summary(&arguments),
        Command::Keys(arguments) => checking::keys::run(&arguments),
        Command::Enter(arguments) => entering::run(&arguments),
        Command::Anchor(arguments) => checking::anchor::run(&arguments),
        Command::Bundle(arguments) => checking::bundle::run(&arguments),
        Command::SyncWeb(arguments) => publishing::sync_web::run(&arguments),
        Command::Db(arguments) => publishing::db::run(&arguments),
        Command::Store(arguments) => publishing::store::run(&arguments),
        Command::Completions(arguments) => Ok(tools::completions::run(&arguments)),
        Command::Man(arguments) => tools::man::run(&arguments),
    }
}

/// The path of a folder from the root on; without one a folder such as `.` has no name.
fn whole_path(folder: &Path) -> Result<PathBuf, Error> {
    std::fs::canonicalize(folder)
        .map_err(|error| Error::new(format!("{}: {error}", folder.display())))
}

/// A run id as typed; one that could leave its folder is refused.
fn run_id(text: Option<&str>) -> Result<Option<RunId>, Error> {
    text.map(|text| parse_run_id("--run-id", text)).transpose()
}

/// The same for a run that must be named.
fn parse_run_id(flag: &str, text: &str) -> Result<RunId, Error> {
    RunId::parse(text).map_err(|error| {
        Error::new(format!("{flag}: {error}"))
            .hint("list the runs with `capitalbench list-runs --round DIR`")
    })
}

/// Holdings on one line, in percent.
fn holdings_text(holdings: &[Holding]) -> String {
    let one = |holding: &Holding| format!("{} {}", holding.option_id, holding.weight.percent());
    holdings.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Holdings for machines.
fn holdings_json(holdings: &[Holding]) -> Vec<Value> {
    let one = |holding: &Holding| {
        let percent = holding.weight.get() / 100;
        json!({"option_id": holding.option_id.as_str(), "allocation_pct": percent})
    };
    holdings.iter().map(one).collect()
}
