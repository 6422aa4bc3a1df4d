//! `resolve-due`: every round whose time has come, without hand work.

use std::path::Path;

use capitalbench_archive::round::jobs;
use capitalbench_archive::round::round_folder::{RoundFolder, Universes, list_rounds};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::Exit;
use super::price_source::{asking, open_counted, open_second, state_folder, wait};
use crate::cli::ResolveDue;
use crate::clock::Clock;
use crate::console::{DIM, ERROR, GOOD, WARNING, document, line, paint, plural, remark};
use crate::error::CommandError;
use crate::steps::asking::AtLimit;
use crate::steps::boards::{self, BoardsOwed};
use crate::steps::fetch_prices::Other;
use crate::steps::given_instant::note_given_instant;
use crate::steps::held_round::worker;
use crate::steps::public_store::follow_folder;
use crate::steps::record::Recorder;
use crate::steps::resolve::{Resolution, Resolver};

/// What came of every round that was looked at.
type Done = Vec<(String, Resolution)>;

pub(crate) fn run(arguments: &ResolveDue) -> Result<Exit, CommandError> {
    let clock = Clock::starting_at(arguments.now.instant);
    let rounds = &arguments.rounds.folder;
    let (due, unreadable) = due_rounds(rounds, clock.now())?;
    if arguments.dry_run {
        return Ok(print_due(arguments, &due, &unreadable));
    }
    let owed = BoardsOwed::of(rounds);
    let is_owed = owed.is_there();
    if is_owed {
        sign_what_is_left(rounds, clock.now())?;
    }
    if !due.is_empty() {
        owed.note()?;
    }
    let done = resolve_all(arguments, clock, &due)?;
    let is_resolved = |own: &Resolution| matches!(own, Resolution::Resolved { .. });
    let resolved = done.iter().any(|(_, own)| is_resolved(own));
    let beside = rounds.join("../boards");
    let output = arguments.boards_dir.as_deref().unwrap_or(&beside);
    let renewed = resolved || is_owed;
    let boards = renewed.then(|| boards::rebuild(rounds, output, clock.now()));
    let failures = done
        .iter()
        .filter(|(_, resolution)| matches!(resolution, Resolution::Failed { .. }))
        .count();
    // What failed may have failed after its result was there.
    if failures == 0 && !matches!(boards, Some(Err(_))) {
        owed.settle()?;
    }
    let failed = unreadable.len() + failures;
    let board_error = match &boards {
        Some(Err(error)) => Some(error.to_string()),
        _ => None,
    };
    if arguments.output.json {
        let rounds: Vec<Value> = done.iter().map(as_json).collect();
        document(&json!({
            "rounds": rounds,
            "unreadable": unreadable,
            "boards": boards.as_ref().map(|boards| match boards {
                Ok(boards) => json!({"resolved_rounds": boards.resolved}),
                Err(error) => json!({"error": error.to_string()}),
            }),
        }));
    } else {
        print(&done, &unreadable);
        match &boards {
            Some(Ok(boards)) => {
                let count = plural(boards.resolved, "resolved round");
                line(format!("boards: {count}"));
            }
            Some(Err(error)) => remark(format!("{} {error}", paint(ERROR, "error:"))),
            None => {}
        }
    }
    let done = Exit::of(failed == 0 && board_error.is_none());
    if !renewed {
        return Ok(done);
    }
    Ok(done.and(follow_folder(rounds, clock.now())))
}

/// A process that died or failed may have left events out of the log, or its last checkpoint unkept.
fn sign_what_is_left(rounds: &Path, now: Timestamp) -> Result<(), CommandError> {
    for folder in list_rounds(rounds)? {
        Recorder::of_round(&folder)?.round(&folder, now)?;
    }
    Ok(())
}

/// Rounds whose job is due, the longest waiting first, and jobs that cannot be read.
fn due_rounds(
    rounds: &Path,
    now: Timestamp,
) -> Result<(Vec<RoundFolder>, Vec<String>), CommandError> {
    let (mut due, mut unreadable) = (Vec::new(), Vec::new());
    for folder in list_rounds(rounds)? {
        match jobs::load(&folder) {
            Err(error) => unreadable.push(error.to_string()),
            Ok(Some(job)) if job.is_due(now) => due.push((job.next_attempt(), folder)),
            Ok(_) => {}
        }
    }
    due.sort_by_key(|(next, folder)| (*next, folder.name()));
    let due = due.into_iter().map(|(_, folder)| folder).collect();
    Ok((due, unreadable))
}

fn resolve_all(
    arguments: &ResolveDue,
    clock: Clock,
    due: &[RoundFolder],
) -> Result<Done, CommandError> {
    if due.is_empty() {
        return Ok(Done::new());
    }
    for folder in due {
        note_given_instant(folder, "resolve-due", arguments.now.instant)?;
    }
    let whole = std::fs::canonicalize(&arguments.rounds.folder).map_err(|error| {
        CommandError::new(format!("{}: {error}", arguments.rounds.folder.display()))
    })?;
    let state = state_folder(&whole)?;
    let opened = open_counted(
        arguments.source.source,
        arguments.source.histories.as_deref(),
    )?;
    let choice = &arguments.cross_check;
    let second = open_second(choice)?;
    let resolver = Resolver {
        asking: asking(&opened, &state, clock, AtLimit::Stop),
        other: second.as_ref().map(|opened| Other {
            asking: asking(opened, &state, clock, AtLimit::Stop),
            tolerance_bps: choice.tolerance_bps,
        }),
        worker: worker(
            arguments.worker_id.as_deref(),
            Some(arguments.lease_seconds),
        ),
        clock,
        universes: Universes::default(),
    };
    wait(work(&resolver, due, arguments.max))
}

async fn work(resolver: &Resolver<'_>, due: &[RoundFolder], max: Option<usize>) -> Done {
    let mut done = Done::new();
    let mut tried = 0;
    for folder in due {
        if max.is_some_and(|max| tried >= max) {
            break;
        }
        let resolution = match resolver.resolve(folder).await {
            Ok(Resolution::NotDue) => continue,
            Ok(resolution) => resolution,
            // Its job could not even be written; others may fare better.
            Err(error) => Resolution::Failed {
                error: error.to_string(),
                next: None,
            },
        };
        if !matches!(resolution, Resolution::Busy(_)) {
            tried += 1;
        }
        let closed = matches!(resolution, Resolution::Waiting { .. });
        done.push((folder.name(), resolution));
        if closed {
            // The allowance is one for all rounds.
            break;
        }
    }
    done
}

fn print_due(arguments: &ResolveDue, due: &[RoundFolder], unreadable: &[String]) -> Exit {
    let names: Vec<String> = due.iter().map(RoundFolder::name).collect();
    let names = &names[..names.len().min(arguments.max.unwrap_or(usize::MAX))];
    if arguments.output.json {
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

fn complain(unreadable: &[String]) {
    for error in unreadable {
        remark(format!("{} {error}", paint(ERROR, "error:")));
    }
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

fn print(done: &Done, unreadable: &[String]) {
    complain(unreadable);
    for (round, resolution) in done {
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
                let next = next.map_or_else(
                    || "no further attempt".to_owned(),
                    |next| format!("next attempt {next}"),
                );
                line(format!("{round}: {}: {error}", paint(ERROR, "failed")));
                line(format!("  {}", paint(DIM, next)));
            }
            Resolution::Busy(holder) => {
                line(format!(
                    "{round}: {}",
                    paint(DIM, format!("with {}", holder.who))
                ));
            }
            Resolution::NotDue => {}
        }
    }
    if done.is_empty() && unreadable.is_empty() {
        line("nothing is due");
    }
}
