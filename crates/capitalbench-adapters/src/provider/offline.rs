//! The small JSON format in which the offline providers, mock and replay, answer.

use serde_json::{Value, json};

use super::{CallFailure, RawAnswer, Reply, Stop, Tokens};

const STOPS: [(Stop, &str); 3] = [
    (Stop::Complete, "complete"),
    (Stop::Length, "length"),
    (Stop::Refusal, "refusal"),
];

/// Writes the body of an answer; four characters count as one token.
pub(super) fn body(text: &str, stop: Stop, input: &str) -> String {
    let word = STOPS.iter().find(|(known, _)| *known == stop);
    json!({
        "text": text,
        "stop": word.map(|(_, word)| *word),
        "usage": {"input": input.len() / 4, "output": text.len() / 4},
    })
    .to_string()
}

pub(super) fn read_body(answer: &RawAnswer) -> Result<Reply, CallFailure> {
    let unreadable = |text: &str| CallFailure::Unreadable(text.to_owned());
    let body: Value = serde_json::from_slice(&answer.body)
        .map_err(|error| CallFailure::Unreadable(error.to_string()))?;
    let text = body["text"]
        .as_str()
        .ok_or_else(|| unreadable("the answer has no text"))?;
    let stop = STOPS
        .iter()
        .find(|(_, word)| body["stop"].as_str() == Some(word));
    let request_id = answer
        .headers
        .iter()
        .find(|(name, _)| name == "x-request-id");
    Ok(Reply {
        text: text.to_owned(),
        billed: None,
        service_tier: None,
        answered_by: None,
        served_model: None,
        request_id: request_id.map(|(_, id)| id.clone()),
        stop: stop.map_or(Stop::Other, |(stop, _)| *stop),
        tokens: Tokens {
            input: body["usage"]["input"].as_u64(),
            output: body["usage"]["output"].as_u64(),
            ..Tokens::default()
        },
    })
}
