//! Ollama's own chat: `POST /api/chat`.
//!
//! Ollama also has an `OpenAI`-compatible address, but that one accepts no context length and silently
//! cuts longer input. This format tells the server how much room a question needs.

use capitalbench_core::asking::call_settings::ReasoningSetting;
use serde_json::{Value, json};

use super::answer::{count, is_filled, missing, text};
use super::{
    CallFailure, Question, Reply, Settings, Stop, Tokens, Wire, chat, request, wire_schema,
};

/// Half of what a token of prose takes, so that the room is ample.
const BYTES_PER_TOKEN: u64 = 2;
/// Tokens for thoughts, which Ollama counts with the reply.
const ROOM_FOR_THOUGHTS: u64 = 8_192;
/// The room is rounded up to a multiple of this many tokens.
const ROOM_STEP: u64 = 1024;

/// The format of an Ollama server.
#[derive(Debug, Clone, Copy)]
pub struct Ollama;

impl Ollama {
    /// A server on this machine.
    pub const DEFAULT_BASE_URL: &str = "http://127.0.0.1:11434";
}

impl Wire for Ollama {
    fn name(&self) -> &'static str {
        "ollama"
    }

    fn path(&self, _model: &str) -> Vec<String> {
        vec!["api".to_owned(), "chat".to_owned()]
    }

    fn request_body(&self, settings: &Settings, question: &Question<'_>) -> Value {
        let mut body = chat::request_start(settings, question);
        body["stream"] = json!(false);
        request::add_reasoning(&mut body, self, settings);
        if let Some(schema) = settings.schema(question) {
            body["format"] = wire_schema::compatible(schema);
        } else if settings.wants_json(question) {
            body["format"] = json!("json");
        }
        // A prompt that does not fit is an error, never cut.
        body["truncate"] = json!(false);
        body["shift"] = json!(false);
        let mut options = json!({});
        if let Some(temperature) = settings.temperature_sent() {
            options["temperature"] = json!(temperature);
        }
        let thoughts = if settings.is_without_reasoning() {
            0
        } else {
            ROOM_FOR_THOUGHTS
        };
        let reply = question.max_output_tokens.saturating_add(thoughts);
        options["num_ctx"] = json!(room(question, reply));
        options["num_predict"] = json!(reply);
        body["options"] = options;
        body
    }

    fn reasoning(&self, _settings: &Settings, setting: &ReasoningSetting) -> Option<Value> {
        Some(match setting {
            ReasoningSetting::Off => json!({"think": false}),
            ReasoningSetting::On => json!({"think": true}),
            ReasoningSetting::Effort(level) => json!({"think": level}),
            ReasoningSetting::Budget(_) | ReasoningSetting::Omit => return None,
        })
    }

    fn reply(&self, body: &Value) -> Result<Reply, CallFailure> {
        let message = body.get("message").ok_or_else(|| missing("message"))?;
        if body["done"] != true {
            return Err(missing("end: its field done is not true"));
        }
        Ok(Reply {
            text: text(message, "content").unwrap_or_default(),
            billed: None,
            service_tier: None,
            answered_by: None,
            served_model: text(body, "model"),
            request_id: text(body, "id"),
            stop: match body["done_reason"].as_str() {
                _ if is_filled(message.get("tool_calls")) => Stop::Tool,
                Some("stop") => Stop::Complete,
                Some("length") => Stop::Length,
                // The model was loaded or unloaded, and nothing was generated.
                Some("load" | "unload") => Stop::Failed,
                None | Some("") => Stop::Other,
                Some(_) => Stop::Unknown,
            },
            tokens: Tokens {
                input: count(body, "/prompt_eval_count"),
                cached: None,
                cache_written: None,
                output: count(body, "/eval_count"),
                reasoning: None,
            },
        })
    }
}

/// Tokens that input and reply may take together.
fn room(question: &Question<'_>, reply: u64) -> u64 {
    let bytes = u64::try_from(question.input.len()).unwrap_or(u64::MAX);
    let input = bytes.div_ceil(BYTES_PER_TOKEN);
    let both = input.saturating_add(reply);
    both.div_ceil(ROOM_STEP).saturating_mul(ROOM_STEP)
}
