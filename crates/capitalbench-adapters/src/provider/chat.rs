//! The request and reply format of `OpenAI`'s chat completions, which many providers share.

use serde_json::{Value, json};

use super::answer::{count, is_filled, joined_texts, missing, text};
use super::settings::SCHEMA_NAME;
use super::{CallFailure, Question, Reply, Settings, Stop, Tokens};

pub(super) fn path() -> Vec<String> {
    vec!["chat".to_owned(), "completions".to_owned()]
}

/// The fields that every chat request begins with.
pub(super) fn request_start(settings: &Settings, question: &Question<'_>) -> Value {
    json!({
        "model": settings.api_model_name,
        "messages": [{"role": "user", "content": question.input}],
    })
}

pub(super) fn response_format(schema: &Value) -> Value {
    let named = json!({"name": SCHEMA_NAME, "strict": true, "schema": schema});
    json!({"type": "json_schema", "json_schema": named})
}

/// Reads a body; each provider counts its tokens in its own way.
pub(super) fn reply(body: &Value, tokens: Tokens) -> Result<Reply, CallFailure> {
    let choice = body.pointer("/choices/0");
    let choice = choice.ok_or_else(|| missing("choices"))?;
    let message = choice.get("message").ok_or_else(|| missing("message"))?;
    Ok(Reply {
        text: content(&message["content"])?,
        billed: None,
        service_tier: None,
        answered_by: None,
        served_model: text(body, "model"),
        request_id: text(body, "id"),
        stop: stop(body, choice, message),
        tokens,
    })
}

/// The content is one text, or chunks of which only those of type `text` are the reply.
fn content(content: &Value) -> Result<String, CallFailure> {
    match content {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.clone()),
        Value::Array(chunks) => Ok(joined_texts(chunks, "text")),
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
