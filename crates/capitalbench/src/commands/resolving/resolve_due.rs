//! `resolve-due`: every round whose time has come, without hand work.

use std::time::Duration;

use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_operations::operator::Operator;
use capitalbench_operations::resolving::due::{DueReport, DueRequest, due_rounds, resolve_due};
use capitalbench_operations::resolving::resolve::Resolution;
use capitalbench_operations::resolving::store_worker::work_in_store;
use capitalbench_operations::resolving::worker::WorkerRequest;
use capitalbench_operations::syncing::follow::follow_folder;
use serde_json::{Value, json};

use super::automation::next_attempt;
use crate::cli::ResolveDue;
use crate::commands::notices::{price_choice, print_followed};
use crate::commands::publishing::stored::Stored;
use crate::config::{Environment, operator};
use crate::console::{DIM, ERROR, GOOD, WARNING, complain, document, is_json, line, paint, plural};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &ResolveDue) -> Result<Exit, Error> {
    let operator = operator(arguments.now.instant)?;
    if let (Some(store), false) = (&arguments.store.url, arguments.dry_run) {
        return in_store(&operator, arguments, store);
    }
    let stored = Stored::open(arguments.store.url.as_deref())?;
    let rounds = stored
        .as_ref()
        .map_or(&*arguments.rounds.folder, Stored::folder);
    if arguments.dry_run {
        let found = due_rounds(&operator, rounds)?;
        return Ok(print_due(arguments, &found.due, &found.unreadable));
    }
    let request = DueRequest {
        at_limit: arguments.patience.at_limit(),
        rounds: rounds.to_owned(),
        prices: price_choice(&arguments.source, &arguments.cross_check)?,
        worker: arguments.worker_id.clone(),
        lease: arguments.lease_seconds,
        max: arguments.max,
        boards: arguments.boards_dir.clone(),
    };
    let report = resolve_due(&operator, &request)?;
    if is_json() {
        document(&json!({
            "rounds": report.rounds.iter().map(as_json).collect::<Vec<_>>(),
            "unreadable": report.unreadable,
            "boards": report.boards.as_ref().map(|boards| match boards {
                Ok(boards) => json!({"resolved_rounds": boards.resolved}),
                Err(error) => json!({"error": error.to_string()}),
            }),
        }));
    } else {
        print(&report);
    }
    let done = Exit::of(!report.is_failed());
    Ok(match report.boards {
        None => done,
        Some(_) => done.and(print_followed(&follow_folder(&operator, rounds))),
    })
}

/// The rounds of a store are resolved by a worker that ends when nothing is due.
fn in_store(operator: &Operator, arguments: &ResolveDue, store: &str) -> Result<Exit, Error> {
    let request = WorkerRequest {
        rounds: arguments.rounds.folder.clone(),
        prices: price_choice(&arguments.source, &arguments.cross_check)?,
        name: arguments.worker_id.clone(),
        lease: arguments.lease_seconds,
        poll: Duration::ZERO,
        concurrency: 1,
        once: true,
        max: arguments.max,
        boards: None,
    };
    let home = Environment::cache_home()?;
    Ok(Exit::of(work_in_store(operator, &request, store, &home)?))
}

fn print_due(arguments: &ResolveDue, due: &[RoundFolder], unreadable: &[String]) -> Exit {
    let names: Vec<String> = due.iter().map(RoundFolder::name).collect();
    let names = &names[..names.len().min(arguments.max.unwrap_or(usize::MAX))];
    if is_json() {
        document(&json!({"due": names, "unreadable": unreadable}));
    } else {
        for name in names {
            line(format!("{name}: due"));
        }
        line(format!("{} due", plural(names.len(), "round")));
        complain(unreadable);
    }
    Exit::of(unreadable.is_empty())
}

fn as_json((round, resolution): &(String, Resolution)) -> Value {
    match resolution {
        Resolution::Resolved { warnings } => {
            json!({"round_id": round, "state": "resolved", "warnings": warnings})
        }
        Resolution::Waiting { until, reason } => json!({
            "round_id": round,
            "state": "waiting",
            "reason": reason,
            "next_attempt_at_utc": until.to_string(),
        }),
        Resolution::Failed { error, next } => json!({
            "round_id": round,
            "state": "failed",
            "error": error,
            "next_attempt_at_utc": next.map(|next| next.to_string()),
        }),
        Resolution::Busy(holder) => json!({
            "round_id": round,
            "state": "busy",
            "holder": holder.who,
            "until_utc": holder.until.to_string(),
        }),
        Resolution::NotDue => json!({"round_id": round, "state": "not_due"}),
    }
}

fn print(report: &DueReport) {
    complain(&report.unreadable);
    for (round, resolution) in &report.rounds {
        match resolution {
            Resolution::Resolved { warnings: 0 } => {
                line(format!("{round}: {}", paint(GOOD, "resolved")));
            }
            Resolution::Resolved { warnings } => {
                let doubts = plural(*warnings, "warning");
                line(format!("{round}: {}, {doubts}", paint(GOOD, "resolved")));
            }
            Resolution::Waiting { until, reason } => {
                let word = paint(WARNING, "waits");
                line(format!("{round}: {word} until {until}: {reason}"));
            }
            Resolution::Failed { error, next } => {
                line(format!("{round}: {}: {error}", paint(ERROR, "failed")));
                line(format!("  {}", paint(DIM, next_attempt(*next))));
            }
            Resolution::Busy(holder) => {
                let who = format!("with {}", holder.who);
                line(format!("{round}: {}", paint(DIM, who)));
            }
            Resolution::NotDue => {}
        }
    }
    if report.rounds.is_empty() && report.unreadable.is_empty() {
        line("nothing is due");
    }
    match &report.boards {
        Some(Ok(boards)) => {
            let count = plural(boards.resolved, "resolved round");
            line(format!("boards: {count}"));
        }
        Some(Err(error)) => complain(&[error]),
        None => {}
    }
}
