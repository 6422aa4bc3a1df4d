//! Anthropic's Messages API: `POST /v1/messages`.

use capitalbench_core::asking::call_settings::ReasoningSetting;
use serde_json::{Value, json};

use super::answer::{count, counts_any, is_filled, joined_texts, missing, text, text_at};
use super::capabilities::Off;
use super::{CallFailure, Question, Reply, Settings, Stop, Tokens, Wire, request, wire_schema};

/// The format of Anthropic's Messages API.
#[derive(Debug, Clone, Copy)]
pub struct Anthropic;

impl Anthropic {
    pub const DEFAULT_BASE_URL: &str = "https://api.anthropic.com";
}

impl Wire for Anthropic {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn has_json_mode(&self) -> bool {
        false
    }

    fn key_header(&self) -> (&'static str, &'static str) {
        ("x-api-key", "")
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("anthropic-version", "2023-06-01")]
    }

    fn path(&self, _model: &str) -> Vec<String> {
        vec!["v1".to_owned(), "messages".to_owned()]
    }

    fn request_body(&self, settings: &Settings, question: &Question<'_>) -> Value {
        let mut body = json!({
            "model": settings.api_model_name,
            "max_tokens": question.max_output_tokens,
            "messages": [{"role": "user", "content": question.input}],
        });
        request::add_reasoning(&mut body, self, settings);
        if let Some(schema) = settings.schema(question) {
            let schema = wire_schema::anthropic(schema);
            body["output_config"]["format"] = json!({"type": "json_schema", "schema": schema});
        }
        if let Some(temperature) = settings.temperature_sent() {
            body["temperature"] = json!(temperature);
        }
        body["service_tier"] = json!("standard_only");
        body
    }

    fn reasoning(&self, settings: &Settings, setting: &ReasoningSetting) -> Option<Value> {
        Some(match setting {
            ReasoningSetting::Effort(effort) if thinks_by_request(settings) => {
                json!({"output_config": {"effort": effort}, "thinking": {"type": "adaptive"}})
            }
            ReasoningSetting::Effort(effort) => json!({"output_config": {"effort": effort}}),
            ReasoningSetting::On => json!({"thinking": {"type": "adaptive"}}),
            ReasoningSetting::Off => json!({"thinking": {"type": "disabled"}}),
            ReasoningSetting::Budget(tokens) => {
                json!({"thinking": {"type": "enabled", "budget_tokens": tokens}})
            }
            ReasoningSetting::Omit => return None,
        })
    }

    /// Where saying nothing about thinking means none, the effort alone does not tell.
    fn reasoning_words(&self, settings: &Settings, setting: &ReasoningSetting) -> String {
        match setting {
            ReasoningSetting::Effort(_) if thinks_by_request(settings) => {
                format!("{setting}, thinking adaptive")
            }
            ReasoningSetting::Effort(_) if settings.capabilities.off == Off::Omission => {
                format!("{setting}, thinking off")
            }
            _ => setting.to_string(),
        }
    }

    fn reply(&self, body: &Value) -> Result<Reply, CallFailure> {
        let content = body["content"].as_array();
        let content = content.ok_or_else(|| missing("content"))?;
        Ok(Reply {
            text: joined_texts(content, "text"),
            billed: None,
            service_tier: text_at(body, "/usage/service_tier"),
            answered_by: None,
            served_model: text(body, "model"),
            request_id: text(body, "id"),
            stop: stop(body, content),
            tokens: tokens(body),
        })
    }
}

/// Whether an effort asks for thinking too: the models file names one, the model thinks only if a
/// request says so, and it can decide by itself how much.
fn thinks_by_request(settings: &Settings) -> bool {
    let can = &settings.capabilities;
    settings.calls.reasoning.is_some() && can.off == Off::Omission && can.on
}

/// Every block but text and thinking is a tool's; citations, a container and counted uses show a
/// tool that ran on the provider's side.
fn used_tool(body: &Value, content: &[Value]) -> bool {
    let is_known = |block: &Value| {
        matches!(
            block["type"].as_str(),
            Some("text" | "thinking" | "redacted_thinking")
        )
    };
    !content.iter().all(is_known)
        || content
            .iter()
            .any(|block| is_filled(block.get("citations")))
        || is_filled(body.get("container"))
        || counts_any(body.pointer("/usage/server_tool_use"))
}

fn stop(body: &Value, content: &[Value]) -> Stop {
    if used_tool(body, content) {
        return Stop::Tool;
    }
    match body["stop_reason"].as_str() {
        Some("end_turn" | "stop_sequence") => Stop::Complete,
        Some("max_tokens" | "model_context_window_exceeded") => Stop::Length,
        Some("refusal") => Stop::Refusal,
        Some("tool_use" | "pause_turn") => Stop::Tool,
        // Anthropic gives a reason with every reply that has ended.
        _ => Stop::Unknown,
    }
}

/// Anthropic's input count leaves out what was read from or written to its cache.
fn tokens(body: &Value) -> Tokens {
    let cached = count(body, "/usage/cache_read_input_tokens");
    let written = count(body, "/usage/cache_creation_input_tokens");
    let uncached = count(body, "/usage/input_tokens");
    Tokens {
        input: uncached.map(|input| {
            input
                .saturating_add(cached.unwrap_or(0))
                .saturating_add(written.unwrap_or(0))
        }),
        cached,
        cache_written: written,
        output: count(body, "/usage/output_tokens"),
        reasoning: count(body, "/usage/output_tokens_details/thinking_tokens"),
    }
}
