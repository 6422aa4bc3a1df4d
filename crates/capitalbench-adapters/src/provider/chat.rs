//! The form of answers that `OpenAI`'s chat completions gave to half the world.

use serde_json::Value;

use super::answer::{Answer, count, is_filled, missing, text};
use super::{CallFailure, Reply, Stop, Tokens};

/// Reads an answer; how tokens are counted is the provider's own.
pub(super) fn read(answer: Answer<'_>, tokens: fn(&Value) -> Tokens) -> Result<Reply, CallFailure> {
    let body = answer.json()?;
    let choice = body.pointer("/choices/0");
    let choice = choice.ok_or_else(|| missing("choices"))?;
    let message = choice.get("message").ok_or_else(|| missing("message"))?;
    Ok(Reply {
        text: content(&message["content"])?,
        served_model: text(&body, "model"),
        request_id: answer.request_id(&body, "id"),
        stop: stop(&body, choice, message),
        tokens: tokens(&body),
    })
}

/// A text, or chunks of which those of type `text` are said to us.
fn content(content: &Value) -> Result<String, CallFailure> {
    match content {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.clone()),
        Value::Array(chunks) => Ok(chunks
            .iter()
            .filter(|chunk| chunk["type"] == "text")
            .filter_map(|chunk| chunk["text"].as_str())
            .collect()),
        _ => Err(missing("content")),
    }
}

fn stop(body: &Value, choice: &Value, message: &Value) -> Stop {
    let called = ["tool_calls", "function_call"];
    let searched = is_filled(body.get("citations"))
        || count(body, "/usage/num_sources_used").is_some_and(|sources| sources > 0);
    if searched || called.iter().any(|name| is_filled(message.get(name))) {
        return Stop::Tool;
    }
    if is_filled(message.get("refusal")) {
        return Stop::Refusal;
    }
    match choice["finish_reason"].as_str() {
        Some("stop" | "eos") => Stop::Complete,
        Some("length" | "model_length") => Stop::Length,
        Some("content_filter") => Stop::Filter,
        Some("tool_calls" | "function_call") => Stop::Tool,
        _ => Stop::Other,
    }
}
