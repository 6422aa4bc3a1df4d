//! Anthropic's Messages API: `POST /v1/messages`.

use serde_json::{Map, Value, json};

use super::answer::{Answer, count, missing, text};
use super::endpoint::{Endpoint, KeyPlace};
use super::{
    CallFailure, Provider, Question, RawAnswer, Reply, SendFuture, Settings, SetupError, Stop,
    Tokens, wire_schema,
};
use crate::http::HttpClient;
use crate::secret::ApiKey;

/// A model of Anthropic, or of a server that speaks its Messages API.
#[derive(Debug, Clone)]
pub struct Anthropic {
    endpoint: Endpoint,
    settings: Settings,
}

impl Anthropic {
    /// Where Anthropic itself answers.
    pub const DEFAULT_BASE_URL: &str = "https://api.anthropic.com";

    /// A model at an address such as [`Self::DEFAULT_BASE_URL`].
    pub fn new(
        http: HttpClient,
        base_url: &str,
        key: Option<ApiKey>,
        settings: Settings,
    ) -> Result<Self, SetupError> {
        settings.check()?;
        let place = KeyPlace {
            name: "x-api-key",
            prefix: "",
        };
        let endpoint = Endpoint::new(http, base_url, key, place)?;
        Ok(Self {
            endpoint: endpoint.with_headers(&[("anthropic-version", "2023-06-01")]),
            settings,
        })
    }
}

/// The body of a call.
pub fn request_body(settings: &Settings, question: &Question<'_>) -> Value {
    let mut body = json!({
        "model": settings.api_model_name,
        "max_tokens": question.max_output_tokens,
        "messages": [{"role": "user", "content": question.input}],
    });
    let mut output = Map::new();
    if let Some(effort) = settings.effort_sent() {
        output.insert("effort".to_owned(), json!(effort));
    }
    if let Some(schema) = settings.schema(question) {
        let schema = wire_schema::anthropic(schema);
        let format = json!({"type": "json_schema", "schema": schema});
        output.insert("format".to_owned(), format);
    }
    if !output.is_empty() {
        body["output_config"] = Value::Object(output);
    }
    if let Some(temperature) = settings.temperature_sent() {
        body["temperature"] = json!(temperature);
    }
    body["service_tier"] = json!("standard_only");
    body
}

impl Provider for Anthropic {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn send<'a>(&'a self, question: Question<'a>) -> SendFuture<'a> {
        let body = request_body(&self.settings, &question);
        Box::pin(async move {
            let path = ["v1", "messages"];
            self.endpoint.post(&path, &body, question.time_limit).await
        })
    }

    fn read(&self, answer: &RawAnswer) -> Result<Reply, CallFailure> {
        let answer = Answer::new(answer, self.endpoint.key());
        let body = answer.json()?;
        let content = body["content"].as_array();
        let content = content.ok_or_else(|| missing("content"))?;
        Ok(Reply {
            text: content
                .iter()
                .filter(|block| block["type"] == "text")
                .filter_map(|block| block["text"].as_str())
                .collect(),
            served_model: text(&body, "model"),
            request_id: answer.request_id(&body, "id"),
            stop: stop(&body, content),
            tokens: tokens(&body),
        })
    }
}

fn stop(body: &Value, content: &[Value]) -> Stop {
    let is_known = |block: &Value| {
        matches!(
            block["type"].as_str(),
            Some("text" | "thinking" | "redacted_thinking")
        )
    };
    if !content.iter().all(is_known) {
        return Stop::Tool;
    }
    match body["stop_reason"].as_str() {
        Some("end_turn" | "stop_sequence") => Stop::Complete,
        Some("max_tokens" | "model_context_window_exceeded") => Stop::Length,
        Some("refusal") => Stop::Refusal,
        Some("tool_use" | "pause_turn") => Stop::Tool,
        _ => Stop::Other,
    }
}

/// Anthropic counts input that was read from or written to its cache apart.
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
