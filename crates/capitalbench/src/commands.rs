//! One file per verb; each loads, asks the archive or the core, and prints.

use std::path::{Path, PathBuf};

use capitalbench_core::decision::portfolio::Holding;
use capitalbench_core::values::ids::RunId;
use serde_json::{Value, json};

use crate::cli::Command;
use crate::error::{Error, Exit};

mod accept_run;
mod anchor;
mod audit_round;
mod automation;
mod build_site;
mod bundle;
mod check_providers;
mod compare;
mod compare_runs;
mod completions;
mod cumulative_status;
mod data_folder;
mod db;
mod demo;
mod explain;
mod export;
mod fetch_prices;
mod fetch_universe_performance;
mod hash_round;
mod import_research;
mod init_round;
mod keys;
mod leaderboard;
mod list_runs;
mod man;
pub(crate) mod notices;
mod origin;
mod publish_cumulative;
mod publish_latest;
mod publish_report;
mod published;
mod resolve_due;
mod run_round;
mod score_round;
mod serve;
mod show_controls;
mod show_prompt;
mod smoke_provider;
mod status;
mod sync_web;
mod update_interim;
mod validate_submissions;
mod validate_universe;
mod verify;
mod worker;

/// Runs what was typed.
pub(crate) fn run(command: Command) -> Result<Exit, Error> {
    match command {
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Status(arguments) => status::run(&arguments),
        Command::InitRound(arguments) => init_round::run(&arguments),
        Command::ImportResearch(arguments) => import_research::run(&arguments),
        Command::FetchUniversePerformance(arguments) => fetch_universe_performance::run(&arguments),
        Command::ValidateUniverse(arguments) => validate_universe::run(&arguments),
        Command::ShowPrompt(arguments) => show_prompt::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::AuditRound(arguments) => audit_round::run(&arguments),
        Command::HashRound(arguments) => hash_round::run(&arguments),
        Command::RunRound(arguments) => run_round::run(&arguments),
        Command::CheckProviders(_) => check_providers::run(),
        Command::SmokeProvider(arguments) => smoke_provider::run(&arguments),
        Command::ListRuns(arguments) => list_runs::run(&arguments),
        Command::ValidateSubmissions(arguments) => validate_submissions::run(&arguments),
        Command::CompareRuns(arguments) => compare_runs::run(&arguments),
        Command::AcceptRun(arguments) => accept_run::run(&arguments),
        Command::ShowControls(arguments) => show_controls::run(&arguments),
        Command::FetchPrices(arguments) => fetch_prices::run(&arguments),
        Command::ScoreRound(arguments) => score_round::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Leaderboard(arguments) => leaderboard::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::PublishLatest(arguments) => publish_latest::run(&arguments),
        Command::PublishCumulative(arguments) => publish_cumulative::run(&arguments),
        Command::CumulativeStatus(arguments) => cumulative_status::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::BuildSite(arguments) => build_site::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments, 0),
        Command::ResolveDue(arguments) => resolve_due::run(&arguments),
        Command::Worker(arguments) => worker::run(&arguments),
        Command::UpdateInterimPerformance(arguments) => update_interim::run(&arguments),
        Command::UpdateWeeklyPerformance(arguments) => update_interim::run_one(&arguments),
        Command::AutomationStatus(arguments) => automation::status(&arguments),
        Command::AutomationRetry(arguments) => automation::run_retry(&arguments),
        Command::AutomationCancel(arguments) => automation::run_cancel(&arguments),
        Command::PublishReport(arguments) => publish_report::run(&arguments),
        Command::PublishRoundSummary(arguments) => publish_report::run_summary(&arguments),
        Command::Keys(arguments) => keys::run(&arguments),
        Command::Anchor(arguments) => anchor::run(&arguments),
        Command::Bundle(arguments) => bundle::run(&arguments),
        Command::SyncWeb(arguments) => sync_web::run(&arguments),
        Command::Db(arguments) => db::run(&arguments),
        Command::Completions(arguments) => Ok(completions::run(&arguments)),
        Command::Man(arguments) => man::run(&arguments),
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
