//! Google's `generateContent`: `POST /v1beta/models/{model}:generateContent`.

use capitalbench_core::asking::call_settings::ReasoningSetting;
use serde_json::{Value, json};

use super::answer::{count, counts_any, is_filled, missing, text, text_at};
use super::{CallFailure, Question, Reply, Settings, Stop, Tokens, Wire, request, wire_schema};

/// Fields of a part that show that a tool was used.
const TOOL_PARTS: [&str; 6] = [
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
];
/// Fields of a candidate that show that something was looked up.
const LOOKED_UP: [&str; 3] = [
    "groundingAttributions",
    "groundingMetadata",
    "urlContextMetadata",
];
/// Tokens that a tool's results took.
const TOOL_TOKENS: &str = "/usageMetadata/toolUsePromptTokenCount";

/// The format of Google's developer API.
#[derive(Debug, Clone, Copy)]
pub struct Google;

impl Google {
    pub const DEFAULT_BASE_URL: &str = "https://generativelanguage.googleapis.com";
}

impl Wire for Google {
    fn name(&self) -> &'static str {
        "google"
    }

    fn key_header(&self) -> (&'static str, &'static str) {
        ("x-goog-api-key", "")
    }

    fn path(&self, model: &str) -> Vec<String> {
        let call = format!("{model}:generateContent");
        vec!["v1beta".to_owned(), "models".to_owned(), call]
    }

    /// The address names the model, so the body does not.
    fn request_body(&self, settings: &Settings, question: &Question<'_>) -> Value {
        let mut config = json!({});
        if let Some(schema) = settings.schema(question) {
            config["responseMimeType"] = json!("application/json");
            config["responseJsonSchema"] = wire_schema::google(schema);
        } else if settings.wants_json(question) {
            config["responseMimeType"] = json!("application/json");
        }
        config["maxOutputTokens"] = json!(question.max_output_tokens);
        if let Some(temperature) = settings.temperature_sent() {
            config["temperature"] = json!(temperature);
        }
        let mut body = json!({
            "contents": [{"role": "user", "parts": [{"text": question.input}]}],
            "generationConfig": config,
        });
        request::add_reasoning(&mut body, self, settings);
        body
    }

    /// Gemini 2.5 has budgets, of which 0 is off and -1 leaves the amount to the model; later models
    /// have levels.
    fn reasoning(&self, settings: &Settings, setting: &ReasoningSetting) -> Option<Value> {
        let thinking = match setting {
            ReasoningSetting::Effort(level) => json!({"thinkingLevel": level}),
            ReasoningSetting::Budget(tokens) => json!({"thinkingBudget": tokens}),
            // A model that lists levels has no budgets.
            _ if settings
                .capabilities
                .efforts
                .iter()
                .flatten()
                .next()
                .is_some() =>
            {
                return None;
            }
            ReasoningSetting::Off => json!({"thinkingBudget": 0}),
            ReasoningSetting::On => json!({"thinkingBudget": -1}),
            ReasoningSetting::Omit => return None,
        };
        Some(json!({"generationConfig": {"thinkingConfig": thinking}}))
    }

    fn reply(&self, body: &Value) -> Result<Reply, CallFailure> {
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
            billed: None,
            service_tier: text_at(body, "/usageMetadata/trafficType")
                .or_else(|| text_at(body, "/usageMetadata/serviceTier")),
            answered_by: None,
            served_model: text(body, "modelVersion"),
            request_id: text(body, "responseId"),
            stop: match candidate {
                _ if counts_any(body.pointer(TOOL_TOKENS)) => Stop::Tool,
                Some(candidate) => stop(candidate, parts),
                None => Stop::Filter,
            },
            tokens: tokens(body),
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
        Some(
            "FINISH_REASON_UNSPECIFIED"
            | "MALFORMED_RESPONSE"
            | "MISSING_THOUGHT_SIGNATURE"
            | "NO_IMAGE"
            | "OTHER",
        ) => Stop::Failed,
        // Nobody asked for an image.
        Some(image) if image.starts_with("IMAGE_") => Stop::Failed,
        // Google gives a reason with every reply that has ended.
        _ => Stop::Unknown,
    }
}

/// Google leaves out counts of zero, and counts thoughts apart from the text.
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
