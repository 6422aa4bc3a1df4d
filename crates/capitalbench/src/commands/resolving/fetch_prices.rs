//! `fetch-prices`: the closes of a round's window.

use capitalbench_archive::disk::shell::shell_word;
use capitalbench_archive::format::prices::provenance::{Coverage, Provenance, Purpose};
use capitalbench_core::market::cross_check::CrossCheck;
use capitalbench_operations::prices::fetch::{FetchReport, FetchRequest, Fetched, fetch_round};
use capitalbench_operations::prices::fetcher::Stopped;
use serde_json::{Value, json};

use crate::cli::{FetchPrices, SideChoice};
use crate::commands::notices::price_choice;
use crate::commands::run_id;
use crate::config::operator;
use crate::console::{GOOD, document, is_json, line, next_step, paint, plural, prose, show, warn};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &FetchPrices) -> Result<Exit, Error> {
    let operator = operator(arguments.now.instant)?;
    let report = fetch_round(&operator, &request(arguments)?)?;
    Ok(match &report.fetched {
        None => {
            print_plan(&report);
            Exit::Success
        }
        Some(Fetched::Stopped(stopped)) => {
            print_stopped(&report, stopped);
            Exit::DoesNotHold
        }
        Some(Fetched::Stored {
            provenance,
            cross_check,
            sound,
        }) => {
            let check = cross_check.as_ref();
            show(
                || stored_json(&report.round.name(), provenance, check),
                || print_stored(&report, provenance, check),
            );
            Exit::of(*sound)
        }
    })
}

fn request(arguments: &FetchPrices) -> Result<FetchRequest, Error> {
    Ok(FetchRequest {
        round: arguments.round.path.clone(),
        entry: arguments.entry_date,
        exit: arguments.exit_date,
        purpose: match arguments.side {
            Some(SideChoice::Entry) => Purpose::Informational,
            Some(SideChoice::Exit) | None => Purpose::Final,
        },
        coverage: if arguments.full_universe {
            Coverage::FullUniverse
        } else {
            Coverage::HeldOptions
        },
        run_id: run_id(arguments.run_id.as_deref())?,
        correct: arguments.manner.correct.clone(),
        other_source: arguments.other_source.clone(),
        accept_moves: arguments.accept_moves.clone(),
        prices: price_choice(&arguments.source, &arguments.cross_check)?,
        at_limit: arguments.manner.patience.at_limit(),
        dry_run: arguments.dry_run,
    })
}

fn print_plan(report: &FetchReport) {
    let (window, symbols) = (report.window, &report.symbols);
    if is_json() {
        document(&json!({
            "round_id": report.round.name(),
            "entry_date": window.entry.to_string(),
            "exit_date": window.exit.to_string(),
            "purpose": report.purpose,
            "coverage": report.coverage,
            "symbols": symbols,
        }));
        return;
    }
    let (round, count) = (report.round.name(), plural(symbols.len(), "symbol"));
    let (entry, exit) = (window.entry, window.exit);
    line(format!("{round}: would ask for {count}, {entry} to {exit}"));
    line(symbols.join(" "));
}

fn print_stopped(report: &FetchReport, stopped: &Stopped) {
    let round = report.round.name();
    if is_json() {
        document(&json!({
            "round_id": round,
            "status": "stopped",
            "source": stopped.source,
            "resume_at_utc": stopped.at.to_string(),
            "answered": stopped.done,
            "of": stopped.of,
        }));
        return;
    }
    line(format!("{round}: {stopped}"));
    let again = "or with --wait; the answers so far are kept";
    next_step(format!("run it again at {}, {again}", stopped.at));
}

fn stored_json(round: &str, provenance: &Provenance, check: Option<&CrossCheck>) -> Value {
    let requests: usize = provenance.answers.iter().map(|a| a.requests).sum();
    let files: Vec<&String> = provenance.files.keys().collect();
    let beyond = check.map(|check| {
        let rows = check.beyond();
        rows.iter()
            .map(|row| row.option_id.to_string())
            .collect::<Vec<_>>()
    });
    json!({
        "round_id": round,
        "status": "stored",
        "source": provenance.source,
        "purpose": provenance.purpose,
        "coverage": provenance.coverage,
        "options": provenance.answers.len(),
        "requests": requests,
        "files": files,
        "warnings": provenance.warnings,
        "beyond_tolerance": beyond,
        "replaced": provenance.replaced,
    })
}

fn print_stored(report: &FetchReport, provenance: &Provenance, check: Option<&CrossCheck>) {
    let round = report.round.name();
    for warning in &provenance.warnings {
        warn(warning);
    }
    for row in check.map(CrossCheck::beyond).unwrap_or_default() {
        let text = match (&row.other, row.apart_bps()) {
            (Err(reason), _) => reason.clone(),
            (Ok(_), bps) => prose(&format!("{:+.1} bp apart", bps.unwrap_or_default())),
        };
        warn(format!("{} in the cross-check: {text}", row.option_id));
    }
    let count = plural(provenance.answers.len(), "option");
    let what = match provenance.purpose {
        Purpose::Final => format!("{} to {}", provenance.from, provenance.to),
        Purpose::Informational => format!("{}, informational", provenance.from),
    };
    line(format!(
        "{round}: prices of {} from {}, {what}",
        paint(GOOD, count),
        provenance.source
    ));
    if let Some(place) = &provenance.replaced {
        line(format!("the prices before them are in {place}"));
    }
    if provenance.purpose == Purpose::Final {
        let path = shell_word(report.round.path());
        next_step(format!("capitalbench score-round --round {path}"));
    }
}
