//! xAI's chat completions.

use capitalbench_adapters::provider::{
    Family, Provider, RemoteModel, Reply as ModelReply, Stop, Tokens, XAi,
};
use capitalbench_core::asking::cost::Cost;
use serde_json::{Value, json};

use super::{
    INPUT, KEY, PATIENCE, ReplyCase, ask, check, error, error_cases, headers, http, key, ok,
    reply_cases, request, settings,
};

/// Errors, each with its name, status and headers, body, and what is made of it.
const ERRORS: &str = r#"
400
  400 Bad Request
  {"code":"Client specified an invalid argument","error":"Argument not supported: stop"}
  request refused with HTTP 400: Argument not supported: stop

401
  401 Unauthorized
  {"code":"Client specified an invalid argument","error":"Incorrect API key provided: $KEY"}
  key refused with HTTP 401: Incorrect API key provided: …

400 key
  400 Bad Request
  {"code":"Client specified an invalid argument","error":"Incorrect API key provided: $KEY"}
  key refused with HTTP 400: Incorrect API key provided: …

403
  403 Forbidden
  {"error":"Bare"}
  key refused with HTTP 403: Bare

403 safety
  403 Forbidden
  {"code":"The caller does not have permission to execute the specified operation","error":"Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO"}
  content filter, HTTP 403: Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO

404
  404 Not Found
  {"error":{"message":"Nested","type":"x","param":null,"code":null}}
  no such model, HTTP 404: Nested

408
  408 Request Timeout
  {"error":"Bare"}
  server failed with HTTP 408: Bare

413
  413 Payload Too Large
  {"error":"Bare"}
  request refused with HTTP 413: Bare

422
  422 Unprocessable Entity
  {"error":"Bare"}
  request refused with HTTP 422: Bare

429
  429 Too Many Requests
  {"error":"Bare"}
  rate limit

429 with seconds
  429 Too Many Requests | Retry-After: 2
  {"error":{"message":"Nested","type":"x","param":null,"code":null}}
  rate limit; wait 2 s

429 credits, which only prose tells
  429 Too Many Requests
  {"error":"Your team has used all available credits"}
  rate limit

500
  500 Internal Server Error
  {"error":{"message":"Nested","type":"x","param":null,"code":null}}
  server failed with HTTP 500: Nested

503
  503 Service Unavailable | Content-Type: text/plain; Retry-After: 5
  busy
  overloaded with HTTP 503: busy

529
  529 Overloaded
  {"error":"Bare"}
  overloaded with HTTP 529: Bare
"#;

pub(crate) fn make(url: &str) -> Box<dyn Provider> {
    let settings = settings(Family::XAi, "grok-4.6");
    let url = format!("{url}/v1/");
    Box::new(RemoteModel::new(XAi, http(), &url, key(), settings).expect("a provider"))
}

fn answer(finish: &str, message: &Value) -> Value {
    json!({
        "id": "3f1c-77", "object": "chat.completion", "created": 1_762_300_000,
        "model": "grok-4.6", "system_fingerprint": "fp_1",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": {"prompt_tokens": 12000, "completion_tokens": 900, "total_tokens": 13313,
                  "prompt_tokens_details": {"text_tokens": 12000, "cached_tokens": 512,
                                            "audio_tokens": 0, "image_tokens": 0},
                  "completion_tokens_details": {"reasoning_tokens": 413},
                  "num_sources_used": 0, "cost_in_usd_ticks": 123_450_000}
    })
}

fn message(content: &Value) -> Value {
    json!({"role": "assistant", "content": content, "refusal": null, "reasoning_content": "hm"})
}

pub(crate) fn complete(text: &str) -> Value {
    answer("stop", &message(&json!(text)))
}

fn fault(message: &str) -> Value {
    json!({"code": "Client specified an invalid argument", "error": message})
}

fn replies() -> Vec<ReplyCase> {
    let mut called = message(&json!(""));
    called["tool_calls"] = json!([{"id": "1", "type": "function", "function": {"name": "x"}}]);
    let mut refused = message(&Value::Null);
    refused["refusal"] = json!("No.");
    let mut cited = complete("{}");
    cited["citations"] = json!(["https://x.ai"]);
    let mut searched = complete("{}");
    searched["usage"]["num_sources_used"] = json!(2);
    let mut served = complete("{}");
    served["usage"]["num_server_side_tools_used"] = json!(1);
    vec![
        ("success", complete("{\"a\":1}"), "Complete: {\"a\":1}"),
        ("refusal", answer("stop", &refused), "Refusal: "),
        (
            "truncation",
            answer("length", &message(&json!("{\"a\":1}"))),
            "Length: {\"a\":1}",
        ),
        (
            "content filter",
            answer("content_filter", &message(&json!(""))),
            "Filter: ",
        ),
        ("empty text", complete(""), "Complete: "),
        (
            "null text",
            answer("stop", &message(&Value::Null)),
            "Complete: ",
        ),
        ("tool call anyway", answer("", &called), "Tool: "),
        ("sources cited anyway", cited, "Tool: {}"),
        ("sources used anyway", searched, "Tool: {}"),
        ("server tools used anyway", served, "Tool: {}"),
        (
            "no finish reason",
            answer("", &message(&json!("{}"))),
            "Other: {}",
        ),
        (
            "200 with an error",
            fault("It broke."),
            "server failed with HTTP 200: It broke.",
        ),
        (
            "another form",
            json!({"a": 1}),
            "unreadable answer: the answer has no choices",
        ),
    ]
}

#[tokio::test]
async fn each_answer_is_read_as_its_documented_result() {
    check(make, reply_cases(replies())).await;
    check(make, error_cases(ERRORS)).await;
}

#[tokio::test]
async fn reasoning_is_added_to_the_output_unless_the_total_has_it_inside() {
    let reply = error("200 OK", &["x-request-id: req_5"], &complete("{}"));
    let tokens = Tokens {
        input: Some(12000),
        cached: Some(512),
        cache_written: None,
        output: Some(900 + 413),
        reasoning: Some(413),
    };
    let expected = ModelReply {
        text: "{}".to_owned(),
        billed: Cost::from_usd(0.012_345),
        service_tier: None,
        answered_by: None,
        served_model: Some("grok-4.6".to_owned()),
        request_id: Some("req_5".to_owned()),
        stop: Stop::Complete,
        tokens,
    };
    assert_eq!(ask(make, reply, PATIENCE).await, Ok(expected));
    let mut inside = complete("{}");
    inside["usage"]["total_tokens"] = json!(12900);
    inside["usage"]["prompt_tokens_details"]["cached_tokens"] = json!(20000);
    let found = ask(make, ok(&inside), PATIENCE).await.unwrap().tokens;
    assert_eq!((found.input, found.output), (Some(32000), Some(900)));
}

#[tokio::test]
async fn the_request_matches_the_documentation() {
    let (first, sent, body) = request(make, ok(&complete("{}"))).await;
    assert_eq!(first, "POST /v1/chat/completions HTTP/1.1");
    assert_eq!(sent, headers(&format!("authorization: Bearer {KEY}"), &[]));
    let wire_schema = json!({
        "type": "object",
        "properties": {
            "pick": {"type": "string", "enum": ["SPY", "CASH"]},
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
            "key_risks": {"type": "array", "minItems": 2, "maxItems": 5,
                          "items": {"type": "string", "description": "Rule: minLength 1."}},
        },
        "required": ["pick", "confidence", "key_risks"],
        "additionalProperties": false,
    });
    let expected = json!({
        "model": "grok-4.6",
        "messages": [{"role": "user", "content": INPUT}],
        "max_completion_tokens": 6000,
        "reasoning_effort": "low",
        "temperature": 0.0,
        "response_format": {"type": "json_schema", "json_schema": {
            "name": "capitalbench_submission", "strict": true, "schema": wire_schema}},
        "stream": false,
    });
    assert_eq!(body, expected);
}
