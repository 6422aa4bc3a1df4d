//! Scores one run, or every official run of a folder.

use std::path::Path;

use capitalbench_archive::disk::layout::{ENTRY_PRICES, EXIT_PRICES};
use capitalbench_archive::round::ending;
use capitalbench_archive::round::jobs;
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes, list_rounds};
use capitalbench_core::round::resolution_job::{JobStatus, ResolutionJob};
use capitalbench_core::values::ids::RunId;
use jiff::Timestamp;
use rayon::prelude::*;

use super::held_round::with_awaited;
use super::score::{RuledRun, Scored, Writing, refuse_open, score};
use crate::error::Error;
use crate::operator::files::open_inputs;
use crate::operator::{Notice, Operator};
use crate::proof::given_instant::note_given_instant;
use crate::proof::record::record;

/// Scores the named run of a round; else its record, or its only run.
pub fn score_round(
    operator: &Operator,
    round: &Path,
    run_id: Option<&RunId>,
    writing: &Writing,
) -> Result<Scored, Error> {
    let folder = RoundFolder::open(round)?;
    ending::require_open(&folder)?;
    note_instant(operator, &folder, writing)?;
    let run = RuledRun::named_or_official(&folder, run_id)?;
    let inputs = open_inputs(round)?;
    score_held(operator, &inputs, &run, operator.now(), writing)
}

/// The scores of a folder, and the rounds that could not be scored.
#[derive(Debug)]
pub struct FolderScores {
    pub done: Vec<Scored>,
    pub failed: Vec<(String, Error)>,
}

/// Scores every official run of a folder that has both price sheets.
pub fn score_folder(
    operator: &Operator,
    folder: &Path,
    writing: &Writing,
) -> Result<FolderScores, Error> {
    let rounds = list_rounds(folder)?;
    for round in &rounds {
        note_instant(operator, round, writing)?;
    }
    let (universes, now, of) = (Universes::default(), operator.now(), rounds.len());
    let done = std::sync::atomic::AtomicUsize::new(0);
    let scored: Vec<(String, Result<Option<Scored>, Error>)> = rounds
        .par_iter()
        .map(|round| {
            let result = score_official(operator, round, &universes, now, writing);
            let done = 1 + done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let what = "scoring";
            operator.say(&Notice::Progress { what, done, of });
            (round.name(), result)
        })
        .collect();
    operator.say(&Notice::ProgressEnded);
    let mut all = FolderScores {
        done: Vec::new(),
        failed: Vec::new(),
    };
    for (round, result) in scored {
        match result {
            Ok(scored) => all.done.extend(scored),
            Err(error) => all.failed.push((round, error)),
        }
    }
    Ok(all)
}

/// A given instant matters only where it is written.
fn note_instant(operator: &Operator, round: &RoundFolder, writing: &Writing) -> Result<(), Error> {
    match writing {
        Writing::DryRun => Ok(()),
        Writing::Write(_) => note_given_instant(operator, round, "score-round"),
    }
}

/// Scores the official run of a round; none when there is no record or a sheet is missing.
fn score_official(
    operator: &Operator,
    round: &RoundFolder,
    universes: &Universes,
    now: Timestamp,
    writing: &Writing,
) -> Result<Option<Scored>, Error> {
    let priced = [ENTRY_PRICES, EXIT_PRICES].map(|sheet| round.file(sheet).is_file());
    if priced != [true, true] {
        return Ok(None);
    }
    let Ok(run) = RuledRun::official(round)? else {
        return Ok(None);
    };
    let inputs = RoundInputs::load(round.clone(), universes)?;
    score_held(operator, &inputs, &run, now, writing).map(Some)
}

/// Scores with the round held where a worker may want it.
fn score_held(
    operator: &Operator,
    inputs: &RoundInputs,
    run: &RuledRun,
    now: Timestamp,
    writing: &Writing,
) -> Result<Scored, Error> {
    if *writing == Writing::DryRun {
        return score(operator, inputs, run, now, writing);
    }
    refuse_open(inputs, now)?;
    with_awaited(&inputs.folder, || {
        let scored = score(operator, inputs, run, now, writing)?;
        settle_job(operator, &inputs.folder, &scored, now)?;
        Ok(scored)
    })
}

/// A job that waits for what was just done by hand has nothing left to do.
fn settle_job(
    operator: &Operator,
    folder: &RoundFolder,
    scored: &Scored,
    now: Timestamp,
) -> Result<(), Error> {
    let waits = |job: &ResolutionJob| {
        job.run_id == scored.run_id
            && matches!(job.status, JobStatus::Scheduled | JobStatus::Failed)
    };
    if scored.stored.is_some()
        && let Some(mut job) = jobs::load(folder)?.filter(waits)
    {
        job.succeed(now);
        jobs::store(folder, &job)?;
        record(operator, folder, now)?;
    }
    Ok(())
}
