//! What leaves: the body of a request with what the models file adds, and the record of it.

use capitalbench_core::asking::call_settings::{Asked, ReasoningSetting, SchemaMode};
use capitalbench_core::values::ids::Digest;
use serde_json::{Map, Value};

use super::capabilities::Off;
use super::{Question, Settings, Wire};

/// Fields about reasoning that a models file may add by itself.
const REASONING: [&str; 8] = [
    "reasoning",
    "reasoning_effort",
    "thinking",
    "think",
    "enable_thinking",
    "thinking_budget",
    "chat_template_kwargs",
    "output_config",
];

/// The body of a request; the same question always gives the same bytes.
pub(super) fn body<W: Wire>(wire: &W, settings: &Settings, question: &Question<'_>) -> Value {
    let mut body = wire.request_body(settings, question);
    merge(&mut body, &settings.calls.extra_body);
    body
}

/// Adds fields to an object: objects are joined, every other value is replaced.
pub(super) fn merge(body: &mut Value, more: &Map<String, Value>) {
    for (name, value) in more {
        match (&mut body[name.as_str()], value) {
            (own @ Value::Object(_), Value::Object(more)) => merge(own, more),
            (own, value) => *own = value.clone(),
        }
    }
}

/// Adds what a wire says about reasoning to a request.
pub(super) fn add_reasoning<W: Wire>(body: &mut Value, wire: &W, settings: &Settings) {
    if let Some(setting) = settings.reasoning_sent()
        && let Some(Value::Object(fields)) = wire.reasoning(settings, &setting)
    {
        merge(body, &fields);
    }
}

/// What a request for a question asks for.
pub(super) fn asked<W: Wire>(wire: &W, settings: &Settings, question: &Question<'_>) -> Asked {
    let body = body(wire, settings, question);
    let calls = &settings.calls;
    let mode = match question.schema {
        Some(_) => settings.schema_mode(),
        None => SchemaMode::None,
    };
    let routing = body.pointer("/provider/only").and_then(Value::as_array);
    let routing = routing.into_iter().flatten().filter_map(Value::as_str);
    let headers = calls.extra_headers.keys();
    let headers = headers.map(|name| format!("header {name}"));
    Asked {
        api_model_name: settings.api_model_name.clone(),
        schema_mode: mode.as_str().to_owned(),
        temperature: settings.temperature_sent(),
        reasoning: told(wire, settings),
        max_output_tokens: question.max_output_tokens,
        time_limit_seconds: question.time_limit.as_secs_f64(),
        service_tier: body["service_tier"].as_str().map(str::to_owned),
        routing: routing.map(str::to_owned).collect(),
        extra_fields: calls.extra_body.keys().cloned().chain(headers).collect(),
        body_sha256: Digest::of(body.to_string().as_bytes()).to_hex(),
    }
}

/// What the request says about reasoning, in words; what is known about saying nothing counts too.
fn told<W: Wire>(wire: &W, settings: &Settings) -> Option<String> {
    let by_hand = settings.calls.extra_body.keys();
    let by_hand: Vec<&str> = by_hand
        .map(String::as_str)
        .filter(|name| REASONING.contains(name))
        .collect();
    let sent = match settings.reasoning_sent() {
        None if settings.capabilities.off == Off::Omission => Some("off".to_owned()),
        None => None,
        Some(ReasoningSetting::Effort(word)) if word == "none" => Some("off".to_owned()),
        Some(setting) => Some(wire.reasoning_words(settings, &setting)),
    };
    if by_hand.is_empty() {
        return sent;
    }
    let added = format!("as extra_body says: {}", by_hand.join(", "));
    match settings.reasoning_sent() {
        None => Some(added),
        Some(_) => sent.map(|sent| format!("{sent}; {added}")),
    }
}

#[cfg(test)]
mod tests;
