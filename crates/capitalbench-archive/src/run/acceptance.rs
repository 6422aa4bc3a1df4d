//! Accepting a run: gathers the facts for the rules in core, and writes `acceptance.json`.

use std::collections::BTreeMap;

use capitalbench_core::asking::acceptance::{
    Acceptance, AcceptanceFacts, Choice, Freeze, Submissions, Times,
};
use capitalbench_core::asking::run::{Run, Selection, selection};
use capitalbench_core::round::manifest::Window;
use capitalbench_core::values::ids::{Digest, ModelId};
use capitalbench_core::values::time::WrittenInstant;
use jiff::Timestamp;

use crate::disk::error::FileError;
use crate::disk::file_ops;
use crate::disk::layout::{self, run};
use crate::format::run::acceptance;
use crate::format::run::run_log::RunLogLine;
use crate::log::LogFolder;
use crate::round::round_folder::RoundInputs;
use crate::round::{ending, freeze};
use crate::run::missing_answers::{missing_answers, raw_files};
use crate::run::run_folder::RunFolder;
use crate::run::validation::{Checked, validate_run};

/// Gathers the facts that decide whether a run may be accepted; validates every submission again.
pub fn facts(
    inputs: &RoundInputs,
    folder: &RunFolder,
    choice: Choice,
    accepted_at: Timestamp,
) -> Result<AcceptanceFacts, FileError> {
    let record = folder.record()?;
    let own = record.run;
    let manifest = &inputs.manifest;
    let checked = validate_run(inputs, folder, own.rules)?;
    let log = folder.run_log()?.unwrap_or_default();
    let ends = |wanted: fn(&&RunLogLine) -> bool| -> Vec<Timestamp> {
        let lines = log.iter().filter(wanted);
        let ends = lines.filter_map(|line| line.completed_at.as_ref());
        ends.map(WrittenInstant::at).collect()
    };
    let window = manifest.window;
    let runs = inputs.folder.runs()?;
    let others: Vec<&Run> = runs
        .iter()
        .filter(|run| run.run_id != *folder.run_id())
        .filter(|run| selection(run, &runs) == Selection::Selected)
        .collect();
    Ok(AcceptanceFacts {
        rules: manifest.record_rules(),
        freeze: freeze_state(inputs)?,
        kind: own.rules.kind,
        stream: manifest.stream,
        calls: own.calls,
        eligible: own.eligible && !record.format_retry,
        counts: own.counts,
        submissions: submissions(&checked),
        missing: missing_answers(folder)?,
        roster: manifest.roster.as_ref().map(|r| r.model_ids.clone()),
        times: Times {
            accepted_at,
            record_accepted: others.iter().filter_map(|run| accepted_at_of(run)).max(),
            calls_ended: ends(|_| true),
            answers_ended: ends(|line| line.valid == Some(true)),
            deadline: manifest.decision_deadline.as_ref().map(WrittenInstant::at),
            entry_close: window.and_then(Window::entry_close),
        },
        accepted_before: own.acceptance.is_some(),
        outcome: known_outcome(inputs, accepted_at)?,
        others_accepted: others.iter().map(|run| run.run_id.clone()).collect(),
        choice,
    })
}

/// Reasons why the operator who accepts a run now may know the outcome: the exit close has passed,
/// or the log holds exit prices or results.
fn known_outcome(inputs: &RoundInputs, accepted_at: Timestamp) -> Result<Vec<String>, FileError> {
    let round = &inputs.folder;
    let mut found = Vec::new();
    let exit = inputs.manifest.window.and_then(Window::exit_close);
    if let Some(exit) = exit.filter(|exit| *exit <= accepted_at) {
        found.push(format!("the exit close was at {exit}"));
    }
    let log = LogFolder::of_round(round);
    if !log.signed_prices(&round.name())?.is_empty() {
        found.push("the log holds exit prices".to_owned());
    }
    for id in round.run_ids()? {
        if !log.signed_results(&round.name(), id.as_str())?.is_empty() {
            found.push(format!("the log holds results of {id}"));
        }
    }
    Ok(found)
}

fn freeze_state(inputs: &RoundInputs) -> Result<Freeze, FileError> {
    let Some(problems) = freeze::changes(&inputs.folder)? else {
        return Ok(Freeze::Draft);
    };
    let text = |problem: &freeze::HashProblem| format!("{} {}", problem.file(), problem.text());
    let changed = problems.iter().map(text).collect();
    Ok(Freeze::Frozen { changed })
}

fn submissions(checked: &[Checked]) -> Submissions {
    let mut found = Submissions::default();
    for file in checked {
        let model_id = file.model_id().map(ModelId::parse);
        found.model_ids.extend(model_id.and_then(Result::ok));
        match &file.verdict {
            Ok(_) => found.valid += 1,
            Err(_) => found
                .invalid
                .push(format!("{}: {}", file.name, file.reason())),
        }
    }
    found
}

/// When the operator accepted a run, by its acceptance or by its manifest.
pub fn accepted_at_of(run: &Run) -> Option<Timestamp> {
    let stamp = run.acceptance.as_ref().map(|own| &own.accepted_at);
    stamp.or(run.accepted_at.as_ref()).map(WrittenInstant::at)
}

/// Digests of the raw submissions of a run, by path inside it.
pub fn submission_digests(folder: &RunFolder) -> Result<BTreeMap<String, Digest>, FileError> {
    let mut digests = BTreeMap::new();
    for name in folder.submission_names(run::RAW)? {
        let path = format!("{}/{name}", run::RAW);
        let bytes = file_ops::read(&folder.file(&path))?;
        digests.insert(path, Digest::of(&bytes));
    }
    Ok(digests)
}

/// Writes the acceptance of a run that may be accepted; refuses to overwrite one.
///
/// `facts` are those that were judged: they name the run that this one supersedes.
pub fn accept(
    inputs: &RoundInputs,
    folder: &RunFolder,
    facts: &AcceptanceFacts,
    reason: Option<String>,
) -> Result<Acceptance, FileError> {
    let log = file_ops::read(&folder.file(run::RUN_LOG))?;
    let missing = match facts.rules.enough {
        Some(_) => facts.missing.clone(),
        None => Vec::new(),
    };
    let mut submissions = submission_digests(folder)?;
    for path in raw_files(&missing) {
        submissions.remove(&path);
    }
    let _turn = ending::hold_if_asked(&inputs.folder)?;
    ending::require_open(&inputs.folder)?;
    let acceptance = Acceptance {
        round_id: inputs.manifest.round_id.clone(),
        run_id: folder.run_id().clone(),
        accepted_at: WrittenInstant::of(facts.times.accepted_at),
        run_log: Digest::of(&log),
        submissions,
        hashes: Digest::of(&inputs.folder.read(layout::HASHES)?),
        supersedes: facts.others_accepted.first().cloned(),
        reason,
        missing,
    };
    let text = acceptance::render(&acceptance);
    file_ops::create_new(&folder.file(run::ACCEPTANCE), text.as_bytes())?;
    Ok(acceptance)
}
