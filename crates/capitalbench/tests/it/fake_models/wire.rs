//! The six wire formats as their servers write them, byte for byte as far as is known.

use serde_json::{Value, json};

/// Tokens of every answer, reasoning included: what is sent, what is produced.
pub(crate) const TOKENS: (u64, u64) = (1200, 340);
/// The part of what is produced that is reasoning.
const REASONING: u64 = 40;

/// Who is imitated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wire {
    OpenAi,
    Anthropic,
    Google,
    XAi,
    Compatible,
    Ollama,
}

/// What a model says.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Said<'a> {
    Text(&'a str),
    /// Cut off by the token limit.
    Truncated(&'a str),
    Refusal,
    Filtered,
    Tool,
}

use Said::{Filtered, Refusal, Text, Tool, Truncated};
use Wire::{Anthropic, Compatible, Google, Ollama, OpenAi, XAi};

const SORRY: &str = "I'm sorry, but I can't help with that.";

impl Wire {
    pub(crate) const ALL: [Self; 6] = [OpenAi, Anthropic, Google, XAi, Compatible, Ollama];

    /// The provider's name in a configuration, and the first part of its path on the server.
    pub(crate) fn provider(self) -> &'static str {
        match self {
            OpenAi => "openai",
            Anthropic => "anthropic",
            Google => "google",
            XAi => "xai",
            Compatible => "vllm",
            Ollama => "ollama",
        }
    }

    /// The header that must bring the key.
    pub(crate) fn key_header(self) -> (&'static str, &'static str) {
        match self {
            Anthropic => ("x-api-key", ""),
            Google => ("x-goog-api-key", ""),
            _ => ("authorization", "Bearer "),
        }
    }

    /// The path of a call below the provider's own.
    pub(crate) fn path(self, model: &str) -> String {
        match self {
            OpenAi => "/responses".to_owned(),
            Anthropic => "/v1/messages".to_owned(),
            Google => format!("/v1beta/models/{model}:generateContent"),
            XAi | Compatible => "/chat/completions".to_owned(),
            Ollama => "/api/chat".to_owned(),
        }
    }

    /// Headers that come with every answer.
    pub(crate) fn headers(self, id: &str) -> String {
        match self {
            OpenAi => format!(
                "x-request-id: {id}\r\nx-ratelimit-remaining-requests: 4999\r\n\
                 x-ratelimit-reset-tokens: 6m0s\r\nopenai-processing-ms: 12\r\n"
            ),
            Anthropic => format!(
                "request-id: {id}\r\nanthropic-ratelimit-requests-remaining: 49\r\n\
                 anthropic-ratelimit-requests-reset: 2030-01-01T00:00:00Z\r\n"
            ),
            // Google, vLLM and Ollama have no such header; one of a gateway before them has.
            _ => format!("x-request-id: {id}\r\n"),
        }
    }

    /// A good status and what the model says.
    pub(crate) fn answer(self, model: &str, said: Said<'_>) -> Value {
        match self {
            OpenAi => responses(model, said),
            Anthropic => messages(model, said),
            Google => generate_content(model, said),
            XAi | Compatible => self.chat(model, said),
            Ollama => ollama(model, said),
        }
    }

    /// The body of an error with this status.
    pub(crate) fn error(self, status: u16) -> Value {
        let message = format!("The server says {status}.");
        match self {
            OpenAi => {
                let (kind, code) = match status {
                    400 => ("invalid_request_error", json!("unsupported_value")),
                    401 => ("invalid_request_error", json!("invalid_api_key")),
                    404 => ("invalid_request_error", json!("model_not_found")),
                    429 => ("tokens", json!("rate_limit_exceeded")),
                    500.. => ("server_error", Value::Null),
                    _ => ("invalid_request_error", Value::Null),
                };
                json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
            }
            Anthropic => {
                let kind = match status {
                    401 => "authentication_error",
                    403 => "permission_error",
                    404 => "not_found_error",
                    413 => "request_too_large",
                    429 => "rate_limit_error",
                    408 => "timeout_error",
                    529 => "overloaded_error",
                    500.. => "api_error",
                    _ => "invalid_request_error",
                };
                json!({"type": "error", "error": {"type": kind, "message": message},
                    "request_id": "req_011"})
            }
            Google => {
                let word = match status {
                    400 | 413 => "INVALID_ARGUMENT",
                    401 => "UNAUTHENTICATED",
                    403 => "PERMISSION_DENIED",
                    404 => "NOT_FOUND",
                    408 => "DEADLINE_EXCEEDED",
                    429 => "RESOURCE_EXHAUSTED",
                    500 => "INTERNAL",
                    _ => "UNAVAILABLE",
                };
                let wait = json!([{"@type": "type.googleapis.com/google.rpc.RetryInfo",
                    "retryDelay": "0.01s"}]);
                let details = if status == 429 { wait } else { json!([]) };
                json!([{"error": {"code": status, "message": message, "status": word,
                    "details": details}}])
            }
            XAi => json!({"code": "The caller did something", "error": message}),
            Compatible => json!({"error": {"message": message, "type": "BadRequestError",
                "param": null, "code": status}}),
            Ollama => json!({"error": message}),
        }
    }

    /// A good status around an error.
    pub(crate) fn error_inside(self, model: &str) -> Value {
        match self {
            OpenAi => {
                let mut body = responses(model, Text(""));
                body["status"] = json!("failed");
                body["error"] = json!({"code": "server_error", "message": "It broke."});
                body["output"] = json!([]);
                body
            }
            _ => self.error(500),
        }
    }

    fn chat(self, model: &str, said: Said<'_>) -> Value {
        let (sent, produced) = TOKENS;
        let message =
            |content: Value| json!({"role": "assistant", "content": content, "refusal": null});
        let (finish, message) = match (self, said) {
            (_, Text(text)) => ("stop", message(json!(text))),
            (_, Truncated(text)) => ("length", message(json!(text))),
            // xAI documents no field for it: a refusal looks like any other text.
            (XAi, Refusal) => ("stop", message(json!(SORRY))),
            (_, Refusal) => {
                let mut refused = message(Value::Null);
                refused["refusal"] = json!(SORRY);
                ("stop", refused)
            }
            (_, Filtered) => ("content_filter", message(json!(""))),
            (_, Tool) => {
                let mut called = message(Value::Null);
                called["tool_calls"] = json!([{"id": "call_1", "type": "function",
                    "function": {"name": "web_search", "arguments": "{}"}}]);
                ("tool_calls", called)
            }
        };
        let usage = match self {
            // Reasoning is counted apart from the text.
            XAi => json!({"prompt_tokens": sent, "completion_tokens": produced - REASONING,
                "total_tokens": sent + produced, "num_sources_used": 0,
                "prompt_tokens_details": {"text_tokens": sent, "cached_tokens": 0,
                    "audio_tokens": 0, "image_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": REASONING, "audio_tokens": 0}}),
            _ => json!({"prompt_tokens": sent, "completion_tokens": produced,
                "total_tokens": sent + produced,
                "prompt_tokens_details": {"cached_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": REASONING}}),
        };
        json!({"id": "chatcmpl-7", "object": "chat.completion", "created": 1_762_300_000,
            "model": model, "system_fingerprint": "fp_1", "usage": usage,
            "choices": [{"index": 0, "finish_reason": finish, "logprobs": null,
                "message": message}]})
    }
}

fn responses(model: &str, said: Said<'_>) -> Value {
    let (sent, produced) = TOKENS;
    let message = |status: &str, part: Value| {
        json!({"id": "msg_1", "type": "message", "role": "assistant", "status": status,
            "phase": "final_answer", "content": [part]})
    };
    let part = |text: &str| json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []});
    let (status, reason, item) = match said {
        Text(text) => ("completed", None, message("completed", part(text))),
        Truncated(text) => (
            "incomplete",
            Some("max_output_tokens"),
            message("incomplete", part(text)),
        ),
        Refusal => {
            let refused = json!({"type": "refusal", "refusal": SORRY});
            ("completed", None, message("completed", refused))
        }
        Filtered => (
            "incomplete",
            Some("content_filter"),
            message("incomplete", part("")),
        ),
        Tool => {
            let call = json!({"id": "ws_1", "type": "web_search_call", "status": "completed",
                "action": {"type": "search", "query": "prices"}});
            ("completed", None, call)
        }
    };
    json!({"id": "resp_0a", "object": "response", "created_at": 1_762_300_000,
        "completed_at": 1_762_300_021, "status": status, "error": null,
        "incomplete_details": reason.map(|reason| json!({"reason": reason})), "model": model,
        "service_tier": "default", "reasoning": {"effort": "low", "summary": null},
        "temperature": 1.0, "top_p": 1.0, "tools": [], "tool_choice": "none",
        "parallel_tool_calls": true, "store": false, "truncation": "disabled",
        "output": [{"id": "rs_1", "type": "reasoning", "summary": []}, item],
        "usage": {"input_tokens": sent,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": produced,
            "output_tokens_details": {"reasoning_tokens": REASONING},
            "total_tokens": sent + produced}})
}

fn messages(model: &str, said: Said<'_>) -> Value {
    let (sent, produced) = TOKENS;
    let text = |text: &str| {
        json!([{"type": "thinking", "thinking": "", "signature": "c2ln"},
        {"type": "text", "text": text}])
    };
    let (stop, content) = match said {
        Text(said) => ("end_turn", text(said)),
        Truncated(said) => ("max_tokens", text(said)),
        Refusal | Filtered => ("refusal", json!([])),
        Tool => {
            let call = json!({"type": "tool_use", "id": "toolu_1", "name": "web_search",
                "input": {}});
            ("tool_use", json!([call]))
        }
    };
    let details = json!({"type": "refusal", "category": "general_harms", "explanation": SORRY});
    json!({"id": "msg_01", "type": "message", "role": "assistant", "model": model,
        "content": content, "stop_reason": stop, "stop_sequence": null,
        "stop_details": if stop == "refusal" { details } else { Value::Null },
        "usage": {"input_tokens": sent, "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
            "output_tokens": produced, "output_tokens_details": {"thinking_tokens": REASONING},
            "server_tool_use": null, "service_tier": "standard", "inference_geo": "global"}})
}

fn generate_content(model: &str, said: Said<'_>) -> Value {
    let (sent, produced) = TOKENS;
    let parts = |text: &str| {
        json!({"role": "model", "parts": [{"text": text,
        "thoughtSignature": "c2ln"}]})
    };
    let (finish, content) = match said {
        Text(text) => ("STOP", parts(text)),
        // The cap is used up: there are no parts at all.
        Truncated(_) => ("MAX_TOKENS", json!({"role": "model"})),
        Refusal => ("SAFETY", json!({"role": "model"})),
        Filtered => ("PROHIBITED_CONTENT", json!({"role": "model"})),
        Tool => {
            let call = json!({"functionCall": {"name": "search", "args": {}}});
            ("STOP", json!({"role": "model", "parts": [call]}))
        }
    };
    // What is zero is left out.
    json!({"candidates": [{"content": content, "finishReason": finish, "index": 0,
            "safetyRatings": []}],
        "promptFeedback": null, "modelVersion": model, "responseId": "r-1",
        "modelStatus": {"modelStage": "PREVIEW"},
        "usageMetadata": {"promptTokenCount": sent,
            "candidatesTokenCount": produced - REASONING, "thoughtsTokenCount": REASONING,
            "totalTokenCount": sent + produced,
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": sent}]}})
}

fn ollama(model: &str, said: Said<'_>) -> Value {
    let (sent, produced) = TOKENS;
    let mut message = json!({"role": "assistant", "content": "", "thinking": "…"});
    let finish = match said {
        Truncated(text) => {
            message["content"] = json!(text);
            "length"
        }
        Tool => {
            message["tool_calls"] = json!([{"function": {"name": "search", "arguments": {}}}]);
            "stop"
        }
        // Ollama marks neither: the text is all there is.
        Text(text) => {
            message["content"] = json!(text);
            "stop"
        }
        Refusal | Filtered => {
            message["content"] = json!(SORRY);
            "stop"
        }
    };
    json!({"model": model, "created_at": "2026-11-15T00:00:00Z", "message": message,
        "done": true, "done_reason": finish, "total_duration": 9, "load_duration": 1,
        "prompt_eval_count": sent, "prompt_eval_duration": 1, "eval_count": produced,
        "eval_duration": 1})
}
