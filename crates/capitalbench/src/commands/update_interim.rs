//! `update-interim-performance` and `update-weekly-performance`: provisional tracking of open rounds.

use std::collections::BTreeMap;
use std::path::Path;

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops;
use capitalbench_archive::format::prices::price_sheet;
use capitalbench_archive::results::interim_update::{
    Sheets, days_of, entry_sheet, files, snapshot_file, snapshots_folder, store, usable_sheets,
};
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes, list_rounds};
use capitalbench_archive::run::run_folder::RunFolder;
use capitalbench_archive::run::validation::load_parsed;
use capitalbench_archive::verify::derivation;
use capitalbench_core::asking::run::{RunRules, official_run};
use capitalbench_core::decision::submission::Submission;
use capitalbench_core::market::calendar::{closure_reason, rows_final_at};
use capitalbench_core::round::manifest::{Track, Window};
use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::json;

use super::price_source::{asking, open_counted, state_folder, used_up, wait};
use super::{Exit, parse_run_id};
use crate::cli::{TrackChoice, UpdateInterimPerformance, UpdateWeeklyPerformance};
use crate::clock::{Clock, now_or};
use crate::console::{DIM, ERROR, document, line, paint, remark};
use crate::error::CommandError;
use crate::steps::asking::{Asked, AtLimit, Days};
use crate::steps::given_instant::note_given_instant;
use crate::steps::held_round::take_awaited;
use crate::steps::record::record;

const NOTE: &str = "price return, distributions not included; provisional";

/// What became of a round.
enum Tracked {
    /// The files are up to date until this day.
    Until(Date),
    /// It is not tracked.
    Skipped(&'static str),
}

/// A round that may be tracked.
struct Open {
    inputs: RoundInputs,
    window: Window,
    run: RunFolder,
    rules: RunRules,
}

pub(crate) fn run(arguments: &UpdateInterimPerformance) -> Result<Exit, CommandError> {
    let rounds = list_rounds(&arguments.rounds.folder)?;
    let folder = match &arguments.snapshots_dir {
        Some(folder) => folder.clone(),
        None => snapshots_folder(&arguments.rounds.folder),
    };
    let universes = Universes::default();
    let mut failed = BTreeMap::new();
    let (mut open, mut told) = (Vec::new(), Vec::new());
    for round in &rounds {
        match open_round(arguments, round, &universes) {
            Ok(Ok(found)) => open.push(found),
            Ok(Err(reason)) => told.push((round.name(), Tracked::Skipped(reason))),
            Err(error) => {
                failed.insert(round.name(), error.to_string());
            }
        }
    }
    for round in open.iter().filter(|_| !arguments.dry_run) {
        let given = arguments.now.instant;
        note_given_instant(&round.inputs.folder, "update-interim-performance", given)?;
    }
    let snapshot = match ensure_snapshot(arguments, &folder, &open) {
        Ok(word) => word.to_owned(),
        Err(error) if arguments.soft_fail => format!("missing: {error}"),
        Err(error) => return Err(error),
    };
    let sheets = usable_sheets(&folder, &rounds)?;
    for round in &open {
        let name = round.inputs.folder.name();
        let now = now_or(arguments.now.instant);
        match track(round, &sheets, (!arguments.dry_run).then_some(now)) {
            Ok(day) => told.push((name, Tracked::Until(day))),
            Err(error) => {
                failed.insert(name, error.to_string());
            }
        }
    }
    told.sort_by(|a, b| a.0.cmp(&b.0));
    report(arguments, &snapshot, &told, &failed);
    Ok(Exit::of(failed.is_empty()))
}

/// A round between entry and exit with a record, or why it is not tracked.
fn open_round(
    arguments: &UpdateInterimPerformance,
    folder: &RoundFolder,
    universes: &Universes,
) -> Result<Result<Open, &'static str>, CommandError> {
    let inputs = RoundInputs::load(folder.clone(), universes)?;
    let Some(window) = inputs.manifest.window else {
        return Ok(Err("it has no window"));
    };
    let wanted = match arguments.track {
        TrackChoice::All => true,
        TrackChoice::Weekly => inputs.manifest.track() == Some(Track::Weekly),
        TrackChoice::Monthly => inputs.manifest.track() == Some(Track::Monthly),
    };
    if !wanted {
        return Ok(Err("it is of another track"));
    }
    if arguments.snapshot_date >= window.exit {
        return Ok(Err("its window is over on that day"));
    }
    if arguments.snapshot_date < window.entry {
        return Ok(Err("its window has not begun on that day"));
    }
    let runs = folder.runs()?;
    let enforcement = inputs.manifest.methodology.enforcement();
    let Ok(record) = official_run(&runs, enforcement) else {
        return Ok(Err("it has no official run"));
    };
    Ok(Ok(Open {
        run: folder.run(&record.run_id)?,
        rules: record.rules,
        window,
        inputs,
    }))
}

/// Makes sure that the day has its snapshot, and says how.
fn ensure_snapshot(
    arguments: &UpdateInterimPerformance,
    folder: &Path,
    open: &[Open],
) -> Result<&'static str, CommandError> {
    let day = arguments.snapshot_date;
    let file = snapshot_file(folder, day);
    let there = file.is_file();
    if there && !arguments.manner.overwrite_snapshot {
        return Ok("reused");
    }
    if arguments.manner.skip_fetch {
        return Ok("missing");
    }
    if let Some(reason) = closure_reason(day) {
        let text = format!("--snapshot-date {day} has no session ({reason})");
        return Err(CommandError::new(text));
    }
    let now = now_or(arguments.now.instant);
    if let Some(ready) = rows_final_at(day).filter(|ready| *ready > now) {
        let text = format!("the rows of {day} are not final before {ready}");
        return Err(CommandError::new(text).hint("fetch them after that; nothing was written"));
    }
    let named = |round: &&Open| {
        let name = arguments.universe_round.as_ref();
        name.is_none_or(|name| *name == round.inputs.folder.name())
    };
    let largest = open.iter().filter(named);
    let largest = largest.max_by_key(|round| round.inputs.universe.options().len());
    let Some(round) = largest else {
        return match &arguments.universe_round {
            None => Ok("missing"),
            Some(name) => {
                let text = format!("--universe-round {name} is no open round of this track");
                Err(CommandError::new(text))
            }
        };
    };
    if arguments.dry_run {
        return Ok(if there {
            "would be overwritten"
        } else {
            "would be created"
        });
    }
    let text = fetch_snapshot(arguments, &round.inputs, day)?;
    file_ops::create_folder(folder)?;
    file_ops::replace(&file, text.as_bytes())?;
    Ok(if there { "overwritten" } else { "created" })
}

/// The closes of one day of a whole universe.
fn fetch_snapshot(
    arguments: &UpdateInterimPerformance,
    inputs: &RoundInputs,
    day: Date,
) -> Result<String, CommandError> {
    let opened = open_counted(
        arguments.source.source,
        arguments.source.histories.as_deref(),
    )?;
    let state = state_folder(&arguments.rounds.folder)?;
    let clock = Clock::starting_at(arguments.now.instant);
    let asking = asking(&opened, &state, clock, AtLimit::Stop);
    let options: Vec<_> = inputs
        .universe
        .options()
        .iter()
        .filter(|option| !option.is_cash())
        .filter_map(|option| Some((option.id.clone(), option.data_symbol.clone()?)))
        .collect();
    let question = format!("snapshot_{day}");
    let days = Days::both_ends(day, day);
    let answers = match wait(asking.ask_all(&question, &options, &days))?? {
        Asked::Stopped { at, done, of } => {
            return Err(used_up(asking.source.name(), at, (done, of)));
        }
        Asked::All(answers) => answers,
    };
    let mut windows = Vec::new();
    for (option_id, answer) in answers {
        let answered = answer.map_err(|text| {
            CommandError::new(format!("{option_id}: {text}")).hint("no snapshot was written")
        })?;
        windows.push(answered.window);
    }
    let label = asking.source.stored_label();
    let text = price_sheet::render(&inputs.universe, &windows, day, label);
    asking.forget(&question)?;
    Ok(text)
}

fn valid(round: &Open) -> Result<Vec<Submission>, CommandError> {
    derivation::require(&round.inputs, &round.run)?;
    let parsed = load_parsed(&round.inputs, &round.run, round.rules)?;
    Ok(parsed
        .into_iter()
        .filter_map(|file| file.verdict.ok())
        .collect())
}

/// Rewrites the files of a round; the last day it is tracked to.
fn track(round: &Open, sheets: &Sheets, written: Option<Timestamp>) -> Result<Date, CommandError> {
    let (entry, made) = entry_sheet(&round.inputs, round.window, sheets)?;
    let days = days_of(round.window, &entry, sheets);
    let files = files(&round.inputs, &round.run, &valid(round)?, &days)?;
    if let Some(now) = written {
        let held = take_awaited(&round.inputs.folder)?;
        store(&round.inputs.folder, &round.run, &files, made.as_deref())?;
        record(&round.inputs.folder, now)?;
        if let Some(held) = held {
            held.release()?;
        }
    }
    Ok(days.last().map_or(round.window.entry, |(day, _)| *day))
}

fn report(
    arguments: &UpdateInterimPerformance,
    snapshot: &str,
    told: &[(String, Tracked)],
    failed: &BTreeMap<String, String>,
) {
    if arguments.output.json {
        let rounds = told.iter().map(|(name, tracked)| match tracked {
            Tracked::Until(day) => {
                json!({"round_id": name, "state": "tracked", "until": day.to_string()})
            }
            Tracked::Skipped(reason) => {
                json!({"round_id": name, "state": "skipped", "reason": reason})
            }
        });
        document(&json!({
            "snapshot_date": arguments.snapshot_date.to_string(),
            "snapshot": snapshot,
            "note": NOTE,
            "rounds": rounds.collect::<Vec<_>>(),
            "failures": failed,
        }));
        return;
    }
    line(format!(
        "snapshot of {}: {snapshot}",
        arguments.snapshot_date
    ));
    for (name, tracked) in told {
        match tracked {
            Tracked::Until(day) => line(format!("{name}: tracked to {day} ({NOTE})")),
            Tracked::Skipped(reason) => line(format!("{name}: {}", paint(DIM, reason))),
        }
    }
    for (name, error) in failed {
        remark(format!("{} {name}: {error}", paint(ERROR, "error:")));
    }
}

pub(crate) fn run_one(arguments: &UpdateWeeklyPerformance) -> Result<Exit, CommandError> {
    let (paths, given) = (&arguments.snapshot_price_file, &arguments.snapshot_date);
    if paths.len() != given.len() {
        let text = "every --snapshot-price-file needs its --snapshot-date";
        return Err(CommandError::new(text));
    }
    let folder = RoundFolder::open(&arguments.round.path)?;
    let inputs = RoundInputs::load(folder.clone(), &Universes::default())?;
    let run_id = parse_run_id("--run-id", &arguments.run_id)?;
    let run = folder.run(&run_id)?;
    let rules = run.record()?.run.rules;
    let window = inputs.manifest.window.ok_or_else(|| {
        CommandError::new(format!("the manifest of {} names no window", folder.name()))
    })?;
    let mut sheets = Sheets::new();
    for (path, day) in paths.iter().zip(given) {
        let bytes = file_ops::read(path).map_err(FileError::from)?;
        let sheet = price_sheet::parse(&bytes).map_err(|fault| fault.in_file(path))?;
        if *day <= window.entry || *day >= window.exit {
            let text = format!("--snapshot-date {day} is not between entry and exit");
            return Err(CommandError::new(text));
        }
        if sheets.insert(*day, sheet).is_some() {
            return Err(CommandError::new(format!(
                "--snapshot-date {day} is given twice"
            )));
        }
    }
    let round = Open {
        inputs,
        window,
        run,
        rules,
    };
    let day = track(&round, &sheets, Some(now_or(None)))?;
    if arguments.output.json {
        document(&json!({"round_id": folder.name(), "until": day.to_string(), "note": NOTE}));
    } else {
        line(format!("{}: tracked to {day} ({NOTE})", folder.name()));
    }
    Ok(Exit::Success)
}
