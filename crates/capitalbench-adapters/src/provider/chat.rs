//! The request and reply format of `OpenAI`'s chat completions, which many providers share.

use capitalbench_core::asking::cost::Cost;
use serde_json::{Value, json};

use super::answer::{counts_any, first_count, is_filled, joined_texts, missing, number, text};
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
        billed: billed_by_router(body),
        service_tier: text(body, "service_tier"),
        answered_by: text(body, "provider"),
        served_model: text(body, "model"),
        request_id: text(body, "id"),
        stop: stop(body, choice, message),
        tokens: with_details(tokens, body),
    })
}

/// What `OpenRouter` charges, in dollars: its own price, and with a key of the operator's the host's
/// price on top. Other servers may mean another unit by `cost`; only a router names the host beside it.
fn billed_by_router(body: &Value) -> Option<Cost> {
    body.get("provider")?.as_str()?;
    let own = number(body, "/usage/cost")?;
    let with_own_key = body.pointer("/usage/is_byok") == Some(&Value::Bool(true));
    let upstream = number(body, "/usage/cost_details/upstream_inference_cost");
    Cost::from_usd(own + upstream.filter(|_| with_own_key).unwrap_or(0.0))
}

/// Fills in what hosts count in places of their own.
fn with_details(tokens: Tokens, body: &Value) -> Tokens {
    let or = |known: Option<u64>, places: &[&str]| known.or_else(|| first_count(body, places));
    Tokens {
        cached: or(
            tokens.cached,
            &[
                "/usage/prompt_tokens_details/cached_tokens",
                "/usage/prompt_token_details/cached_tokens",
                "/usage/prompt_cache_hit_tokens",
                "/usage/num_cached_tokens",
                "/usage/cached_tokens",
            ],
        ),
        cache_written: or(
            tokens.cache_written,
            &[
                "/usage/prompt_tokens_details/cache_write_tokens",
                "/usage/prompt_tokens_details/cache_creation_input_tokens",
                "/usage/prompt_tokens_details/cache_creation_tokens",
            ],
        ),
        reasoning: or(
            tokens.reasoning,
            &[
                "/usage/completion_tokens_details/reasoning_tokens",
                "/usage/output_tokens_details/reasoning_tokens",
                "/usage/reasoning_tokens",
            ],
        ),
        ..tokens
    }
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

/// Fields of a message that show a tool, asked for or used: calls, `OpenRouter`'s and `OpenAI`'s
/// annotations, Groq's executed tools, Cohere's plan, sources of Perplexity and others.
const TOOL_FIELDS: [&str; 8] = [
    "annotations",
    "citations",
    "executed_tools",
    "function_call",
    "search_results",
    "tool_calls",
    "tool_plan",
    "tool_results",
];
/// Fields of a body that name what was looked up.
const LOOKED_UP: [&str; 4] = ["citations", "search_info", "search_results", "web_search"];
/// Counts of tools that ran on the provider's side.
const TOOL_COUNTS: [&str; 8] = [
    "num_search_queries",
    "num_server_side_tools_used",
    "num_sources_used",
    "server_side_tool_usage",
    "server_side_tool_usage_details",
    "server_tool_use",
    "server_tool_use_details",
    "web_search_requests",
];

fn used_tool(body: &Value, message: &Value) -> bool {
    let usage = &body["usage"];
    let chunks = message["content"].as_array().into_iter().flatten();
    // Mistral's marks of what a tool found.
    let is_source = |chunk: &Value| {
        let kind = chunk["type"].as_str();
        matches!(kind, Some("reference" | "tool_reference"))
    };
    if chunks.into_iter().any(is_source) {
        return true;
    }
    TOOL_FIELDS.iter().any(|name| is_filled(message.get(name)))
        || LOOKED_UP.iter().any(|name| is_filled(body.get(name)))
        || TOOL_COUNTS.iter().any(|name| counts_any(usage.get(name)))
}

fn stop(body: &Value, choice: &Value, message: &Value) -> Stop {
    if used_tool(body, message) {
        return Stop::Tool;
    }
    if is_filled(message.get("refusal")) {
        return Stop::Refusal;
    }
    let reason = choice["finish_reason"].as_str().unwrap_or_default();
    // Most hosts write these words in lower case, Cohere in capitals.
    match reason.to_ascii_lowercase().as_str() {
        "" => Stop::Other,
        "stop" | "eos" | "eos_token" | "end_turn" | "complete" | "stop_sequence" => Stop::Complete,
        "length" | "model_length" | "max_tokens" | "model_context_window_exceeded" => Stop::Length,
        "content_filter" | "content_filtered" | "sensitive" | "guardrail_intervened" => {
            Stop::Filter
        }
        "refusal" => Stop::Refusal,
        "tool_calls" | "function_call" | "tool_call" | "tool_use" => Stop::Tool,
        // Mistral, vLLM, DeepSeek, Zhipu, Cohere.
        "error" | "abort" | "insufficient_system_resource" | "network_error" | "timeout" => {
            Stop::Failed
        }
        _ => Stop::Unknown,
    }
}
