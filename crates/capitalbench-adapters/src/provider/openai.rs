//! `OpenAI`'s Responses API: `POST /responses`.

use serde_json::{Value, json};

use super::answer::{Answer, count, missing, text};
use super::endpoint::{BEARER, Endpoint};
use super::fault::Fault;
use super::settings::SCHEMA_NAME;
use super::{
    CallFailure, Provider, Question, RawAnswer, Reply, SendFuture, Settings, SetupError, Stop,
    Tokens, wire_schema,
};
use crate::http::HttpClient;
use crate::secret::ApiKey;

/// A model of `OpenAI`, or of a server that speaks its Responses API.
#[derive(Debug, Clone)]
pub struct OpenAi {
    endpoint: Endpoint,
    settings: Settings,
}

impl OpenAi {
    /// Where `OpenAI` itself answers.
    pub const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";

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
    let content = json!([{"type": "input_text", "text": question.input}]);
    let mut body = json!({
        "model": settings.api_model_name,
        "input": [{"role": "user", "content": content}],
        "max_output_tokens": question.max_output_tokens,
    });
    if let Some(effort) = settings.effort_sent() {
        body["reasoning"] = json!({"effort": effort});
    }
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

impl Provider for OpenAi {
    fn name(&self) -> &'static str {
        "openai"
    }

    fn send<'a>(&'a self, question: Question<'a>) -> SendFuture<'a> {
        let body = request_body(&self.settings, &question);
        Box::pin(async move {
            let path = ["responses"];
            self.endpoint.post(&path, &body, question.time_limit).await
        })
    }

    fn read(&self, answer: &RawAnswer) -> Result<Reply, CallFailure> {
        let answer = Answer::new(answer, self.endpoint.key());
        let body = answer.json()?;
        let status = body["status"].as_str().ok_or_else(|| missing("status"))?;
        if matches!(status, "failed" | "cancelled") {
            let fault = Fault::saying(format!("the response is {status}"));
            return Err(answer.failure(&fault, 200));
        }
        let items = body["output"].as_array().ok_or_else(|| missing("output"))?;
        let parts = parts(items);
        Ok(Reply {
            text: parts
                .iter()
                .filter(|part| part["type"] == "output_text")
                .filter_map(|part| part["text"].as_str())
                .collect(),
            served_model: text(&body, "model"),
            request_id: answer.request_id(&body, "id"),
            stop: stop(&body, items, &parts),
            tokens: Tokens {
                input: count(&body, "/usage/input_tokens"),
                cached: count(&body, "/usage/input_tokens_details/cached_tokens"),
                cache_written: count(&body, "/usage/input_tokens_details/cache_write_tokens"),
                output: count(&body, "/usage/output_tokens"),
                reasoning: count(&body, "/usage/output_tokens_details/reasoning_tokens"),
            },
        })
    }
}

/// The parts of what the model says to us; its remarks along the way are not among them.
fn parts(items: &[Value]) -> Vec<&Value> {
    items
        .iter()
        .filter(|item| item["type"] == "message" && item["phase"] != "commentary")
        .filter_map(|item| item["content"].as_array())
        .flatten()
        .collect()
}

fn stop(body: &Value, items: &[Value], parts: &[&Value]) -> Stop {
    let is_known = |item: &Value| matches!(item["type"].as_str(), Some("message" | "reasoning"));
    if !items.iter().all(is_known) {
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
        _ => Stop::Other,
    }
}
