//! Anthropic's Messages.

use capitalbench_adapters::provider::{
    Anthropic, Family, Provider, RemoteModel, Reply as ModelReply, Stop, Tokens, Wire as _,
};
use capitalbench_core::asking::call_settings::{CallSettings, ReasoningSetting};
use serde_json::{Value, json};

use super::{
    INPUT, KEY, PATIENCE, ReplyCase, ask, check, error, error_cases, headers, http, key, ok,
    question, reply_cases, request, schema, settings,
};

/// Errors, each with its name, status and headers, body, and what is made of it.
const ERRORS: &str = r#"
400 schema
  400 Bad Request
  {"type":"error","error":{"type":"invalid_request_error","message":"output_config.format.schema: For 'array' type, property 'maxItems' is not supported"},"request_id":"req_011"}
  request refused with HTTP 400: output_config.format.schema: For 'array' type, property 'maxItems' is not supported

400 credit
  400 Bad Request
  {"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"},"request_id":"req_011"}
  request refused with HTTP 400: Your credit balance is too low

401
  401 Unauthorized
  {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key $KEY"},"request_id":"req_011"}
  key refused with HTTP 401: invalid x-api-key …

402
  402 Payment Required
  {"type":"error","error":{"type":"billing_error","message":"Pay"},"request_id":"req_011"}
  allowance used up, HTTP 402: Pay

403
  403 Forbidden
  {"type":"error","error":{"type":"permission_error","message":"Not yours"},"request_id":"req_011"}
  key refused with HTTP 403: Not yours

404
  404 Not Found
  {"type":"error","error":{"type":"not_found_error","message":"model: claude-opus-5"},"request_id":"req_011"}
  no such model, HTTP 404: model: claude-opus-5

408
  408 Request Timeout
  {"type":"error","error":{"type":"timeout_error","message":"Slow"},"request_id":"req_011"}
  server failed with HTTP 408: Slow

409
  409 Conflict
  {"type":"error","error":{"type":"conflict_error","message":"Busy"},"request_id":"req_011"}
  server failed with HTTP 409: Busy

413
  413 Payload Too Large
  {"type":"error","error":{"type":"request_too_large","message":"Too large"},"request_id":"req_011"}
  request refused with HTTP 413: Too large

429
  429 Too Many Requests
  {"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your rate limit."},"request_id":"req_011"}
  rate limit

429 with seconds
  429 Too Many Requests | retry-after: 7
  {"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your rate limit."},"request_id":"req_011"}
  rate limit; wait 7 s

429 spend cap, which only prose tells
  429 Too Many Requests
  {"type":"error","error":{"type":"rate_limit_error","message":"You have reached your monthly spend limit."},"request_id":"req_011"}
  rate limit

500
  500 Internal Server Error
  {"type":"error","error":{"type":"api_error","message":"Internal"},"request_id":"req_011"}
  server failed with HTTP 500: Internal

503 HTML
  503 Service Unavailable | Content-Type: text/html
  <p>503
  overloaded with HTTP 503: <p>503

504
  504 Gateway Timeout
  {"type":"error","error":{"type":"timeout_error","message":"Slow"},"request_id":"req_011"}
  server failed with HTTP 504: Slow

529
  529 Overloaded | x-should-retry: true
  {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_011"}
  overloaded with HTTP 529: Overloaded
"#;

pub(crate) fn make(url: &str) -> Box<dyn Provider> {
    let settings = settings(Family::Anthropic, "claude-opus-5");
    Box::new(RemoteModel::new(Anthropic, http(), url, key(), settings).expect("a provider"))
}

fn answer(stop_reason: &str, content: &Value) -> Value {
    json!({
        "id": "msg_01AbC", "type": "message", "role": "assistant", "model": "claude-opus-5",
        "content": content, "stop_reason": stop_reason, "stop_sequence": null,
        "stop_details": null,
        "usage": {"input_tokens": 27059, "cache_creation_input_tokens": 100,
                  "cache_read_input_tokens": 2000,
                  "cache_creation": {"ephemeral_5m_input_tokens": 100,
                                     "ephemeral_1h_input_tokens": 0},
                  "output_tokens": 3185, "output_tokens_details": {"thinking_tokens": 410},
                  "server_tool_use": null, "service_tier": "standard"}
    })
}

fn blocks(texts: &[&str]) -> Value {
    let mut blocks = vec![json!({"type": "thinking", "thinking": "hm", "signature": "Eu8"})];
    blocks.extend(
        texts
            .iter()
            .map(|text| json!({"type": "text", "text": text})),
    );
    json!(blocks)
}

pub(crate) fn complete(text: &str) -> Value {
    answer("end_turn", &blocks(&[text]))
}

fn fault(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_011"})
}

fn replies() -> Vec<ReplyCase> {
    let mut refused = answer("refusal", &json!([]));
    refused["stop_details"] = json!({"type": "refusal", "category": "cyber", "explanation": null});
    let mut endless = complete("{}");
    endless["stop_reason"] = Value::Null;
    vec![
        ("no stop reason", endless, "Unknown: {}"),
        ("success", complete("{\"a\":1}"), "Complete: {\"a\":1}"),
        (
            "blocks are joined with nothing between",
            answer("end_turn", &blocks(&["{\"a\":\"x", "y\"}"])),
            "Complete: {\"a\":\"xy\"}",
        ),
        ("refusal", refused, "Refusal: "),
        (
            "truncation",
            answer("max_tokens", &blocks(&["{\"a\":1}"])),
            "Length: {\"a\":1}",
        ),
        (
            "window full",
            answer("model_context_window_exceeded", &blocks(&["{"])),
            "Length: {",
        ),
        (
            "thinking ate the limit",
            answer("max_tokens", &blocks(&[])),
            "Length: ",
        ),
        ("empty text", complete(""), "Complete: "),
        (
            "a new stop reason",
            answer("bored", &blocks(&["{}"])),
            "Unknown: {}",
        ),
        (
            "200 with an error",
            fault("overloaded_error", "Overloaded"),
            "overloaded with HTTP 529: Overloaded",
        ),
        (
            "200 with a refused key",
            fault("authentication_error", "No"),
            "key refused with HTTP 401: No",
        ),
        (
            "another form",
            json!({"a": 1}),
            "unreadable answer: the answer has no content",
        ),
    ]
}

/// A tool had a part in these answers although none was offered, or only seems to have had one.
fn with_tools() -> Vec<ReplyCase> {
    let called = json!([{"type": "tool_use", "id": "toolu_1", "name": "x", "input": {}}]);
    let searched = json!([{"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
                          {"type": "text", "text": "{}"}]);
    let cited = json!([{"type": "text", "text": "{}",
                        "citations": [{"type": "web_search_result_location"}]}]);
    let mut counted = complete("{}");
    counted["usage"]["server_tool_use"] = json!({"web_search_requests": 1});
    let mut idle = complete("{}");
    idle["usage"]["server_tool_use"] = json!({"web_search_requests": 0, "web_fetch_requests": 0});
    vec![
        ("tools counted as unused", idle, "Complete: {}"),
        ("tool call anyway", answer("tool_use", &called), "Tool: "),
        ("search anyway", answer("end_turn", &searched), "Tool: {}"),
        (
            "sources cited anyway",
            answer("end_turn", &cited),
            "Tool: {}",
        ),
        ("search counted anyway", counted, "Tool: {}"),
        ("paused", answer("pause_turn", &blocks(&["{}"])), "Tool: {}"),
    ]
}

#[tokio::test]
async fn each_answer_is_read_as_its_documented_result() {
    check(make, reply_cases(replies())).await;
    check(make, reply_cases(with_tools())).await;
    check(make, error_cases(ERRORS)).await;
}

#[tokio::test]
async fn the_envelope_is_kept_and_all_input_counted() {
    let reply = error("200 OK", &["request-id: req_018"], &complete("{}"));
    let expected = ModelReply {
        text: "{}".to_owned(),
        billed: None,
        service_tier: Some("standard".to_owned()),
        answered_by: None,
        served_model: Some("claude-opus-5".to_owned()),
        request_id: Some("req_018".to_owned()),
        stop: Stop::Complete,
        tokens: Tokens {
            input: Some(27059 + 100 + 2000),
            cached: Some(2000),
            cache_written: Some(100),
            output: Some(3185),
            reasoning: Some(410),
        },
    };
    assert_eq!(ask(make, reply, PATIENCE).await, Ok(expected));
}

#[tokio::test]
async fn the_request_matches_the_documentation() {
    let (first, sent, body) = request(make, ok(&complete("{}"))).await;
    assert_eq!(first, "POST /v1/messages HTTP/1.1");
    let version = ["anthropic-version: 2023-06-01"];
    assert_eq!(sent, headers(&format!("x-api-key: {KEY}"), &version));
    let wire_schema = json!({
        "type": "object",
        "properties": {
            "pick": {"type": "string", "enum": ["SPY", "CASH"]},
            "confidence": {"type": "number", "description": "Rule: minimum 0, maximum 1."},
            "key_risks": {"type": "array", "description": "Rule: minItems 2, maxItems 5.",
                          "items": {"type": "string", "description": "Rule: minLength 1."}},
        },
        "required": ["pick", "confidence", "key_risks"],
        "additionalProperties": false,
    });
    let expected = json!({
        "model": "claude-opus-5",
        "max_tokens": 6000,
        "messages": [{"role": "user", "content": INPUT}],
        "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": wire_schema}},
        "service_tier": "standard_only",
    });
    assert_eq!(body, expected);
}

#[test]
fn older_models_get_a_temperature_and_no_effort() {
    let schema = schema();
    let settings = settings(Family::Anthropic, "claude-sonnet-4-6");
    let body = Anthropic.request_body(&settings, &question(&schema));
    assert_eq!(body["temperature"], 0.0);
    assert!(body["output_config"].get("effort").is_none());
    assert!(body.get("thinking").is_none());
}

/// A model, what the models file says, and the type of thinking and the effort that are sent.
#[rustfmt::skip]
const THINKING: &[(&str, &str, Option<&str>, Option<&str>)] = &[
    ("claude-opus-4-8", "{}", None, Some("low")),
    ("claude-opus-4-8", r#"{"reasoning": {"effort": "low"}}"#, Some("adaptive"), Some("low")),
    ("claude-opus-4-8", r#"{"reasoning": "on"}"#, Some("adaptive"), None),
    ("claude-opus-4-8", r#"{"reasoning": "off"}"#, None, None),
    ("claude-opus-4-8", r#"{"reasoning": "omit"}"#, None, None),
    ("claude-opus-4-6", r#"{"reasoning": {"effort": "low"}}"#, Some("adaptive"), Some("low")),
    ("claude-opus-4-6", r#"{"reasoning": {"budget": 2048}}"#, Some("enabled"), None),
    ("claude-opus-4-5", r#"{"reasoning": {"effort": "low"}}"#, None, Some("low")),
    ("claude-opus-5", r#"{"reasoning": {"effort": "low"}}"#, None, Some("low")),
    ("claude-opus-5", r#"{"reasoning": "off"}"#, Some("disabled"), None),
    ("claude-haiku-5-5", r#"{"reasoning": "off"}"#, Some("disabled"), None),
];

#[test]
fn thinking_is_asked_for_as_each_model_documents_it() {
    let schema = schema();
    for (model, said, thinking, effort) in THINKING {
        let calls: CallSettings = serde_json::from_str(said).expect("settings");
        let budget = match calls.reasoning {
            Some(ReasoningSetting::Budget(tokens)) => Some(tokens),
            _ => None,
        };
        let settings = settings(Family::Anthropic, model).with_calls(calls);
        let body = Anthropic.request_body(&settings, &question(&schema));
        let sent = |place: &str| body.pointer(place).and_then(Value::as_str);
        assert_eq!(sent("/thinking/type"), *thinking, "{model} {said}");
        assert_eq!(sent("/output_config/effort"), *effort, "{model} {said}");
        assert_eq!(body["thinking"]["budget_tokens"].as_u64(), budget);
    }
}
