//! One run from its prices to its results.

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::log::LogFolder;
use capitalbench_archive::prices::unproved_prices;
use capitalbench_archive::results::corrections::{Correction, Stored, store_results};
use capitalbench_archive::results::exceptions::Exceptions;
use capitalbench_archive::results::scoring::{ScoredRun, score_run_allowing};
use capitalbench_archive::round::ending;
use capitalbench_archive::round::freeze::{self, FreezeError};
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs};
use capitalbench_archive::run::run_folder::RunFolder;
use capitalbench_core::asking::run::{NoOfficialRun, RunRules, official_run};
use capitalbench_core::round::manifest::Window;
use capitalbench_core::round::methodology::Enforcement;
use capitalbench_core::values::ids::RunId;
use capitalbench_core::values::time::WrittenInstant;
use jiff::Timestamp;

use crate::error::Error;
use crate::operator::Operator;
use crate::proof::anchor::follow_step;
use crate::proof::promise::Promise;
use crate::proof::record::{Recorded, record};

/// What is to be done with a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Writing {
    /// Compute it, write nothing.
    DryRun,
    Write(Reasons),
}

/// What an operator allows, each with the reason that is stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reasons {
    /// Why other results may be replaced.
    pub correct: Option<String>,
    /// Why two sources that are apart do not matter.
    pub accept_cross_check: Option<String>,
    /// Why sheets without the record of a fetch count.
    pub accept_unproved: Option<String>,
}

/// A run and the rules it was made by.
#[derive(Debug)]
pub struct RuledRun {
    pub folder: RunFolder,
    pub rules: RunRules,
}

impl RuledRun {
    /// The run that is the record of a round.
    pub fn official(round: &RoundFolder) -> Result<Result<Self, NoOfficialRun>, FileError> {
        let runs = round.runs()?;
        Ok(match official_run(&runs, round.record_rules()?) {
            Ok(run) => Ok(Self {
                folder: round.run(&run.run_id)?,
                rules: run.rules,
            }),
            Err(reason) => Err(reason),
        })
    }

    /// The named run; else the record, or the only run.
    pub fn named_or_official(round: &RoundFolder, id: Option<&RunId>) -> Result<Self, FileError> {
        let folder = match id {
            Some(id) => round.run(id)?,
            None => match Self::official(round)? {
                Ok(official) => return Ok(official),
                Err(_) => round.run_or_only(None)?,
            },
        };
        let rules = folder.record()?.run.rules;
        Ok(Self { folder, rules })
    }
}

#[derive(Debug)]
pub struct Scored {
    pub round: String,
    pub run_id: RunId,
    /// The name of the reference.
    pub reference: String,
    pub result: ScoredRun,
    /// What became of the files; none when nothing was to be written.
    pub stored: Option<Stored>,
    /// What became of the log; none when nothing was to be written.
    pub recorded: Option<Recorded>,
}

/// Scores a run once its window has closed, and stores the result.
pub fn score(
    operator: &Operator,
    inputs: &RoundInputs,
    run: &RuledRun,
    now: Timestamp,
    writing: &Writing,
) -> Result<Scored, Error> {
    refuse_changed_inputs(inputs)?;
    refuse_open(inputs, now)?;
    let round = inputs.folder.name();
    let RuledRun { folder: run, rules } = run;
    refuse_unaccepted(inputs, run)?;
    Promise::of(&inputs.folder, &inputs.manifest).require_order(now)?;
    let exceptions = match writing {
        Writing::DryRun => Exceptions::default(),
        Writing::Write(reasons) => {
            let apart = reasons.accept_cross_check.as_deref();
            let unproved = reasons.accept_unproved.as_deref();
            Exceptions::of(&inputs.folder, apart, unproved, now)?
        }
    };
    let result = score_run_allowing(inputs, run, *rules, &exceptions)?;
    if exceptions.unproved.is_none() {
        refuse_unproved(inputs)?;
    }
    let stored = match writing {
        Writing::DryRun => None,
        Writing::Write(Reasons { correct, .. }) => {
            let correction = correct.as_ref().map(|reason| Correction {
                reason: reason.clone(),
                at: WrittenInstant::of(now),
            });
            // What contradicts the log is refused before a result is written from it.
            if correct.is_none() {
                record(operator, &inputs.folder, now)?;
            }
            let log = LogFolder::of_round(&inputs.folder);
            let signed = log.signed_results(&round, run.run_id().as_str())?;
            Some(store_results(run, &result, &signed, correction.as_ref())?)
        }
    };
    exceptions.store(&inputs.folder)?;
    let recorded = stored
        .as_ref()
        .map(|_| record(operator, &inputs.folder, now));
    let recorded = recorded.transpose()?;
    if recorded.is_some() {
        follow_step(operator, &inputs.folder, &inputs.manifest)?;
    }
    Ok(Scored {
        recorded,
        round,
        run_id: run.run_id().clone(),
        reference: inputs.universe.reference().name.clone(),
        result,
        stored,
    })
}

/// A round whose window is open has no result.
pub fn refuse_open(inputs: &RoundInputs, now: Timestamp) -> Result<(), Error> {
    let exit = inputs.manifest.window.and_then(Window::exit_close);
    let Some(close) = exit.filter(|close| *close > now) else {
        return Ok(());
    };
    let round = inputs.folder.name();
    let text = format!("{round} is open until its exit close at {close}");
    Err(Error::new(text).hint("score it after that; nothing was written"))
}

/// Under our own labels a run becomes the record by its acceptance, before its score is known.
fn refuse_unaccepted(inputs: &RoundInputs, run: &RunFolder) -> Result<(), Error> {
    let folder = &inputs.folder;
    let rules = inputs.manifest.record_rules();
    ending::require_open(folder)?;
    match official_run(&folder.runs()?, rules) {
        Err(reason @ NoOfficialRun::NotAccepted(_)) if run.record()?.run.may_count(rules) => {
            let (round, run) = (folder.name(), run.run_id());
            let hint = format!("capitalbench accept-run --round {round} --run-id {run}");
            Err(Error::new(format!("{round}: {reason}")).hint(hint))
        }
        _ => Ok(()),
    }
}

/// Under our own labels prices are scored only with the record of their fetch.
fn refuse_unproved(inputs: &RoundInputs) -> Result<(), Error> {
    let Some(problem) = unproved_prices::problem(inputs)? else {
        return Ok(());
    };
    let text = format!("{}: {problem}", inputs.folder.name());
    Err(Error::new(text).hint(
        "fetch both sides with `capitalbench fetch-prices --full-universe`; to score these anyway, \
         give --accept-unproved-prices REASON",
    ))
}

/// Scoring follows what was frozen or does not happen.
///
/// Rounds of the earlier project hold large histories that scoring does not read, so only their
/// rules and options are compared here; `verify` compares everything.
pub fn refuse_changed_inputs(inputs: &RoundInputs) -> Result<(), Error> {
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
