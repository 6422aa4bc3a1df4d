//! A run of a frozen round: planned, asked to its end or resumed, and derived from its ledger.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use capitalbench_archive::disk::layout::{self, run as files};
use capitalbench_archive::disk::shell::shell_word;
use capitalbench_archive::round::ending;
use capitalbench_archive::round::freeze::{self, HashProblem};
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_archive::run::in_flight::official_in_flight;
use capitalbench_archive::run::ledger::derive::{Finished, announce, derive};
use capitalbench_archive::run::ledger::{AttemptRecord, Ledger, Repair, RunPlan};
use capitalbench_core::asking::cost::Cost;
use capitalbench_core::asking::run::{Calls, RunKind};
use capitalbench_core::values::ids::{ModelId, RunId};
use capitalbench_core::values::time::WrittenInstant;
use jiff::Timestamp;
use serde_json::Value;
use tokio::sync::watch;

use super::bill::Bill;
use super::engine::{self, Engine, cost_of};
use super::events::{Event, Listener};
use super::gate::Gate;
use super::plan::{prepare, refuse_late};
use super::question::Question;
use super::repair::Rename;
use super::seats::{Known, Seat, cap, require_prices, seats};
use super::slot_end::{Open, SlotEnd};
use super::spending::Spending;
use crate::error::Error;
use crate::operator::backoff::Backoff;
use crate::operator::stops::Stops;
use crate::operator::{Operator, wait};
use crate::proof::given_instant::note_given_instant;
use crate::proof::promise::Promise;
use crate::proof::record::{Recorder, record, require_clock_in_order};

/// First pause before a rehearsed call is repeated.
const MOCK_PAUSE: Duration = Duration::from_millis(5);

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

/// A run that may begin.
pub struct ReadyRun {
    pub plan: RunPlan,
    pub seats: Vec<Seat>,
    /// No call lasts longer than this instant.
    pub deadline: Option<Timestamp>,
    inputs: RoundInputs,
    schema: Option<Value>,
    ledger: Option<Ledger>,
    repairs: Vec<Repair>,
    cap: Option<Cost>,
}

/// What a run came to.
pub struct RunReport {
    pub plan: RunPlan,
    /// Every slot in the order of the plan, with its attempts.
    pub slots: Vec<(SlotEnd, Vec<AttemptRecord>)>,
    pub bill: Bill,
    pub controls: usize,
    /// No call lasts longer than this instant.
    pub deadline: Option<Timestamp>,
    /// None while slots are open.
    pub finished: Option<Finished>,
}

impl RunReport {
    pub fn is_valid(&self) -> bool {
        self.finished
            .is_some_and(|finished| finished.eligible || finished.valid == self.slots.len())
    }
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

impl ReadyRun {
    /// What one call to every slot can cost at most, and whether a price is known for each of them.
    pub fn worst_case(&self) -> (Cost, bool) {
        let sum = self.seats.iter().map(|seat| seat.worst_case);
        let is_whole = self.seats.iter().all(|seat| seat.price.is_some());
        (sum.fold(Cost::ZERO, Cost::plus), is_whole)
    }

    /// The same run, which never costs more than this in all.
    pub fn capped(self, cap: Cost) -> Result<Self, Error> {
        require_prices("the budget", &self.seats)?;
        Ok(Self {
            cap: Some(cap),
            ..self
        })
    }

    /// Asks the models, to the end or to a request to stop, and derives the run from its ledger.
    pub fn ask(
        self,
        operator: &Operator,
        request: &AskRequest,
        listener: Box<dyn Listener>,
    ) -> Result<RunReport, Error> {
        let (folder, clock) = (&self.inputs.folder, operator.clock);
        note_given_instant(operator, folder, "run-round")?;
        require_clock_in_order(folder, clock.now())?;
        let ledger = if let Some(mut ledger) = self.ledger {
            for mut repair in self.repairs {
                // The operator may have taken a while to say yes.
                repair.repaired_at_utc = WrittenInstant::of(clock.now());
                ledger.repair(repair)?;
            }
            ledger
        } else {
            // The deadline may have passed, or the inputs changed, while the operator decided.
            refuse_late(&self.plan, &self.inputs.manifest, clock.now())?;
            require_frozen(folder, self.plan.rules.kind)?;
            Ledger::create(folder, &self.plan)?
        };
        if !ledger.folder().has(files::MANIFEST) {
            announce(&ledger, &self.inputs)?;
        }
        let gates = self.seats.iter().map(|seat| {
            let gate = Gate::new(request.concurrent);
            (seat.planned.provider.clone(), gate)
        });
        let usual = match ledger.plan().calls {
            Calls::Real => Backoff::SECOND.first,
            Calls::Mock | Calls::Synthetic | Calls::Unknown => MOCK_PAUSE,
        };
        let recorder = Recorder::of_round(operator, folder)?;
        // Who will be asked, and under which new name, is in the log before the next call.
        recorder.round(clock.now())?;
        let (stop, stopped) = watch::channel(false);
        let engine = Arc::new(Engine {
            schema: self.schema,
            clock,
            deadline: self.deadline,
            spending: Spending::new(self.cap, spent(&ledger, &self.seats)?),
            gates: gates.collect(),
            backoff: Backoff {
                first: request.pause.unwrap_or(usual),
            },
            stop: stopped,
            broken: watch::Sender::new(false),
            recorder,
            listener,
            ledger,
            inputs: self.inputs,
        });
        let ends = wait(asked(&engine, self.seats, &stop))??;
        conclude(&engine, ends)
    }
}

/// Asks until the end; the first request to stop begins no new call, the second one leaves.
async fn asked(
    engine: &Arc<Engine>,
    seats: Vec<Seat>,
    stop: &watch::Sender<bool>,
) -> Result<Vec<SlotEnd>, Error> {
    let mut stops = Stops::listen()?;
    let asking = engine::run(Arc::clone(engine), seats);
    tokio::pin!(asking);
    loop {
        tokio::select! {
            ends = &mut asking => return ends,
            () = stops.next() => {
                if stop.send_replace(true) {
                    let text = "stopped; calls under way were cut off";
                    return Err(Error::new(text).hint("finish the run with --resume"));
                }
                engine.say(&Event::Stopping);
            }
        }
    }
}

/// What earlier attempts of the run have cost, or may have.
fn spent(ledger: &Ledger, seats: &[Seat]) -> Result<Cost, Error> {
    let mut sum = Cost::ZERO;
    for seat in seats {
        for attempt in ledger.attempts(&seat.planned.slot)? {
            let ended = attempt.ended.as_ref();
            sum = sum.plus(ended.map_or(seat.worst_case, |e| cost_of(e, seat.worst_case)));
        }
    }
    Ok(sum)
}

fn conclude(engine: &Engine, mut ends: Vec<SlotEnd>) -> Result<RunReport, Error> {
    let now = engine.clock.now();
    if engine.deadline.is_some_and(|deadline| now >= deadline) {
        // Slots that wait for a repair end with the deadline.
        for end in ends
            .iter_mut()
            .filter(|end| end.waits_for_repair().is_some())
        {
            end.open = Some(Open::Deadline);
        }
    }
    let finished = if ends.iter().any(SlotEnd::is_open) {
        None
    } else {
        Some(derive(
            &engine.ledger,
            &engine.inputs,
            &WrittenInstant::of(now),
        )?)
    };
    engine.recorder.round(engine.clock.now())?;
    let mut slots = Vec::new();
    for end in ends {
        let attempts = engine.ledger.attempts(&end.planned.slot)?;
        slots.push((end, attempts));
    }
    let controls = engine.ledger.folder().submission_names(files::CONTROLS)?;
    Ok(RunReport {
        plan: engine.ledger.plan().clone(),
        bill: Bill::of(&slots),
        controls: controls.len(),
        deadline: engine.deadline,
        slots,
        finished,
    })
}
