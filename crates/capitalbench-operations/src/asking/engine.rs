//! Asks every model at once, within limits.
//!
//! Each slot is one task: begin the attempt on disk, make the call, store the exact bytes, read
//! them, note what became of it, and ask again only where the retry rule allows it. A crash between
//! any two steps loses nothing that was paid for: [`run`] picks up what the ledger holds.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::round::round_folder::RoundInputs;
use capitalbench_archive::run::ledger::{Ended, Ledger};
use capitalbench_core::asking::attempt::{AttemptStatus, Reason, may_retry};
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
    let mut tasks = JoinSet::new();
    for (index, seat) in seats.into_iter().enumerate() {
        let engine = Arc::clone(&engine);
        tasks.spawn(async move {
            let end = serve(&engine, seat).await?;
            engine.say(&Event::SlotEnded { end: &end });
            Ok::<_, Error>((index, end))
        });
    }
    let mut ends = BTreeMap::new();
    let mut totals = Totals::default();
    let mut fault = None;
    while let Some(joined) = tasks.join_next().await {
        let ended = joined.map_err(|error| Error::new(format!("a call broke: {error}")));
        match ended.and_then(|ended| ended) {
            Ok((index, end)) => {
                totals.count(&end);
                totals.cost = totals.cost.plus(end.paid);
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
    let slot = &seat.planned;
    let mut attempts = recover(engine, &seat).await?;
    let max_retries = engine.ledger.plan().max_retries;
    let gate = engine.gates.get(&slot.provider);
    let gate = gate.ok_or_else(|| Error::new("a provider without a limit"))?;
    let mut paid = Cost::ZERO;
    let mut open = None;
    if may_retry(&attempts, max_retries) {
        engine.say(&Event::SlotStarted { slot });
    }
    while may_retry(&attempts, max_retries) {
        let pass = engine.admit(gate).await;
        open = engine.closed();
        if open.is_some() {
            break;
        }
        if !engine.spending.reserve(seat.worst_case) {
            open = Some(Open::CostCap);
            break;
        }
        let number = u32::try_from(attempts.len() + 1).unwrap_or(u32::MAX);
        let (ended, asked_to_wait) = attempt(engine, &seat, number).await?;
        let counted = cost_of(&ended, seat.worst_case);
        engine.spending.settle(seat.worst_case, counted);
        paid = paid.plus(ended.cost().unwrap_or(Cost::ZERO));
        let status = ended.attempt_status();
        let pause = engine.pause_after(&status, asked_to_wait, number, seat.time_limit);
        pass.learn(&status, pause);
        drop(pass);
        attempts.push(status);
        if let Some((pause, reason)) = pause.zip(ended.attempt_status().reason())
            && may_retry(&attempts, max_retries)
        {
            let now = engine.clock.now();
            let until = now.checked_add(pause).unwrap_or(Timestamp::MAX);
            engine.say(&Event::Waiting {
                slot,
                reason,
                until,
            });
            engine.rest(pause).await;
        }
    }
    Ok(SlotEnd {
        planned: slot.clone(),
        attempts,
        open,
        at_most: seat.price.map(|_| seat.worst_case),
        is_rehearsed: engine.ledger.plan().calls != Calls::Real,
        paid,
    })
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
                Some(wait) if self.closed().is_none() => {
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
            () = tokio::time::sleep(pause) => {}
            _ = stop.wait_for(|stopped| *stopped) => {}
            _ = broken.wait_for(|broken| *broken) => {}
        }
    }

    /// How long to wait after a failed attempt, at most one call's time; nothing after an answer of
    /// the wrong form.
    fn pause_after(
        &self,
        status: &AttemptStatus,
        asked_for: Option<Duration>,
        failures: u32,
        longest: Duration,
    ) -> Option<Duration> {
        let AttemptStatus::Failed { .. } = status else {
            return None;
        };
        Some(self.backoff.pause(failures, asked_for).min(longest))
    }
}
