//! `OpenAI`'s Responses API: `POST /responses`.

use capitalbench_core::asking::call_settings::ReasoningSetting;
use serde_json::{Value, json};

use super::answer::{count, is_filled, joined_texts, missing, text};
use super::settings::SCHEMA_NAME;
use super::{CallFailure, Question, Reply, Settings, Stop, Tokens, Wire, request, wire_schema};

/// The format of `OpenAI`'s Responses API.
#[derive(Debug, Clone, Copy)]
pub struct OpenAi;

impl OpenAi {
    pub const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";
}

impl Wire for OpenAi {
    fn name(&self) -> &'static str {
        "openai"
    }

    fn path(&self, _model: &str) -> Vec<String> {
        vec!["responses".to_owned()]
    }

    fn request_body(&self, settings: &Settings, question: &Question<'_>) -> Value {
        let content = json!([{"type": "input_text", "text": question.input}]);
        let mut body = json!({
            "model": settings.api_model_name,
            "input": [{"role": "user", "content": content}],
            "max_output_tokens": question.max_output_tokens,
        });
        request::add_reasoning(&mut body, self, settings);
        if let Some(temperature) = settings.temperature_sent() {
            body["temperature"] = json!(temperature);
        }
        if let Some(schema) = settings.schema(question) {
            body["text"] = json!({"format": {
                "type": "json_schema",
                "name": SCHEMA_NAME,
                "strict": true,
                "schema": wire_schema::openai(schema),
            }});
        } else if settings.wants_json(question) {
            body["text"] = json!({"format": {"type": "json_object"}});
        }
        for (field, value) in [
            ("tools", json!([])),
            ("tool_choice", json!("none")),
            ("store", json!(false)),
            ("truncation", json!("disabled")),
            ("service_tier", json!("default")),
            ("background", json!(false)),
            ("stream", json!(false)),
        ] {
            body[field] = value;
        }
        body
    }

    fn reasoning(&self, _settings: &Settings, setting: &ReasoningSetting) -> Option<Value> {
        let effort = effort_word(setting)?;
        Some(json!({"reasoning": {"effort": effort}}))
    }

    fn reply(&self, body: &Value) -> Result<Reply, CallFailure> {
        if !body["status"].is_string() {
            return Err(missing("status"));
        }
        let items = body["output"].as_array().ok_or_else(|| missing("output"))?;
        let parts = parts(items);
        Ok(Reply {
            text: joined_texts(parts.iter().copied(), "output_text"),
            billed: None,
            service_tier: text(body, "service_tier"),
            answered_by: None,
            served_model: text(body, "model"),
            request_id: text(body, "id"),
            stop: stop(body, items, &parts),
            tokens: Tokens {
                input: count(body, "/usage/input_tokens"),
                cached: count(body, "/usage/input_tokens_details/cached_tokens"),
                cache_written: count(body, "/usage/input_tokens_details/cache_write_tokens"),
                output: count(body, "/usage/output_tokens"),
                reasoning: count(body, "/usage/output_tokens_details/reasoning_tokens"),
            },
        })
    }
}

/// The word for an effort, where a provider knows only words.
pub(super) fn effort_word(setting: &ReasoningSetting) -> Option<&str> {
    match setting {
        ReasoningSetting::Effort(word) => Some(word),
        ReasoningSetting::Off => Some("none"),
        _ => None,
    }
}

/// The parts of the model's messages; its commentary along the way is not part of the reply.
fn parts(items: &[Value]) -> Vec<&Value> {
    items
        .iter()
        .filter(|item| item["type"] == "message" && item["phase"] != "commentary")
        .filter_map(|item| item["content"].as_array())
        .flatten()
        .collect()
}

/// Every item but a message and reasoning is a tool's, and an annotation is what a tool found. The
/// commentary counts too: a tool used there helped with the answer.
fn used_tool(items: &[Value]) -> bool {
    let is_known = |item: &Value| matches!(item["type"].as_str(), Some("message" | "reasoning"));
    let mut parts = items
        .iter()
        .filter_map(|item| item["content"].as_array())
        .flatten();
    !items.iter().all(is_known) || parts.any(|part| is_filled(part.get("annotations")))
}

fn stop(body: &Value, items: &[Value], parts: &[&Value]) -> Stop {
    if used_tool(items) {
        return Stop::Tool;
    }
    if parts.iter().any(|part| part["type"] == "refusal") {
        return Stop::Refusal;
    }
    let reason = body.pointer("/incomplete_details/reason");
    match (body["status"].as_str(), reason.and_then(Value::as_str)) {
        (Some("completed"), _) => Stop::Complete,
        (_, Some("max_output_tokens")) => Stop::Length,
        (_, Some("content_filter")) => Stop::Filter,
        _ => Stop::Unknown,
    }
}
