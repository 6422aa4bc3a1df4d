//! Each attempt is held against its stored answer, because a reply could be made up and a failure
//! could hide a decision.

use std::collections::BTreeSet;

use capitalbench_core::asking::attempt::{AttemptStatus, Reason};
use capitalbench_core::decision::submission::reply::{Ending, find_object, read_reply};
use capitalbench_core::values::time::WrittenInstant;
use jiff::Timestamp;
use serde_json::Value;

use crate::format::text::json;
use crate::run::ledger::{Ended, PlannedSlot};

/// Why the end of an attempt does not follow from its answer.
pub(super) fn unfounded(ended: &Ended, answer: Option<&[u8]>) -> Option<&'static str> {
    let text = ended.text.as_deref();
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        let Some(answer) = answer else {
            return Some("has a reply, but its answer is missing");
        };
        if !says(answer, text) {
            return Some("has a reply that is not in the answer");
        }
    }
    let said = |ending| {
        let (object, _) = read_reply(text.unwrap_or_default(), ending).ok()?;
        again(&object)
    };
    match &ended.object {
        None if ended.attempt_status() == AttemptStatus::Valid => {
            Some("is valid, but has no object")
        }
        Some(object)
            if said(Ending::Complete).as_ref() != Some(object)
                && said(Ending::Unsure).as_ref() != Some(object) =>
        {
            Some("has an object that is not the one in its reply")
        }
        _ => None,
    }
}

/// Whether a call that failed, as the ledger says, did bring a decision: a rejection uses up no retry,
/// and a round goes on without a model that failed, so nobody may call an unwelcome answer so.
pub(super) fn hidden_decision(
    ended: &Ended,
    answer: Option<&[u8]>,
    planned: &PlannedSlot,
    deadline: Option<Timestamp>,
) -> Option<&'static str> {
    use Reason::{Deadline, Server, Timeout, Transport};
    let status = ended.attempt_status();
    let problem = match status.reason()? {
        reason if reason.is_rejection() => "is called a rejection, but its answer holds a decision",
        Server | Timeout | Transport => "is called a failure, but its answer holds a decision",
        Deadline if !came_late(ended, deadline) => {
            "is called late, but its answer came before the deadline and holds a decision"
        }
        _ => return None,
    };
    let answer: Value = serde_json::from_slice(answer?).ok()?;
    let mut strings = Vec::new();
    collect(&answer, &mut strings);
    let decides = |text: &&str| {
        let object = find_object(text);
        object.is_some_and(|object| object["model_id"] == planned.slot.model_id.as_str())
    };
    let is_hidden = strings.iter().any(decides) || ended.text.is_some();
    is_hidden.then_some(problem)
}

fn came_late(ended: &Ended, deadline: Option<Timestamp>) -> bool {
    let ended = WrittenInstant::parse(&ended.ended_at_utc);
    ended
        .zip(deadline)
        .is_some_and(|(ended, limit)| ended.at() > limit)
}

/// The value after writing and reading it.
pub(super) fn again(value: &Value) -> Option<Value> {
    json::parse(json::to_line(value).as_bytes()).ok()
}

/// Whether an answer contains a text: in one of its strings, or in consecutive ones.
///
/// Providers put replies into different places of their JSON, some in pieces.
fn says(answer: &[u8], text: &str) -> bool {
    let Ok(answer) = serde_json::from_slice::<Value>(answer) else {
        return false;
    };
    let mut strings = Vec::new();
    collect(&answer, &mut strings);
    let mut reached = BTreeSet::from([0]);
    for piece in strings.into_iter().filter(|piece| !piece.is_empty()) {
        let next: Vec<usize> = reached
            .iter()
            .filter(|at| text[**at..].starts_with(piece))
            .map(|at| at + piece.len())
            .collect();
        reached.extend(next);
    }
    reached.contains(&text.len())
}

fn collect<'a>(value: &'a Value, strings: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => strings.push(text),
        Value::Array(all) => all.iter().for_each(|value| collect(value, strings)),
        Value::Object(all) => all.values().for_each(|value| collect(value, strings)),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
