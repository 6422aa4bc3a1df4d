//! [`ReadyRun`] asks the models of a planned run to the end or to a stop, and derives the run from
//! its ledger, so that a resumed run ends like any other.

use std::sync::Arc;
use std::time::Duration;

use capitalbench_archive::disk::layout::run as files;
use capitalbench_archive::round::round_folder::RoundInputs;
use capitalbench_archive::run::ledger::derive::{Finished, announce, derive};
use capitalbench_archive::run::ledger::{AttemptRecord, Ledger, Repair, RunPlan};
use capitalbench_core::asking::cost::Cost;
use capitalbench_core::asking::run::Calls;
use capitalbench_core::values::time::WrittenInstant;
use jiff::Timestamp;
use serde_json::Value;
use tokio::sync::watch;

use super::{AskRequest, require_frozen};
use crate::asking::bill::Bill;
use crate::asking::engine::{self, Engine, cost_of};
use crate::asking::events::{Event, Listener};
use crate::asking::gate::Gate;
use crate::asking::plan::refuse_late;
use crate::asking::seats::{Seat, require_prices};
use crate::asking::slot_end::{Open, SlotEnd};
use crate::asking::spending::Spending;
use crate::error::Error;
use crate::operator::backoff::Backoff;
use crate::operator::stops::Stops;
use crate::operator::{Operator, wait};
use crate::proof::given_instant::note_given_instant;
use crate::proof::record::{Recorder, require_clock_in_order};

/// First pause before a rehearsed call is repeated.
const MOCK_PAUSE: Duration = Duration::from_millis(5);

/// A run that may begin.
pub struct ReadyRun {
    pub plan: RunPlan,
    pub seats: Vec<Seat>,
    /// No call lasts longer than this instant.
    pub deadline: Option<Timestamp>,
    pub(super) inputs: RoundInputs,
    pub(super) schema: Option<Value>,
    pub(super) ledger: Option<Ledger>,
    pub(super) repairs: Vec<Repair>,
    pub(super) cap: Option<Cost>,
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
