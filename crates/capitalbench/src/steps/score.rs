//! One run from its prices to its results.

use capitalbench_archive::log::LogFolder;
use capitalbench_archive::prices::unproved_prices;
use capitalbench_archive::results::corrections::{Correction, Stored, store_results};
use capitalbench_archive::results::exceptions::Exceptions;
use capitalbench_archive::results::scoring::{ScoredRun, score_run_allowing};
use capitalbench_archive::round::freeze::{self, FreezeError};
use capitalbench_archive::round::round_folder::RoundInputs;
use capitalbench_archive::run::run_folder::RunFolder;
use capitalbench_core::asking::run::{NoOfficialRun, RunRules, official_run};
use capitalbench_core::round::manifest::Window;
use capitalbench_core::round::methodology::Enforcement;
use capitalbench_core::values::ids::RunId;
use capitalbench_core::values::time::Stamp;
use jiff::Timestamp;

use super::anchor::follow_step;
use super::promise::require_order;
use super::record::{Recorded, record};
use crate::clock::Clock;
use crate::error::CommandError;

/// What is to be done with a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Writing {
    /// Compute it, write nothing.
    DryRun,
    /// Store it.
    Write {
        /// Why other results may be replaced.
        correct: Option<String>,
        /// Why two sources that are apart do not matter.
        accept_cross_check: Option<String>,
        /// Why sheets without the record of a fetch count.
        accept_unproved: Option<String>,
    },
}

/// A scored run with its names.
pub(crate) struct Scored {
    pub(crate) round: String,
    pub(crate) run_id: RunId,
    pub(crate) result: ScoredRun,
    /// What became of the files; none when nothing was to be written.
    pub(crate) stored: Option<Stored>,
    /// What became of the log; none when nothing was to be written.
    pub(crate) recorded: Option<Recorded>,
}

/// Scores a run once its window has closed, and stores the result.
pub(crate) fn score(
    inputs: &RoundInputs,
    (run, rules): (&RunFolder, RunRules),
    now: Timestamp,
    writing: &Writing,
) -> Result<Scored, CommandError> {
    refuse_changed_inputs(inputs)?;
    refuse_open(inputs, now)?;
    let round = inputs.folder.name();
    refuse_unaccepted(inputs, run)?;
    require_order(&inputs.folder, &inputs.manifest, now)?;
    let exceptions = match writing {
        Writing::DryRun => Exceptions::default(),
        Writing::Write {
            accept_cross_check: apart,
            accept_unproved: unproved,
            ..
        } => Exceptions::of(&inputs.folder, apart.as_deref(), unproved.as_deref(), now)?,
    };
    let result = score_run_allowing(inputs, run, rules, &exceptions)?;
    if exceptions.unproved.is_none() {
        refuse_unproved(inputs)?;
    }
    let stored = match writing {
        Writing::DryRun => None,
        Writing::Write { correct, .. } => {
            let correction = correct.as_ref().map(|reason| Correction {
                reason: reason.clone(),
                at: Stamp::of(now),
            });
            // What contradicts the log is refused before a result is written from it.
            if correct.is_none() {
                record(&inputs.folder, now)?;
            }
            let log = LogFolder::of_round(&inputs.folder);
            let signed = log.signed_results(&round, run.run_id().as_str())?;
            Some(store_results(run, &result, &signed, correction.as_ref())?)
        }
    };
    exceptions.store(&inputs.folder)?;
    let recorded = stored.as_ref().map(|_| record(&inputs.folder, now));
    let recorded = recorded.transpose()?;
    if recorded.is_some() {
        let clock = Clock::starting_at(Some(now));
        follow_step(&inputs.folder, &inputs.manifest, clock)?;
    }
    Ok(Scored {
        recorded,
        round,
        run_id: run.run_id().clone(),
        result,
        stored,
    })
}

/// A round whose window is open has no result.
pub(crate) fn refuse_open(inputs: &RoundInputs, now: Timestamp) -> Result<(), CommandError> {
    let exit = inputs.manifest.window.and_then(Window::exit_close);
    let Some(close) = exit.filter(|close| *close > now) else {
        return Ok(());
    };
    let round = inputs.folder.name();
    let text = format!("{round} is open until its exit close at {close}");
    Err(CommandError::new(text).hint("score it after that; nothing was written"))
}

/// Under our own labels a run becomes the record by its acceptance, before anybody sees its score.
fn refuse_unaccepted(inputs: &RoundInputs, run: &RunFolder) -> Result<(), CommandError> {
    let folder = &inputs.folder;
    let enforcement = inputs.manifest.methodology.enforcement();
    match official_run(&folder.runs()?, enforcement) {
        Err(reason @ NoOfficialRun::NotAccepted(_)) if run.record()?.run.may_count() => {
            let (round, run) = (folder.name(), run.run_id());
            let hint = format!("capitalbench accept-run --round {round} --run-id {run}");
            Err(CommandError::new(format!("{round}: {reason}")).hint(hint))
        }
        _ => Ok(()),
    }
}

/// Under our own labels nobody scores prices of which nothing is known.
fn refuse_unproved(inputs: &RoundInputs) -> Result<(), CommandError> {
    let Some(problem) = unproved_prices::problem(inputs)? else {
        return Ok(());
    };
    let text = format!("{}: {problem}", inputs.folder.name());
    Err(CommandError::new(text).hint(
        "fetch both sides with `capitalbench fetch-prices --full-universe`; to score these all the \
         same, give --accept-unproved-prices REASON",
    ))
}

/// Scoring follows what was frozen or does not happen.
///
/// Rounds of the earlier project hold large histories that scoring does not read, so only their
/// rules and options are compared here; `verify` compares everything.
pub(crate) fn refuse_changed_inputs(inputs: &RoundInputs) -> Result<(), CommandError> {
    let folder = &inputs.folder;
    if inputs.manifest.methodology.enforcement() == Enforcement::Refuse {
        return Ok(freeze::require_unchanged(folder)?);
    }
    let problems = freeze::changed_rules(folder)?;
    if problems.is_empty() {
        return Ok(());
    }
    let round = folder.name();
    Err(FreezeError::Changed { round, problems }.into())
}
