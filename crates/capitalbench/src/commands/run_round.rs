//! `run-round`: ask the models of a frozen round, or finish asking them.

use std::sync::Arc;
use std::time::Duration;

use capitalbench_archive::disk::layout::run as files;
use capitalbench_archive::round::freeze;
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_archive::run::ledger::Ledger;
use capitalbench_archive::run::ledger::derive::{announce, derive};
use capitalbench_core::asking::cost::Cost;
use capitalbench_core::asking::run::{Calls, RunKind};
use capitalbench_core::values::time::Stamp;
use jiff::Timestamp;
use tokio::sync::watch;

use super::price_source::wait;
use super::{Exit, run_id};
use crate::cli::RunRound;
use crate::clock::Clock;
use crate::console::{event_line, is_quiet, line, shows_progress};
use crate::error::CommandError;
use crate::runner::bars::Bars;
use crate::runner::events::{Event, JsonLines, Listener, Silence};
use crate::runner::{self, Engine, Gate, Seat, SlotEnd, Spending, cost_of};
use crate::steps::Stops;
use crate::steps::given_instant::note_given_instant;
use crate::steps::promise::require_stamped_freeze;
use crate::steps::record::{Recorder, record, require_clock_in_order};

mod bill;
mod plan;
mod report;
mod seats;

use plan::Prepared;

/// First pause before a real call is repeated, and before a rehearsed one is.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_millis(5));

pub(crate) fn run(arguments: &RunRound) -> Result<Exit, CommandError> {
    let clock = Clock::starting_at(arguments.now.instant);
    let folder = RoundFolder::open(&arguments.round.path)?;
    require_frozen(&folder)?;
    let inputs = RoundInputs::load(folder.clone(), &Universes::default())?;
    let ledger = if arguments.course.resume {
        let id = run_id(arguments.run_id.as_deref())?;
        let id = folder.run_or_only(id.as_ref())?.run_id().clone();
        Some(Ledger::open(&folder, &id)?)
    } else {
        None
    };
    if let Some(done) = ledger.as_ref().map(finished).transpose()?.flatten() {
        if !arguments.course.consent.dry_run {
            // A run that was killed at its very end may not be in the log yet.
            record(&folder, clock.now())?;
        }
        return Ok(done);
    }
    let stored = ledger.as_ref().map(Ledger::plan);
    let prepared = plan::prepare(arguments, &inputs, clock, stored)?;
    let seats = seats::seats(&prepared, &inputs, ledger.as_ref())?;
    let cap = seats::cap(arguments, &seats)?;
    report::bound(arguments, &prepared.plan, &seats);
    if arguments.course.consent.dry_run {
        return Ok(Exit::Success);
    }
    if prepared.plan.rules.kind == RunKind::Official {
        require_stamped_freeze(&folder, &inputs.manifest, clock)?;
    }
    report::confirm(arguments, &prepared.plan)?;
    note_given_instant(&folder, "run-round", arguments.now.instant)?;
    require_clock_in_order(&folder, clock.now())?;
    let ledger = if let Some(ledger) = ledger {
        ledger
    } else {
        // Whoever took long to say yes may be too late, or the inputs may have changed.
        plan::refuse_late(&prepared.plan, &inputs.manifest, clock.now())?;
        require_frozen(&folder)?;
        Ledger::create(&folder, &prepared.plan)?
    };
    if !ledger.folder().has(files::MANIFEST) {
        announce(&ledger, &inputs)?;
    }
    ask(arguments, (ledger, inputs, seats), cap, clock)
}

/// Models are asked only about inputs that cannot change any more.
fn require_frozen(folder: &RoundFolder) -> Result<(), CommandError> {
    if freeze::stored_digests(folder)?.is_none() {
        let next = format!(
            "capitalbench hash-round --round {}",
            folder.path().display()
        );
        let text = format!("{} is not frozen", folder.name());
        return Err(CommandError::new(text).hint(format!("freeze it with `{next}`")));
    }
    Ok(freeze::require_unchanged(folder)?)
}

/// What a run that has ended came to; none while it is open.
fn finished(ledger: &Ledger) -> Result<Option<Exit>, CommandError> {
    if !ledger.folder().has(files::MANIFEST) {
        return Ok(None);
    }
    let record = ledger.folder().record()?.run;
    if record.completed_at.is_none() {
        return Ok(None);
    }
    line(format!(
        "{} is finished; nobody is asked again",
        record.run_id
    ));
    Ok(Some(Exit::of(record.counts.invalid == Some(0))))
}

fn ask(
    arguments: &RunRound,
    (ledger, inputs, seats): (Ledger, RoundInputs, Vec<Seat>),
    cap: Option<Cost>,
    clock: Clock,
) -> Result<Exit, CommandError> {
    let (kind, calls) = (ledger.plan().rules.kind, ledger.plan().calls);
    let deadline = inputs.manifest.decision_deadline.as_ref().map(Stamp::at);
    let deadline = deadline.filter(|_| kind == RunKind::Official);
    let usual = if calls == Calls::Real {
        PAUSES.0
    } else {
        PAUSES.1
    };
    let most = usize::from(arguments.limits.concurrent);
    let gates = seats
        .iter()
        .map(|seat| (seat.planned.provider.clone(), Gate::new(most)));
    let recorder = Recorder::of_round(&inputs.folder)?;
    // Who will be asked is in the log before anybody is.
    recorder.round(&inputs.folder, clock.now())?;
    let (stop, stopped) = watch::channel(false);
    let engine = Arc::new(Engine {
        schema: seats::schema(&inputs)?,
        clock,
        deadline,
        spending: Spending::new(cap, spent(&ledger, &seats)?),
        gates: gates.collect(),
        pause: arguments.limits.pause.unwrap_or(usual),
        stop: stopped,
        broken: watch::Sender::new(false),
        recorder,
        listener: listener(&seats, clock, deadline),
        ledger,
        inputs,
    });
    let ends = wait(async {
        let mut stops = Stops::listen()?;
        let asking = runner::run(Arc::clone(&engine), seats);
        tokio::pin!(asking);
        loop {
            tokio::select! {
                ends = &mut asking => return ends,
                () = stops.next() => {
                    if stop.send_replace(true) {
                        let text = "stopped; calls under way were cut off";
                        return Err(CommandError::new(text).hint("finish the run with --resume"));
                    }
                    engine.say(&Event::Stopping);
                }
            }
        }
    })??;
    conclude(arguments, &engine, &ends)
}

/// Bars where somebody looks, lines where something reads, nothing when asked to be quiet.
fn listener(seats: &[Seat], clock: Clock, deadline: Option<Timestamp>) -> Box<dyn Listener> {
    if is_quiet() {
        Box::new(Silence)
    } else if shows_progress() {
        Box::new(Bars::new(seats, clock, deadline))
    } else {
        Box::new(JsonLines { print: event_line })
    }
}

/// What earlier attempts of the run have cost, or may have.
fn spent(ledger: &Ledger, seats: &[Seat]) -> Result<Cost, CommandError> {
    let mut sum = Cost::ZERO;
    for seat in seats {
        for attempt in ledger.attempts(&seat.planned.slot)? {
            let ended = attempt.ended.as_ref();
            sum = sum.plus(ended.map_or(seat.worst_case, |e| cost_of(e, seat.worst_case)));
        }
    }
    Ok(sum)
}

fn conclude(arguments: &RunRound, engine: &Engine, ends: &[SlotEnd]) -> Result<Exit, CommandError> {
    let unfinished = ends.iter().any(SlotEnd::is_open);
    let finished = if unfinished {
        None
    } else {
        let now = Stamp::parse(&engine.clock.now().to_string())
            .ok_or_else(|| CommandError::new("the clock shows no instant"))?;
        Some(derive(&engine.ledger, &engine.inputs, &now)?)
    };
    let recorder = &engine.recorder;
    recorder.round(&engine.inputs.folder, engine.clock.now())?;
    report::result(arguments, engine, ends, finished)?;
    let all = finished.is_some_and(|finished| finished.valid == ends.len());
    Ok(Exit::of(all))
}
