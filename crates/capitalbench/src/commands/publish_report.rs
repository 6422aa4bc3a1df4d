//! `publish-report` and `publish-round-summary`: reports for people.

use capitalbench_archive::disk::file_ops;
use capitalbench_archive::disk::layout;
use capitalbench_archive::results::report::{RunReport, round_summary};
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_core::asking::run::{RunKind, official_run};
use serde_json::json;

use super::{Exit, parse_run_id, run_id};
use crate::cli::{PublishReport, PublishRoundSummary};
use crate::clock::now_or;
use crate::console::{document, line};
use crate::error::CommandError;
use crate::steps::given_instant::note_given_instant;
use crate::steps::held_round::take_awaited;
use crate::steps::promise::require_order;
use crate::steps::record::record;
use crate::steps::report::publish;

pub(crate) fn run(arguments: &PublishReport) -> Result<Exit, CommandError> {
    let folder = RoundFolder::open(&arguments.round.path)?;
    let inputs = RoundInputs::load(folder.clone(), &Universes::default())?;
    let run = match run_id(arguments.run_id.as_deref())? {
        Some(run_id) => folder.run(&run_id)?,
        None => match official_run(&folder.runs()?, folder.enforcement()?) {
            Ok(record) => folder.run(&record.run_id)?,
            Err(_) => folder.run_or_only(None)?,
        },
    };
    note_given_instant(&folder, "publish-report", arguments.now.instant)?;
    let held = take_awaited(&folder)?;
    let published = publish(&inputs, &run, now_or(arguments.now.instant))?;
    if let Some(held) = held {
        held.release()?;
    }
    let state = if published.resolved {
        "resolved"
    } else {
        "pending"
    };
    if arguments.output.json {
        document(&json!({
            "round_id": folder.name(),
            "run_id": run.run_id().as_str(),
            "state": state,
            "files": published.files,
        }));
    } else {
        for file in published.files {
            line(format!("{} ({state})", run.file(file).display()));
        }
    }
    Ok(Exit::Success)
}

pub(crate) fn run_summary(arguments: &PublishRoundSummary) -> Result<Exit, CommandError> {
    let folder = RoundFolder::open(&arguments.round.path)?;
    let inputs = RoundInputs::load(folder.clone(), &Universes::default())?;
    let now = now_or(arguments.now.instant);
    require_order(&folder, &inputs.manifest, now)?;
    let load = |flag: &str, text: &str, kind: RunKind| {
        let run = folder.run(&parse_run_id(flag, text)?)?;
        let found = run.record()?.run.rules.kind;
        if found != kind {
            let text = format!("{flag} {text}: is a run of the type {}", found.as_str());
            let hint = format!("name one of the type {}", kind.as_str());
            return Err(CommandError::new(text).hint(hint));
        }
        Ok(RunReport::load(&inputs, &run, now)?)
    };
    let official = load(
        "--official-run-id",
        &arguments.official_run_id,
        RunKind::Official,
    )?;
    let consistent = load(
        "--stability-run-id",
        &arguments.stability_run_id,
        RunKind::Consistency,
    )?;
    note_given_instant(&folder, "publish-round-summary", arguments.now.instant)?;
    let held = take_awaited(&folder)?;
    let file = folder.file(layout::ROUND_SUMMARY);
    file_ops::replace(&file, round_summary(&official, &consistent)?.as_bytes())?;
    record(&folder, now)?;
    if let Some(held) = held {
        held.release()?;
    }
    if arguments.output.json {
        document(&json!({
            "round_id": folder.name(),
            "files": [layout::ROUND_SUMMARY],
            "resolved": official.is_resolved(),
        }));
    } else {
        line(file.display());
    }
    Ok(Exit::Success)
}
