//! A run of a frozen round: planned or taken up again; [`ReadyRun`] asks it to its end.

use std::path::{Path, PathBuf};
use std::time::Duration;

use capitalbench_archive::disk::layout::{self, run as files};
use capitalbench_archive::disk::shell::shell_word;
use capitalbench_archive::round::ending;
use capitalbench_archive::round::freeze::{self, HashProblem};
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_archive::run::in_flight::official_in_flight;
use capitalbench_archive::run::ledger::Ledger;
use capitalbench_core::asking::run::RunKind;
use capitalbench_core::values::ids::{ModelId, RunId};
use capitalbench_core::values::time::WrittenInstant;

use super::plan::prepare;
use super::question::Question;
use super::repair::Rename;
use super::seats::{Known, cap, seats};
use crate::error::Error;
use crate::operator::Operator;
use crate::proof::promise::Promise;
use crate::proof::record::record;

mod ready_run;

pub use ready_run::{ReadyRun, RunReport};

/// What an operator wants asked.
#[derive(Debug)]
pub struct AskRequest {
    pub round: PathBuf,
    /// The model configuration.
    pub models: PathBuf,
    /// The operator's own price card.
    pub pricing: Option<PathBuf>,
    /// The folder from which the record names both files; by default they are named as typed.
    pub home: Option<PathBuf>,
    /// By default the time and the kind.
    pub run_id: Option<RunId>,
    pub start: Start,
    pub kind: Option<RunKind>,
    pub replicates: Option<u32>,
    pub permission: Permission,
    pub missing_keys: MissingKeys,
    /// Another seed gives other answers of the mock.
    pub seed: u64,
    pub max_retries: u32,
    pub max_cost_usd: Option<f64>,
    /// Most calls of one provider at once.
    pub concurrent: usize,
    /// First pause before a call is repeated.
    pub pause: Option<Duration>,
    /// Whether control entrants are recorded beside the models.
    pub controls: bool,
    /// New names of models whose every call was turned away; only with [`Start::Resume`].
    pub renames: Vec<Rename>,
    /// Of the configured models only these; all of them where none is named.
    pub only: Vec<ModelId>,
    /// Plan only: ask nothing and write nothing.
    pub dry_run: bool,
}

impl AskRequest {
    /// A file as the record names it.
    pub(super) fn named(&self, file: &Path) -> String {
        let home = self.home.as_deref();
        let short = home.and_then(|home| file.strip_prefix(home).ok());
        short.unwrap_or(file).display().to_string()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    New,
    Resume,
}

/// Which providers may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// The mock answers for every model.
    Mock,
    /// Only those that need no network.
    Offline,
    RealCalls,
}

/// What becomes of a model whose key is not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingKeys {
    /// Nobody is asked.
    Refuse,
    /// Its slot stays open until the deadline, and the others are asked.
    LeaveOpen,
}

/// A run before its first call.
pub enum Prepared {
    /// The run had ended before.
    Finished {
        run_id: RunId,
        valid: u64,
        /// Every answer that the run wanted.
        wanted: usize,
        /// All answers are valid, or enough of them for the round's failure policy.
        is_valid: bool,
    },
    Ready(Box<ReadyRun>),
}

/// Plans a new run, or takes up the one that is resumed.
pub fn prepare_run(operator: &Operator, request: &AskRequest) -> Result<Prepared, Error> {
    let folder = RoundFolder::open(&request.round)?;
    ending::require_open(&folder)?;
    require_frozen(&folder, request.kind.unwrap_or(RunKind::Official))?;
    let inputs = RoundInputs::load(folder.clone(), &Universes::default())?;
    let ledger = match request.start {
        Start::New => None,
        Start::Resume => {
            let id = folder.run_or_only(request.run_id.as_ref())?;
            Some(Ledger::open(&folder, id.run_id())?)
        }
    };
    if let Some(done) = ledger.as_ref().map(finished).transpose()?.flatten() {
        if !request.dry_run {
            // A run that was killed at its very end may not be in the log yet.
            record(operator, &folder, operator.clock.now())?;
        }
        return Ok(done);
    }
    if ledger.is_none() {
        refuse_second(&folder, request)?;
    }
    let begun = ledger.as_ref().map(|ledger| ledger.plan().rules.kind);
    let kind = begun.or(request.kind).unwrap_or(RunKind::Official);
    let question = Question::of(inputs, kind)?;
    let prepared = prepare(request, &question, operator.clock, ledger.as_ref())?;
    let known = Known {
        operator,
        inputs: &question.inputs,
        ledger: ledger.as_ref(),
        missing_keys: request.missing_keys,
    };
    let seats = seats(&known, &prepared)?;
    let cap = cap(request.max_cost_usd, &seats)?;
    let kind = prepared.plan.rules.kind;
    let manifest = &question.inputs.manifest;
    if kind == RunKind::Official && !request.dry_run {
        Promise::of(&folder, manifest).require_stamped_freeze(operator)?;
    }
    let deadline = match kind {
        RunKind::Official => manifest.decision_deadline.as_ref().map(WrittenInstant::at),
        RunKind::Lane(_) => manifest.lane_deadline(),
        _ => None,
    };
    Ok(Prepared::Ready(Box::new(ReadyRun {
        plan: prepared.plan,
        seats,
        deadline,
        repairs: prepared.repairs,
        inputs: question.inputs,
        schema: question.schema,
        ledger,
        cap,
    })))
}

/// An official run beside one that has not ended would ask every model again.
fn refuse_second(folder: &RoundFolder, request: &AskRequest) -> Result<(), Error> {
    let official = request.kind.unwrap_or(RunKind::Official) == RunKind::Official;
    let rehearsed = request.kind.is_none() && request.permission == Permission::Mock;
    if !official || rehearsed {
        return Ok(());
    }
    let Some(other) = official_in_flight(folder)? else {
        return Ok(());
    };
    let text = format!(
        "{}: {other} is an official run that has not ended, so no second one begins",
        folder.name()
    );
    Err(Error::new(text).hint(format!(
        "finish it with `capitalbench run-round --round {} --models {} --run-id {other} --resume` \
         and the permission it began with",
        shell_word(folder.path()),
        shell_word(&request.models)
    )))
}

/// Models are asked only about inputs that cannot change any more. A public copy, which only runs
/// after the fact are made from, lacks the histories that belong to the vendor.
fn require_frozen(folder: &RoundFolder, kind: RunKind) -> Result<(), Error> {
    let Some(mut changes) = freeze::changes(folder)? else {
        return Err(not_frozen(folder));
    };
    if kind == RunKind::Retrospective {
        let absent = HashProblem::Missing(layout::SOURCE_HISTORIES.to_owned());
        changes.retain(|change| *change != absent);
    }
    if changes.is_empty() {
        return Ok(());
    }
    Ok(freeze::require_unchanged(folder)?)
}

pub fn not_frozen(folder: &RoundFolder) -> Error {
    let path = shell_word(folder.path());
    Error::new(format!("{} is not frozen", folder.name())).hint(format!(
        "freeze it with `capitalbench hash-round --round {path}`"
    ))
}

/// What a run that has ended came to; none while it is open.
fn finished(ledger: &Ledger) -> Result<Option<Prepared>, Error> {
    if !ledger.folder().has(files::MANIFEST) {
        return Ok(None);
    }
    let record = ledger.folder().record()?.run;
    let is_valid = record.eligible || record.counts.invalid == Some(0);
    let ended = record.completed_at;
    Ok(ended.map(|_| Prepared::Finished {
        run_id: record.run_id,
        valid: record.counts.valid.unwrap_or(0),
        wanted: ledger.plan().slots.len(),
        is_valid,
    }))
}
