//! Asks every model at once, within limits, and leaves every attempt on disk.
//!
//! Each slot is one task: begin the attempt on disk, make the call, store the exact bytes, read
//! them, note what became of it, and ask again only where the retry rule allows it. A crash between
//! any two steps loses nothing that was paid for: [`run`] picks up what the ledger holds.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use capitalbench_adapters::provider::{CallFailure, Provider, Question, RawAnswer};
use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::round::round_folder::RoundInputs;
use capitalbench_archive::run::ledger::{
    AnswerHead, AttemptRecord, Begun, Ended, Ledger, PlannedSlot,
};
use capitalbench_core::asking::attempt::{AttemptStatus, Reason, may_retry};
use capitalbench_core::asking::cost::{Cost, Price};
use capitalbench_core::asking::run::Calls;
use capitalbench_core::values::ids::Digest;
use jiff::Timestamp;
use serde_json::Value;
use tokio::sync::watch;
use tokio::task::{JoinSet, spawn_blocking};

use crate::clock::Clock;
use crate::error::CommandError;
use crate::steps::record::Recorder;

pub(crate) mod bars;
pub(crate) mod events;
mod gate;
mod slot_end;
mod spending;
mod verdict;

use events::{Event, Listener, Totals};
pub(crate) use gate::{Gate, Pass};
pub(crate) use slot_end::{Open, SlotEnd};
pub(crate) use spending::Spending;
pub(crate) use verdict::{cost, reason_of, stopped, unread};

/// A slot with everything needed to ask it.
pub(crate) struct Seat {
    pub(crate) planned: PlannedSlot,
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) input: String,
    pub(crate) max_output_tokens: u64,
    pub(crate) time_limit: Duration,
    pub(crate) price: Option<Price>,
    pub(crate) worst_case: Cost,
    /// Names under which the requested model may answer.
    pub(crate) served_models: Vec<String>,
    /// Where it is asked; none without a network.
    pub(crate) base_url: Option<String>,
}

/// What all slots of a run share.
pub(crate) struct Engine {
    pub(crate) ledger: Ledger,
    pub(crate) inputs: RoundInputs,
    pub(crate) schema: Option<Value>,
    pub(crate) clock: Clock,
    /// No call lasts longer than this instant.
    pub(crate) deadline: Option<Timestamp>,
    pub(crate) spending: Spending,
    pub(crate) gates: BTreeMap<String, Gate>,
    /// First pause before a call is repeated after trouble of transport or server.
    pub(crate) pause: Duration,
    pub(crate) stop: watch::Receiver<bool>,
    /// Raised when a slot broke, so that calls under way end and none begins.
    pub(crate) broken: watch::Sender<bool>,
    pub(crate) listener: Box<dyn Listener>,
    /// Signs that an attempt begins before its request leaves.
    pub(crate) recorder: Recorder,
}

/// Asks every slot that has no final state yet; returns all of them in the order of the plan.
///
/// When one breaks, the answers of calls under way are waited for and kept: they are paid for.
pub(crate) async fn run(
    engine: Arc<Engine>,
    seats: Vec<Seat>,
) -> Result<Vec<SlotEnd>, CommandError> {
    let mut tasks = JoinSet::new();
    for (index, seat) in seats.into_iter().enumerate() {
        let engine = Arc::clone(&engine);
        tasks.spawn(async move {
            let (end, paid) = serve(&engine, seat).await?;
            engine.say(&Event::SlotEnded { end: &end });
            Ok::<_, CommandError>((index, end, paid))
        });
    }
    let mut ends = BTreeMap::new();
    let mut totals = Totals::default();
    let mut fault = None;
    while let Some(joined) = tasks.join_next().await {
        let ended = joined.map_err(|error| CommandError::new(format!("a call broke: {error}")));
        match ended.and_then(|ended| ended) {
            Ok((index, end, paid)) => {
                totals.count(&end);
                totals.cost = totals.cost.plus(paid);
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

/// Where the slot stands, and the recorded cost of what was asked for it now.
async fn serve(engine: &Arc<Engine>, seat: Seat) -> Result<(SlotEnd, Cost), CommandError> {
    let seat = Arc::new(seat);
    let slot = &seat.planned;
    let mut attempts = recover(engine, &seat).await?;
    let max_retries = engine.ledger.plan().max_retries;
    let gate = engine.gates.get(&slot.provider);
    let gate = gate.ok_or_else(|| CommandError::new("a provider without a limit"))?;
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
        paid = paid.plus(
            ended
                .cost_usd
                .and_then(Cost::from_usd)
                .unwrap_or(Cost::ZERO),
        );
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
    let end = SlotEnd {
        planned: slot.clone(),
        attempts,
        open,
        at_most: seat.price.map(|_| seat.worst_case),
        is_rehearsed: engine.ledger.plan().calls != Calls::Real,
    };
    Ok((end, paid))
}

/// The attempts on disk; one whose answer is there and was not read is read now.
async fn recover(
    engine: &Arc<Engine>,
    seat: &Arc<Seat>,
) -> Result<Vec<AttemptStatus>, CommandError> {
    let records = on_disk(engine, seat, |engine, seat| {
        engine.ledger.attempts(&seat.planned.slot)
    })
    .await?;
    let mut statuses = Vec::new();
    for record in records {
        let AttemptRecord {
            begun,
            answer: Some((head, body)),
            ended: None,
        } = record
        else {
            statuses.push(record.status());
            continue;
        };
        let answer = RawAnswer {
            status: head.status,
            headers: head.headers,
            body,
        };
        let started = begun.started_at_utc.parse::<Timestamp>();
        let received = head.received_at_utc.parse::<Timestamp>();
        let took = started
            .ok()
            .zip(received.ok())
            .map(|(from, to)| to.duration_since(from));
        let ended = Ended {
            ended_at_utc: head.received_at_utc,
            latency_seconds: took.map_or(0.0, |took| took.as_secs_f64()),
            ..verdict::judge(engine, seat, &answer).0
        };
        statuses.push(ended.attempt_status());
        on_disk(engine, seat, move |engine, seat| {
            engine
                .ledger
                .end(&seat.planned.slot, begun.attempt, &ended)?;
            engine.record(seat, begun.attempt)
        })
        .await?;
    }
    Ok(statuses)
}

/// One call, from its first note on disk to its last.
async fn attempt(
    engine: &Arc<Engine>,
    seat: &Arc<Seat>,
    number: u32,
) -> Result<(Ended, Option<Duration>), CommandError> {
    let started = engine.clock.now();
    let begun = Begun {
        model_id: seat.planned.slot.model_id.to_string(),
        replicate_index: seat.planned.slot.replicate,
        attempt: number,
        started_at_utc: started.to_string(),
        input_sha256: Digest::of(seat.input.as_bytes()).to_hex(),
        base_url: seat.base_url.clone(),
    };
    on_disk(engine, seat, move |engine, seat| {
        engine.ledger.begin(&seat.planned.slot, &begun)?;
        engine.record(seat, number)
    })
    .await?;
    let slot = &seat.planned;
    engine.say(&Event::AttemptBegun {
        slot,
        attempt: number,
    });
    let called = call(engine, seat).await;
    let received = engine.clock.now();
    let (ended, asked_to_wait) = match called {
        Err((failure, None)) => (verdict::failed(&failure), failure.retry_after()),
        Err((_, Some(reason))) => {
            let text = "the deadline came first".to_owned();
            (verdict::failed_for(reason, text), None)
        }
        Ok(answer) => {
            keep(engine, seat, number, &answer, received).await?;
            let gate = engine.gates.get(&seat.planned.provider);
            if let (Some(gate), Some(wait)) = (gate, answer.used_up_for()) {
                gate.close_for(wait.min(seat.time_limit));
            }
            verdict::judge(engine, seat, &answer)
        }
    };
    let ended = Ended {
        ended_at_utc: received.to_string(),
        latency_seconds: received.duration_since(started).as_secs_f64(),
        ..ended
    };
    let kept = ended.clone();
    on_disk(engine, seat, move |engine, seat| {
        engine.ledger.end(&seat.planned.slot, number, &kept)?;
        engine.record(seat, number)
    })
    .await?;
    engine.say(&Event::AttemptEnded {
        slot,
        attempt: number,
        ended: &ended,
    });
    Ok((ended, asked_to_wait))
}

/// Puts the exact answer on disk, before anything reads it.
async fn keep(
    engine: &Arc<Engine>,
    seat: &Arc<Seat>,
    number: u32,
    answer: &RawAnswer,
    received: Timestamp,
) -> Result<(), CommandError> {
    let head = AnswerHead {
        status: answer.status,
        headers: answer.headers.clone(),
        received_at_utc: received.to_string(),
        sha256: Digest::of(&answer.body).to_hex(),
    };
    let body = answer.body.clone();
    on_disk(engine, seat, move |engine, seat| {
        engine
            .ledger
            .keep_answer(&seat.planned.slot, number, &head, &body)
    })
    .await
}

/// The call itself, cut off at its time limit or at the deadline, whichever comes first.
async fn call(engine: &Engine, seat: &Seat) -> Result<RawAnswer, (CallFailure, Option<Reason>)> {
    let left = engine.until_deadline();
    let limit = left.map_or(seat.time_limit, |left| left.min(seat.time_limit));
    let question = Question {
        input: &seat.input,
        schema: engine.schema.as_ref(),
        max_output_tokens: seat.max_output_tokens,
        time_limit: limit,
    };
    let sending = tokio::time::timeout(limit, seat.provider.send(question)).await;
    sending
        .unwrap_or(Err(CallFailure::Timeout(limit)))
        .map_err(|failure| {
            // The provider keeps the same limit; whoever notices first, it was the deadline. A
            // connection that did not come about ends sooner and may be tried again.
            let late = limit < seat.time_limit
                && matches!(failure, CallFailure::Timeout(after) if after >= limit);
            (failure, late.then_some(Reason::Deadline))
        })
}

/// Does work on the disk without holding up the other calls.
async fn on_disk<T: Send + 'static>(
    engine: &Arc<Engine>,
    seat: &Arc<Seat>,
    work: impl FnOnce(&Engine, &Seat) -> Result<T, FileError> + Send + 'static,
) -> Result<T, CommandError> {
    let (engine, seat) = (Arc::clone(engine), Arc::clone(seat));
    let done = spawn_blocking(move || work(&engine, &seat)).await;
    let done = done.map_err(|error| CommandError::new(format!("a write broke: {error}")))?;
    Ok(done?)
}

/// What to count for a call: its price, or the worst case where nobody knows.
pub(crate) fn cost_of(ended: &Ended, worst_case: Cost) -> Cost {
    if let Some(cost) = ended.cost_usd.and_then(Cost::from_usd) {
        return cost;
    }
    if bills_nothing(ended) {
        Cost::ZERO
    } else {
        worst_case
    }
}

/// Whether the server turned the request away, for which nobody is billed.
pub(crate) fn bills_nothing(ended: &Ended) -> bool {
    let reason = ended.attempt_status().reason();
    matches!(
        reason,
        Some(Reason::RateLimit | Reason::Server | Reason::Key | Reason::Request)
    )
}

impl Engine {
    /// Tells whoever listens.
    pub(crate) fn say(&self, event: &Event<'_>) {
        self.listener.hear(self.clock.now(), event);
    }

    /// Puts what the ledger holds of an attempt into the log.
    fn record(&self, seat: &Seat, attempt: u32) -> Result<(), FileError> {
        let place = (&seat.planned.slot, attempt);
        let now = self.clock.now();
        self.recorder
            .attempt(&self.inputs.folder, &self.ledger, place, now)
    }

    fn closed(&self) -> Option<Open> {
        if *self.stop.borrow() || *self.broken.borrow() {
            return Some(Open::Stopped);
        }
        let over = self.until_deadline().is_some_and(|left| left.is_zero());
        over.then_some(Open::Deadline)
    }

    fn until_deadline(&self) -> Option<Duration> {
        let left = self.deadline?.duration_since(self.clock.now());
        Some(left.unsigned_abs())
            .filter(|_| left.is_positive())
            .or(Some(Duration::ZERO))
    }

    /// A place at a provider of whose allowances something remains; an end of the run lets in too.
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

    /// How long to wait after an attempt: what the server asks for, at most one call's time; after
    /// trouble of form nothing.
    fn pause_after(
        &self,
        status: &AttemptStatus,
        asked: Option<Duration>,
        number: u32,
        longest: Duration,
    ) -> Option<Duration> {
        let AttemptStatus::Failed { .. } = status else {
            return None;
        };
        let own = self
            .pause
            .saturating_mul(1 << number.min(8).saturating_sub(1));
        Some(asked.unwrap_or(own).min(longest))
    }
}
