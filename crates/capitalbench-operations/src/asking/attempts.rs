//! One attempt of a slot, from its first note on disk to its last.

use std::sync::Arc;
use std::time::Duration;

use capitalbench_adapters::provider::{CallFailure, Question, RawAnswer};
use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::run::ledger::{AnswerHead, AttemptRecord, Begun, Ended};
use capitalbench_core::asking::attempt::{AttemptStatus, Reason};
use capitalbench_core::values::ids::Digest;
use jiff::Timestamp;
use tokio::task::spawn_blocking;

use super::engine::Engine;
use super::events::Event;
use super::seats::Seat;
use super::verdict;
use crate::error::Error;

/// The attempts on disk; one whose answer is there and was not read is read now.
pub(super) async fn recover(
    engine: &Arc<Engine>,
    seat: &Arc<Seat>,
) -> Result<Vec<AttemptStatus>, Error> {
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
        let received = head.received_at_utc.parse::<Timestamp>().ok();
        let took = started
            .ok()
            .zip(received)
            .map(|(from, to)| to.duration_since(from));
        // Without a readable instant nobody can say that it came in time.
        let at = received.unwrap_or(Timestamp::MAX);
        let ended = Ended {
            ended_at_utc: head.received_at_utc,
            latency_seconds: took.map_or(0.0, |took| took.as_secs_f64()),
            ..verdict::judge_in_time(engine, seat, &answer, at).0
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
pub(super) async fn attempt(
    engine: &Arc<Engine>,
    seat: &Arc<Seat>,
    number: u32,
) -> Result<(Ended, Option<Duration>), Error> {
    let started = engine.clock.now();
    let begun = Begun {
        model_id: seat.planned.slot.model_id.to_string(),
        replicate_index: seat.planned.slot.replicate,
        attempt: number,
        started_at_utc: started.to_string(),
        input_sha256: Digest::of(seat.input.as_bytes()).to_hex(),
        base_url: seat.base_url.clone(),
        asked: seat.provider.asks(&question(engine, seat, seat.time_limit)),
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
                gate.close_for(wait.min(engine.patience()));
            }
            verdict::judge_in_time(engine, seat, &answer, received)
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
) -> Result<(), Error> {
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
    let question = question(engine, seat, limit);
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

fn question<'a>(engine: &'a Engine, seat: &'a Seat, time_limit: Duration) -> Question<'a> {
    Question {
        input: &seat.input,
        schema: engine.schema.as_ref(),
        max_output_tokens: seat.max_output_tokens,
        time_limit,
    }
}

/// Does work on the disk without holding up the other calls.
async fn on_disk<T: Send + 'static>(
    engine: &Arc<Engine>,
    seat: &Arc<Seat>,
    work: impl FnOnce(&Engine, &Seat) -> Result<T, FileError> + Send + 'static,
) -> Result<T, Error> {
    let (engine, seat) = (Arc::clone(engine), Arc::clone(seat));
    let done = spawn_blocking(move || work(&engine, &seat)).await;
    let done = done.map_err(|error| Error::new(format!("a write broke: {error}")))?;
    Ok(done?)
}
