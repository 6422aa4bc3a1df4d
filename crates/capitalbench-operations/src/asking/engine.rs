//! Asks every model at once, within limits.
//!
//! Each slot is one task: begin the attempt on disk, make the call, store the exact bytes, read
//! them, note what became of it, and ask again only where the retry rule allows it. A crash between
//! any two steps loses nothing that was paid for: [`run`] picks up what the ledger holds.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::round::round_folder::RoundInputs;
use capitalbench_archive::run::ledger::{Ended, Ledger};
use capitalbench_core::asking::attempt::{AttemptStatus, Next, Reason, next_step};
use capitalbench_core::asking::cost::Cost;
use capitalbench_core::asking::run::Calls;
use jiff::Timestamp;
use serde_json::Value;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::attempts::{attempt, recover};
use super::events::{Event, Listener, Totals};
use super::gate::{Gate, Pass};
use super::seats::Seat;
use super::slot_end::{Open, SlotEnd};
use super::spending::Spending;
use crate::error::Error;
use crate::operator::backoff::Backoff;
use crate::operator::clock::Clock;
use crate::proof::record::Recorder;

/// The longest wait before a call is repeated; a server that asks for a longer one is left to the
/// next process. Limits per minute fit in, those per hour or day do not.
pub const LONGEST_WAIT: Duration = Duration::from_mins(10);

/// What all slots of a run share.
pub struct Engine {
    pub ledger: Ledger,
    pub inputs: RoundInputs,
    pub schema: Option<Value>,
    pub clock: Clock,
    /// No call lasts longer than this instant.
    pub deadline: Option<Timestamp>,
    pub spending: Spending,
    pub gates: BTreeMap<String, Gate>,
    /// Pauses before a call is repeated after trouble of transport or server.
    pub backoff: Backoff,
    pub stop: watch::Receiver<bool>,
    /// Raised when a slot broke, so that calls under way end and none begins.
    pub broken: watch::Sender<bool>,
    pub listener: Box<dyn Listener>,
    /// Signs that an attempt begins before its request leaves.
    pub recorder: Recorder,
}

/// Asks every slot that has no final state yet; returns all of them in the order of the plan.
///
/// When one breaks, the answers of calls under way are waited for and kept: they are paid for.
pub async fn run(engine: Arc<Engine>, seats: Vec<Seat>) -> Result<Vec<SlotEnd>, Error> {
    let clock = engine.clock;
    let mut tasks = JoinSet::new();
    let mut joined = VecDeque::new();
    for (index, seat) in seats.into_iter().enumerate() {
        let engine = Arc::clone(&engine);
        tasks.spawn(async move {
            let end = serve(&engine, seat).await?;
            engine.say(&Event::SlotEnded { end: &end });
            Ok::<_, Error>((index, end))
        });
        // Where no time passes nothing happens at once, so that the log has one order.
        if !clock.advances() {
            joined.extend(tasks.join_next().await);
        }
    }
    let mut ends = BTreeMap::new();
    let mut totals = Totals::default();
    let mut fault = None;
    while let Some(joined) = match joined.pop_front() {
        Some(joined) => Some(joined),
        None => tasks.join_next().await,
    } {
        let ended = joined.map_err(|error| Error::new(format!("a call broke: {error}")));
        match ended.and_then(|ended| ended) {
            Ok((index, end)) => {
                totals.count(&end);
                totals.cost = totals.cost.plus(end.paid);
                totals.is_cost_unknown |= end.is_cost_unknown;
                ends.insert(index, end);
            }
            Err(error) => {
                engine.broken.send_replace(true);
                fault.get_or_insert(error);
            }
        }
    }
    if let Some(error) = fault {
        return Err(error.or_hint("finish the run with --resume"));
    }
    engine.say(&Event::RunEnded { totals });
    Ok(ends.into_values().collect())
}

/// Asks until the slot has its final state or is left open.
async fn serve(engine: &Arc<Engine>, seat: Seat) -> Result<SlotEnd, Error> {
    let seat = Arc::new(seat);
    let gate = engine.gates.get(&seat.planned.provider);
    let gate = gate.ok_or_else(|| Error::new("a provider without a limit"))?;
    let attempts = recover(engine, &seat).await?;
    let mut course = Course {
        engine,
        seat: &seat,
        earlier: attempts.len(),
        attempts,
        worst: seat.worst_case,
        paid: Cost::ZERO,
        is_cost_unknown: false,
    };
    if course.next() == Next::Ask {
        engine.say(&Event::SlotStarted {
            slot: &seat.planned,
        });
    }
    let open = course.run(gate).await?;
    Ok(SlotEnd {
        open,
        attempts: course.attempts,
        paid: course.paid,
        is_cost_unknown: course.is_cost_unknown,
        planned: seat.planned.clone(),
        at_most: seat.price.map(|_| seat.worst_case),
        base_url: seat.base_url.clone(),
        key_variable: seat.key_variable.clone(),
        is_rehearsed: engine.ledger.plan().calls != Calls::Real,
    })
}

/// The attempts of one slot.
struct Course<'a> {
    engine: &'a Arc<Engine>,
    seat: &'a Arc<Seat>,
    attempts: Vec<AttemptStatus>,
    /// Attempts of earlier processes.
    earlier: usize,
    /// The most that the next call can cost.
    worst: Cost,
    /// What the calls of this process cost.
    paid: Cost,
    /// Whether one of them cost what neither a card nor the provider tells.
    is_cost_unknown: bool,
}

impl Course<'_> {
    fn next(&self) -> Next {
        let max_retries = self.engine.ledger.plan().max_retries;
        next_step(&self.attempts, self.earlier, max_retries)
    }

    /// Asks until nothing more is done for the slot; why it is left open.
    async fn run(&mut self, gate: &Gate) -> Result<Option<Open>, Error> {
        let engine = self.engine;
        loop {
            match self.next() {
                Next::End => return Ok(None),
                Next::Leave(reason) => return Ok(engine.left_open(reason)),
                Next::Ask => {}
            }
            if self.seat.lacks_key {
                return Ok(engine.closed().or(Some(Open::Rejected(Reason::Key))));
            }
            let pass = engine.admit(gate).await;
            if let Some(open) = engine.closed() {
                return Ok(Some(open));
            }
            if !engine.spending.reserve(self.worst) {
                return Ok(Some(Open::CostCap));
            }
            let pause = self.ask(pass).await?;
            let reason = self.attempts.last().and_then(AttemptStatus::reason);
            if let Some((pause, reason)) = pause.zip(reason)
                && self.next() == Next::Ask
            {
                let longest = engine.patience();
                if pause > longest
                    && reason.is_rejection()
                    && let Some(open) = engine.left_open(reason)
                {
                    return Ok(Some(open));
                }
                self.rest(pause.min(longest), reason).await;
            }
        }
    }

    /// One attempt; how long to wait before the next one.
    async fn ask(&mut self, pass: Pass<'_>) -> Result<Option<Duration>, Error> {
        let (engine, seat) = (self.engine, self.seat);
        let number = u32::try_from(self.attempts.len() + 1).unwrap_or(u32::MAX);
        let (ended, asked_to_wait) = attempt(engine, seat, number).await?;
        let counted = cost_of(&ended, seat.worst_case);
        engine.spending.settle(self.worst, counted);
        // What a provider billed for the same request tells more than the card.
        self.worst = self.worst.max(counted);
        self.paid = self.paid.plus(ended.cost().unwrap_or(Cost::ZERO));
        let is_real = engine.ledger.plan().calls == Calls::Real;
        let is_told = ended.cost().is_some() || seat.price.is_some() || bills_nothing(&ended);
        self.is_cost_unknown |= is_real && !is_told;
        let status = ended.attempt_status();
        let failures = self.attempts.len() + 1 - self.earlier;
        let failures = u32::try_from(failures).unwrap_or(u32::MAX);
        let pause = engine.pause_after(&status, asked_to_wait, failures);
        pass.learn(&status, pause.map(|pause| pause.min(engine.patience())));
        self.attempts.push(status);
        Ok(pause)
    }

    async fn rest(&self, pause: Duration, reason: Reason) {
        let now = self.engine.clock.now();
        self.engine.say(&Event::Waiting {
            slot: &self.seat.planned,
            reason,
            until: now.checked_add(pause).unwrap_or(Timestamp::MAX),
        });
        self.engine.rest(pause).await;
    }
}

/// What to count for a call: its price, or the worst case where the price is unknown.
pub fn cost_of(ended: &Ended, worst_case: Cost) -> Cost {
    let unknown = if bills_nothing(ended) {
        Cost::ZERO
    } else {
        worst_case
    };
    ended.cost().unwrap_or(unknown)
}

/// Whether the server turned the request away, which costs nothing.
pub fn bills_nothing(ended: &Ended) -> bool {
    let reason = ended.attempt_status().reason();
    reason.is_some_and(|reason| reason.is_rejection() || reason == Reason::Server)
}

impl Engine {
    pub fn say(&self, event: &Event<'_>) {
        self.listener.hear(self.clock.now(), event);
    }

    /// Adds what the ledger holds of an attempt to the log.
    pub(super) fn record(&self, seat: &Seat, attempt: u32) -> Result<(), FileError> {
        let (slot, now) = (&seat.planned.slot, self.clock.now());
        self.recorder.attempt(&self.ledger, slot, attempt, now)
    }

    fn closed(&self) -> Option<Open> {
        if *self.stop.borrow() || *self.broken.borrow() {
            return Some(Open::Stopped);
        }
        let over = self.until_deadline().is_some_and(|left| left.is_zero());
        over.then_some(Open::Deadline)
    }

    pub(super) fn until_deadline(&self) -> Option<Duration> {
        let left = self.deadline?.duration_since(self.clock.now());
        Some(Duration::try_from(left).unwrap_or_default())
    }

    /// Waits for a free slot and any rate-limit reset; returns early when the run is stopping.
    async fn admit<'a>(&self, gate: &'a Gate) -> Pass<'a> {
        loop {
            let pass = gate.enter().await;
            match gate.closed_for() {
                Some(wait) if self.closed().is_none() && self.clock.advances() => {
                    drop(pass);
                    self.rest(wait).await;
                }
                _ => return pass,
            }
        }
    }

    /// Waits, but not past the deadline and not after the operator's stop or a broken slot.
    async fn rest(&self, pause: Duration) {
        let pause = self.until_deadline().map_or(pause, |left| left.min(pause));
        let (mut stop, mut broken) = (self.stop.clone(), self.broken.subscribe());
        tokio::select! {
            () = self.clock.pause(pause) => {}
            _ = stop.wait_for(|stopped| *stopped) => {}
            _ = broken.wait_for(|broken| *broken) => {}
        }
    }

    /// How long to wait after a failed attempt; nothing after an answer of the wrong form.
    fn pause_after(
        &self,
        status: &AttemptStatus,
        asked_for: Option<Duration>,
        failures: u32,
    ) -> Option<Duration> {
        let AttemptStatus::Failed { .. } = status else {
            return None;
        };
        Some(self.backoff.pause(failures, asked_for))
    }

    /// The longest wait of this process, whatever a server asks for.
    pub(super) fn patience(&self) -> Duration {
        let left = self.until_deadline();
        left.map_or(LONGEST_WAIT, |left| left.min(LONGEST_WAIT))
    }

    /// Why a slot that was turned away stays open: until the deadline the operator can repair the
    /// cause. A rehearsal, and a run without a deadline, ends.
    fn left_open(&self, reason: Reason) -> Option<Open> {
        if self.ledger.plan().calls != Calls::Real {
            return None;
        }
        let left = self.until_deadline()?;
        Some(if left.is_zero() {
            Open::Deadline
        } else {
            Open::Rejected(reason)
        })
    }
}
