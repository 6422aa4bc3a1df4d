//! Google's `generateContent`: `POST /v1beta/models/{model}:generateContent`.

use serde_json::{Value, json};

use super::answer::{Answer, count, is_filled, missing, text};
use super::endpoint::{Endpoint, KeyPlace};
use super::{
    CallFailure, Provider, Question, RawAnswer, Reply, SendFuture, Settings, SetupError, Stop,
    Tokens, wire_schema,
};
use crate::http::HttpClient;
use crate::secret::ApiKey;

/// What a part holds when a tool was used.
const TOOL_PARTS: [&str; 5] = [
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
];
/// What a candidate holds when something was looked up.
const LOOKED_UP: [&str; 2] = ["groundingMetadata", "urlContextMetadata"];

/// A model of Google's developer API, or of a server that speaks like it.
#[derive(Debug, Clone)]
pub struct Google {
    endpoint: Endpoint,
    settings: Settings,
}

impl Google {
    /// Where Google itself answers.
    pub const DEFAULT_BASE_URL: &str = "https://generativelanguage.googleapis.com";

    /// A model at an address such as [`Self::DEFAULT_BASE_URL`].
    pub fn new(
        http: HttpClient,
        base_url: &str,
        key: Option<ApiKey>,
        settings: Settings,
    ) -> Result<Self, SetupError> {
        settings.check()?;
        let place = KeyPlace {
            name: "x-goog-api-key",
            prefix: "",
        };
        Ok(Self {
            endpoint: Endpoint::new(http, base_url, key, place)?,
            settings,
        })
    }
}

/// The body of a call; the model is named by the address.
pub fn request_body(settings: &Settings, question: &Question<'_>) -> Value {
    let mut config = json!({});
    if let Some(schema) = settings.schema(question) {
        config["responseMimeType"] = json!("application/json");
        config["responseJsonSchema"] = wire_schema::google(schema);
    }
    config["maxOutputTokens"] = json!(question.max_output_tokens);
    if let Some(temperature) = settings.temperature_sent() {
        config["temperature"] = json!(temperature);
    }
    if let Some(effort) = settings.effort_sent() {
        config["thinkingConfig"] = match effort.parse::<u64>() {
            Ok(budget) => json!({"thinkingBudget": budget}),
            Err(_) => json!({"thinkingLevel": effort}),
        };
    }
    json!({
        "contents": [{"role": "user", "parts": [{"text": question.input}]}],
        "generationConfig": config,
    })
}

impl Provider for Google {
    fn name(&self) -> &'static str {
        "google"
    }

    fn send<'a>(&'a self, question: Question<'a>) -> SendFuture<'a> {
        let body = request_body(&self.settings, &question);
        let call = format!("{}:generateContent", self.settings.api_model_name);
        Box::pin(async move {
            let path = ["v1beta", "models", &call];
            self.endpoint.post(&path, &body, question.time_limit).await
        })
    }

    fn read(&self, answer: &RawAnswer) -> Result<Reply, CallFailure> {
        let answer = Answer::new(answer, self.endpoint.key());
        let body = answer.json()?;
        let candidate = body.pointer("/candidates/0");
        if candidate.is_none() && !is_filled(body.pointer("/promptFeedback/blockReason")) {
            return Err(missing("candidates"));
        }
        let parts = candidate.and_then(|candidate| candidate.pointer("/content/parts"));
        let parts = parts
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        Ok(Reply {
            text: parts
                .iter()
                .filter(|part| part["thought"] != true)
                .filter_map(|part| part["text"].as_str())
                .collect(),
            served_model: text(&body, "modelVersion"),
            request_id: answer.request_id(&body, "responseId"),
            stop: candidate.map_or(Stop::Filter, |candidate| stop(candidate, parts)),
            tokens: tokens(&body),
        })
    }
}

fn stop(candidate: &Value, parts: &[Value]) -> Stop {
    let used = |part: &Value| TOOL_PARTS.iter().any(|name| part.get(name).is_some());
    let looked_up = LOOKED_UP.iter().any(|name| is_filled(candidate.get(name)));
    if looked_up || parts.iter().any(used) {
        return Stop::Tool;
    }
    match candidate["finishReason"].as_str() {
        Some("STOP") => Stop::Complete,
        Some("MAX_TOKENS") => Stop::Length,
        Some(
            "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII",
        ) => Stop::Filter,
        Some("MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "TOO_MANY_TOOL_CALLS") => {
            Stop::Tool
        }
        _ => Stop::Other,
    }
}

/// Google leaves out what is zero, and counts thoughts apart from the text.
fn tokens(body: &Value) -> Tokens {
    let counted = |name: &str| count(body, &format!("/usageMetadata/{name}"));
    let Some(input) = counted("promptTokenCount") else {
        return Tokens::default();
    };
    let or_zero = |name: &str| counted(name).unwrap_or(0);
    let reasoning = or_zero("thoughtsTokenCount");
    Tokens {
        input: Some(input),
        cached: Some(or_zero("cachedContentTokenCount")),
        cache_written: None,
        output: Some(or_zero("candidatesTokenCount").saturating_add(reasoning)),
        reasoning: Some(reasoning),
    }
}
