//! Ollama's own chat: `POST /api/chat`.
//!
//! Its address that speaks like `OpenAI` takes no context length and cuts longer input without a
//! word; this one is told how much room a question needs.

use serde_json::{Value, json};

use super::answer::{Answer, count, is_filled, missing, text};
use super::endpoint::{BEARER, Endpoint};
use super::{
    CallFailure, Provider, Question, RawAnswer, Reply, SendFuture, Settings, SetupError, Stop,
    Tokens, wire_schema,
};
use crate::http::HttpClient;
use crate::secret::ApiKey;

/// Half of what a token of prose takes, so that the room is ample.
const BYTES_PER_TOKEN: u64 = 2;
/// Room is asked for in steps of so many tokens.
const ROOM_STEP: u64 = 1024;

/// A model of an Ollama server.
#[derive(Debug, Clone)]
pub struct Ollama {
    endpoint: Endpoint,
    settings: Settings,
}

impl Ollama {
    /// Where a server of this machine answers.
    pub const DEFAULT_BASE_URL: &str = "http://127.0.0.1:11434";

    /// A model at an address such as [`Self::DEFAULT_BASE_URL`].
    pub fn new(
        http: HttpClient,
        base_url: &str,
        key: Option<ApiKey>,
        settings: Settings,
    ) -> Result<Self, SetupError> {
        settings.check()?;
        Ok(Self {
            endpoint: Endpoint::new(http, base_url, key, BEARER)?,
            settings,
        })
    }
}

/// The body of a call.
pub fn request_body(settings: &Settings, question: &Question<'_>) -> Value {
    let mut body = json!({
        "model": settings.api_model_name,
        "messages": [{"role": "user", "content": question.input}],
        "stream": false,
    });
    if let Some(effort) = settings.effort_sent() {
        body["think"] = match effort {
            "none" => json!(false),
            effort => json!(effort),
        };
    }
    if let Some(schema) = settings.schema(question) {
        body["format"] = wire_schema::compatible(schema);
    }
    let mut options = json!({});
    if let Some(temperature) = settings.temperature_sent() {
        options["temperature"] = json!(temperature);
    }
    options["num_ctx"] = json!(room(question));
    options["num_predict"] = json!(question.max_output_tokens);
    body["options"] = options;
    body
}

/// Tokens that input and reply may take together.
fn room(question: &Question<'_>) -> u64 {
    let bytes = u64::try_from(question.input.len()).unwrap_or(u64::MAX);
    let input = bytes.div_ceil(BYTES_PER_TOKEN);
    let both = input.saturating_add(question.max_output_tokens);
    both.div_ceil(ROOM_STEP).saturating_mul(ROOM_STEP)
}

impl Provider for Ollama {
    fn name(&self) -> &'static str {
        "ollama"
    }

    fn send<'a>(&'a self, question: Question<'a>) -> SendFuture<'a> {
        let body = request_body(&self.settings, &question);
        Box::pin(async move {
            let path = ["api", "chat"];
            self.endpoint.post(&path, &body, question.time_limit).await
        })
    }

    fn read(&self, answer: &RawAnswer) -> Result<Reply, CallFailure> {
        let answer = Answer::new(answer, self.endpoint.key());
        let body = answer.json()?;
        let message = body.get("message").ok_or_else(|| missing("message"))?;
        if body["done"] != true {
            return Err(missing("end: done is not true"));
        }
        Ok(Reply {
            text: text(message, "content").unwrap_or_default(),
            served_model: text(&body, "model"),
            request_id: answer.request_id(&body, "id"),
            stop: match body["done_reason"].as_str() {
                _ if is_filled(message.get("tool_calls")) => Stop::Tool,
                Some("stop") => Stop::Complete,
                Some("length") => Stop::Length,
                _ => Stop::Other,
            },
            tokens: Tokens {
                input: count(&body, "/prompt_eval_count"),
                cached: None,
                cache_written: None,
                output: count(&body, "/eval_count"),
                reasoning: None,
            },
        })
    }
}
