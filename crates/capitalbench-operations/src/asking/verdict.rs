//! An answer on disk → what became of the call.

use std::time::Duration;

use capitalbench_adapters::provider::{CallFailure, RawAnswer, Reply, Stop, Tokens};
use capitalbench_archive::run::ledger::Ended;
use capitalbench_archive::run::ledger::derive::add_run_fields;
use capitalbench_core::asking::attempt::{AttemptStatus, Reason};
use capitalbench_core::asking::cost::{Billed, Cost, TokenPrice};
use capitalbench_core::asking::served_name::{self, served_models_line};
use capitalbench_core::decision::submission::reply::{Ending, ReplyFault, Step, read_reply};
use capitalbench_core::decision::submission::{PayloadForm, Problem, RoundRules, validate};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::engine::Engine;
use super::seats::Seat;

/// Reads a stored answer and judges what it says; also how long the server asks to wait.
pub fn judge(engine: &Engine, seat: &Seat, answer: &RawAnswer) -> (Ended, Option<Duration>) {
    match seat.provider.read(answer) {
        Err(failure) => (failed(&failure), failure.retry_after()),
        Ok(reply) => (of_reply(engine, seat, reply), None),
    }
}

/// The same for an answer that arrived at this instant: after the deadline it is no decision.
pub fn judge_in_time(
    engine: &Engine,
    seat: &Seat,
    answer: &RawAnswer,
    received: Timestamp,
) -> (Ended, Option<Duration>) {
    let (judged, wait) = judge(engine, seat, answer);
    let in_time = engine.deadline.is_none_or(|deadline| received <= deadline);
    if in_time || judged.attempt_status() != AttemptStatus::Valid {
        return (judged, wait);
    }
    let text = "the answer came after the deadline".to_owned();
    let late = failed_for(Reason::Deadline, text);
    let kept = Ended {
        status: late.status,
        reason: late.reason,
        problems: late.problems,
        text: None,
        object: None,
        parse_path: None,
        ..judged
    };
    (kept, wait)
}

fn of_reply(engine: &Engine, seat: &Seat, reply: Reply) -> Ended {
    let found = object_in(&reply, &seat.planned.api_model_name, &seat.served_models);
    let (found, status) = match found {
        Ok((object, step)) => {
            let status = judge_object(engine, seat, &object);
            (Some((object, step)), status)
        }
        Err((reason, text)) => {
            let problems = vec![text];
            (None, AttemptStatus::Invalid { reason, problems })
        }
    };
    let tokens = reply.tokens;
    let card = seat.price.and_then(|price| cost(price, tokens));
    let cost = reply.billed.or(card);
    Ended {
        text: Some(reply.text),
        parse_path: found.as_ref().map(|(_, step)| step.as_str().to_owned()),
        object: found.map(|(object, _)| object),
        served_model: reply.served_model,
        request_id: reply.request_id,
        input_tokens: tokens.input,
        cached_tokens: tokens.cached,
        cache_write_tokens: tokens.cache_written,
        output_tokens: tokens.output,
        reasoning_tokens: tokens.reasoning,
        cost_usd: cost.map(Cost::usd),
        billed_usd: reply.billed.map(Cost::usd),
        card_usd: card.map(Cost::usd),
        service_tier: reply.service_tier,
        answered_by: reply.answered_by,
        ..ended(&status)
    }
}

/// A call without an answer.
pub fn failed(failure: &CallFailure) -> Ended {
    failed_for(reason_of(failure), failure.to_string())
}

/// Why there is no answer, in the ledger's words.
pub fn reason_of(failure: &CallFailure) -> Reason {
    match failure {
        CallFailure::Transport(_) => Reason::Transport,
        CallFailure::Unreachable(_) => Reason::Unreachable,
        CallFailure::Overloaded { .. } => Reason::Overloaded,
        CallFailure::Quota { .. } => Reason::Quota,
        CallFailure::NoModel { .. } => Reason::NoModel,
        CallFailure::Filtered { .. } => Reason::Filter,
        CallFailure::FailedGeneration { .. } => Reason::Malformed,
        CallFailure::Timeout(_) => Reason::Timeout,
        CallFailure::RateLimited { .. } => Reason::RateLimit,
        CallFailure::Server { .. } => Reason::Server,
        CallFailure::Key { .. } => Reason::Key,
        CallFailure::Request { .. } => Reason::Request,
        CallFailure::Unreadable(_) => Reason::Unreadable,
    }
}

/// A call that ended for this reason.
pub fn failed_for(reason: Reason, message: String) -> Ended {
    ended(&AttemptStatus::Failed { reason, message })
}

fn ended(status: &AttemptStatus) -> Ended {
    let problems = match status {
        AttemptStatus::Unknown | AttemptStatus::Valid => Vec::new(),
        AttemptStatus::Invalid { problems, .. } => problems.clone(),
        AttemptStatus::Failed { message, .. } => vec![message.clone()],
    };
    Ended {
        status: status.as_str().to_owned(),
        reason: status.reason().map(|reason| reason.as_str().to_owned()),
        problems,
        ..Ended::default()
    }
}

/// The object in a reply and how it was found, or why the reply is not an answer.
///
/// A tool comes first: whoever answered, with help from outside it is no closed-book answer. Then
/// the model: what another one says is not read.
pub(super) fn object_in(
    reply: &Reply,
    asked: &str,
    served_models: &[String],
) -> Result<(Value, Step), (Reason, String)> {
    if reply.stop == Stop::Tool {
        return Err((Reason::Tool, "a tool was asked for or used".to_owned()));
    }
    if let Some(served) = &reply.served_model
        && !served_name::fits(asked, served, served_models)
    {
        return Err((Reason::OtherModel, not_accepted(asked, served)));
    }
    if let Some((reason, text)) = stopped(reply.stop) {
        return Err((reason, text.to_owned()));
    }
    let ending = match reply.stop {
        Stop::Complete => Ending::Complete,
        _ => Ending::Unsure,
    };
    read_reply(&reply.text, ending).map_err(|fault| {
        let reason = match fault {
            ReplyFault::Empty => Reason::Empty,
            ReplyFault::NothingBegun => Reason::Refusal,
            _ => Reason::Malformed,
        };
        (reason, fault.to_string())
    })
}

/// An answer under another name, and the line that accepts the name in later rounds.
fn not_accepted(asked: &str, served: &str) -> String {
    let line = served_models_line(served);
    format!(
        "served as {}, not accepted; {asked} was asked; if both are the same model, write {line} \
         into the models file of the next round",
        shown(served)
    )
}

/// The server's name for a model, as far as it can be printed safely.
fn shown(served: &str) -> String {
    const LONGEST: usize = 200;
    let is_shown = |c: &char| !c.is_control();
    served.chars().filter(is_shown).take(LONGEST).collect()
}

/// Why a reply is no answer although there is one, whatever it says.
fn stopped(stop: Stop) -> Option<(Reason, &'static str)> {
    match stop {
        Stop::Complete | Stop::Other => None,
        Stop::Length => Some((Reason::Truncated, "the token limit cut the reply off")),
        Stop::Refusal => Some((Reason::Refusal, "the model refused")),
        Stop::Filter => Some((Reason::Filter, "a content filter cut the reply off")),
        Stop::Tool => Some((Reason::Tool, "a tool was asked for or used")),
        Stop::Failed => Some((
            Reason::Malformed,
            "the provider says that it could not finish the reply",
        )),
        // It may stand for a refusal, a filter or a cut; accepting it would be a guess.
        Stop::Unknown => Some((
            Reason::Unreadable,
            "the provider ended the reply for a reason that this program does not know",
        )),
    }
}

/// What a reply costs, where the provider counts its tokens.
pub fn cost(price: TokenPrice, tokens: Tokens) -> Option<Cost> {
    Some(price.cost(Billed {
        input: tokens.input?,
        cached: tokens.cached.unwrap_or(0),
        cache_write: tokens.cache_written.unwrap_or(0),
        output: tokens.output?,
        reasoning: tokens.reasoning.unwrap_or(0),
    }))
}

fn judge_object(engine: &Engine, seat: &Seat, object: &Value) -> AttemptStatus {
    let inputs = &engine.inputs;
    let mut problems = Vec::new();
    let identity = [
        ("model_id", seat.planned.slot.model_id.as_str()),
        ("provider", &seat.planned.provider),
    ];
    for (field, expected) in identity {
        if object.get(field) != Some(&json!(expected)) {
            problems.push(Problem::at(field, format!("must be {expected}")));
        }
    }
    let rules = engine.ledger.plan().rules;
    let mut payload = object.clone();
    if let Some(raw) = payload.as_object_mut() {
        add_run_fields(raw, rules, &seat.planned.slot);
    }
    let round = RoundRules {
        manifest: &inputs.manifest,
        universe: &inputs.universe,
        slate: inputs.slate.as_ref(),
        run: rules,
    };
    problems.extend(
        validate(&payload, PayloadForm::Raw, &round)
            .err()
            .unwrap_or_default(),
    );
    if problems.is_empty() {
        return AttemptStatus::Valid;
    }
    AttemptStatus::Invalid {
        reason: Reason::of_refused_object(inputs.manifest.methodology.family()),
        problems: problems.iter().map(ToString::to_string).collect(),
    }
}

#[cfg(test)]
mod tests;
