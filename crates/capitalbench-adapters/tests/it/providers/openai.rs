//! `OpenAI`'s Responses.

use capitalbench_adapters::provider::{
    Family, OpenAi, Provider, RemoteModel, Reply as ModelReply, Stop, Tokens, Wire as _,
};
use capitalbench_core::asking::call_settings::{CallSettings, ReasoningSetting};
use serde_json::{Value, json};

use super::{
    INPUT, KEY, PATIENCE, ReplyCase, ask, check, error, error_cases, headers, http, key, ok,
    question, reply_cases, request, schema, settings,
};

/// Errors, each with its name, status and headers, body, and what is made of it.
const ERRORS: &str = r#"
400 temperature, form A
  400 Bad Request
  {"error":{"message":"Unsupported parameter: 'temperature' is not supported with this model.","type":"invalid_request_error","param":null,"code":null}}
  request refused with HTTP 400: Unsupported parameter: 'temperature' is not supported with this model.

400 temperature, form B
  400 Bad Request
  {"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model.","type":"invalid_request_error","param":null,"code":"unsupported_value"}}
  request refused with HTTP 400: Unsupported value: 'temperature' does not support 0 with this model.

401
  401 Unauthorized
  {"error":{"message":"Incorrect API key provided: $KEY.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}
  key refused with HTTP 401: Incorrect API key provided: ….

403
  403 Forbidden
  {"error":{"message":"Country not supported","type":"request_forbidden","param":null,"code":null}}
  key refused with HTTP 403: Country not supported

404
  404 Not Found
  {"error":{"message":"The model does not exist","type":"invalid_request_error","param":null,"code":"model_not_found"}}
  no such model, HTTP 404: The model does not exist

408
  408 Request Timeout
  {"error":{"message":"The server had an error.","type":"server_error","param":null,"code":null}}
  server failed with HTTP 408: The server had an error.

409
  409 Conflict
  {"error":{"message":"The server had an error.","type":"server_error","param":null,"code":null}}
  server failed with HTTP 409: The server had an error.

413
  413 Payload Too Large
  {"error":{"message":"Too large","type":"invalid_request_error","param":null,"code":null}}
  request refused with HTTP 413: Too large

422
  422 Unprocessable Entity
  {"error":{"message":"No","type":"invalid_request_error","param":null,"code":null}}
  request refused with HTTP 422: No

429
  429 Too Many Requests
  {"error":{"message":"Rate limit reached for gpt-5.6-sol.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}
  rate limit

429 with seconds
  429 Too Many Requests | Retry-After: 2
  {"error":{"message":"Rate limit reached for gpt-5.6-sol.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}
  rate limit; wait 2 s

429 with milliseconds
  429 Too Many Requests | retry-after-ms: 3500; Retry-After: 9
  {"error":{"message":"Rate limit reached for gpt-5.6-sol.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}
  rate limit; wait 3 s

429 quota
  429 Too Many Requests
  {"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}
  allowance used up, HTTP 429: You exceeded your current quota.

500
  500 Internal Server Error
  {"error":{"message":"The server had an error.","type":"server_error","param":null,"code":null}}
  server failed with HTTP 500: The server had an error.

502 HTML
  502 Bad Gateway | Content-Type: text/html
  <html> 502</html>
  server failed with HTTP 502: <html> 502</html>

503 empty
  503 Service Unavailable | Content-Type: text/plain
  (empty)
  overloaded with HTTP 503:

529
  529 Overloaded
  {"error":{"message":"The server had an error.","type":"server_error","param":null,"code":null}}
  overloaded with HTTP 529: The server had an error.
"#;

pub(crate) fn make(url: &str) -> Box<dyn Provider> {
    let settings = settings(Family::OpenAi, "gpt-5.6-sol");
    let url = format!("{url}/v1");
    Box::new(RemoteModel::new(OpenAi, http(), &url, key(), settings).expect("a provider"))
}

/// An answer with these items.
pub(crate) fn answer(status: &str, output: &Value) -> Value {
    json!({
        "id": "resp_0a1b2c", "object": "response", "created_at": 1_762_300_000,
        "status": status, "error": null, "incomplete_details": null, "model": "gpt-5.6-sol",
        "service_tier": "default", "reasoning": {"effort": "low", "summary": null},
        "tools": [], "tool_choice": "none", "store": false, "truncation": "disabled",
        "output": output,
        "usage": {"input_tokens": 15167,
                  "input_tokens_details": {"cached_tokens": 1024, "cache_write_tokens": 0},
                  "output_tokens": 2505, "output_tokens_details": {"reasoning_tokens": 321},
                  "total_tokens": 17672}
    })
}

fn message(content: &Value) -> Value {
    json!({"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
           "phase": "final_answer", "content": content})
}

fn said(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
}

fn reasoning() -> Value {
    json!({"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAA"})
}

pub(crate) fn complete(text: &str) -> Value {
    answer(
        "completed",
        &json!([reasoning(), message(&json!([said(text)]))]),
    )
}

fn incomplete(reason: &str, output: &Value) -> Value {
    let mut body = answer("incomplete", output);
    body["incomplete_details"] = json!({"reason": reason});
    body
}

fn failed(code: &str) -> Value {
    let mut body = answer("failed", &json!([]));
    body["error"] = json!({"code": code, "message": "It broke."});
    body
}

fn replies() -> Vec<ReplyCase> {
    let remark = json!({"type": "message", "role": "assistant", "phase": "commentary",
                        "content": [said("Let me see.")]});
    let two_parts = json!([remark, message(&json!([said("{\"a\":\"x"), said("y\"}")]))]);
    let refused = json!([message(&json!([{"type": "refusal", "refusal": "No."}]))]);
    let cut = json!([message(&json!([said("{\"a\":1}")]))]);
    vec![
        ("success", complete("{\"a\":1}"), "Complete: {\"a\":1}"),
        (
            "parts are joined with nothing between",
            answer("completed", &two_parts),
            "Complete: {\"a\":\"xy\"}",
        ),
        ("refusal", answer("completed", &refused), "Refusal: "),
        (
            "truncation",
            incomplete("max_output_tokens", &cut),
            "Length: {\"a\":1}",
        ),
        (
            "reasoning ate the limit",
            incomplete("max_output_tokens", &json!([reasoning()])),
            "Length: ",
        ),
        (
            "content filter",
            incomplete("content_filter", &json!([])),
            "Filter: ",
        ),
        ("empty text", complete(""), "Complete: "),
        (
            "200 with an error",
            failed("server_error"),
            "server failed with HTTP 200: It broke.",
        ),
        (
            "200 with a limit",
            failed("rate_limit_exceeded"),
            "rate limit",
        ),
        (
            "200 with a refused prompt",
            failed("invalid_prompt"),
            "content filter, HTTP 400: It broke.",
        ),
        (
            "cancelled",
            answer("cancelled", &json!([])),
            "server failed with HTTP 200: the response is cancelled",
        ),
        (
            "another form",
            json!({"a": 1}),
            "unreadable answer: the answer has no status",
        ),
    ]
}

/// A tool had a part in these answers although none was offered, or they ended for a new reason.
fn with_tools() -> Vec<ReplyCase> {
    let called = json!([{"type": "web_search_call", "id": "ws_1", "status": "completed"},
                        message(&json!([said("{}")]))]);
    let mut cited = said("{}");
    cited["annotations"] = json!([{"type": "url_citation", "url": "https://example.org"}]);
    vec![
        ("tool call anyway", answer("completed", &called), "Tool: {}"),
        (
            "sources cited anyway",
            answer("completed", &json!([message(&json!([cited]))])),
            "Tool: {}",
        ),
        (
            "a new reason",
            incomplete("bored", &json!([message(&json!([said("{}")]))])),
            "Unknown: {}",
        ),
    ]
}

#[tokio::test]
async fn each_answer_is_read_as_its_documented_result() {
    check(make, reply_cases(replies())).await;
    check(make, reply_cases(with_tools())).await;
    check(make, error_cases(ERRORS)).await;
}

#[tokio::test]
async fn the_envelope_is_kept() {
    let reply = error("200 OK", &["x-request-id: req_77"], &complete("{}"));
    let expected = ModelReply {
        text: "{}".to_owned(),
        billed: None,
        service_tier: Some("default".to_owned()),
        answered_by: None,
        served_model: Some("gpt-5.6-sol".to_owned()),
        request_id: Some("req_77".to_owned()),
        stop: Stop::Complete,
        tokens: Tokens {
            input: Some(15167),
            cached: Some(1024),
            cache_written: Some(0),
            output: Some(2505),
            reasoning: Some(321),
        },
    };
    assert_eq!(ask(make, reply, PATIENCE).await, Ok(expected));
    let without_header = ask(make, ok(&complete("{}")), PATIENCE).await.unwrap();
    assert_eq!(without_header.request_id.as_deref(), Some("resp_0a1b2c"));
}

#[tokio::test]
async fn the_request_matches_the_documentation() {
    let (first, sent, body) = request(make, ok(&complete("{}"))).await;
    assert_eq!(first, "POST /v1/responses HTTP/1.1");
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
        "model": "gpt-5.6-sol",
        "input": [{"role": "user", "content": [{"type": "input_text", "text": INPUT}]}],
        "max_output_tokens": 6000,
        "reasoning": {"effort": "low"},
        "text": {"format": {"type": "json_schema", "name": "capitalbench_submission",
                            "strict": true, "schema": wire_schema}},
        "tools": [], "tool_choice": "none", "store": false, "truncation": "disabled",
        "service_tier": "default", "background": false, "stream": false,
    });
    assert_eq!(body, expected);
}

#[test]
fn a_temperature_is_sent_only_where_it_is_taken() {
    let schema = schema();
    for (model, effort, sent) in [
        ("gpt-4.1", None, (Some(0.0), None)),
        ("gpt-5.5", None, (Some(0.0), Some("none"))),
        ("gpt-5.5", Some("high"), (None, Some("high"))),
        ("gpt-6-sol", None, (None, Some("low"))),
        ("o3", None, (None, Some("low"))),
    ] {
        let settings = settings(Family::OpenAi, model).with_calls(CallSettings {
            reasoning: effort.map(|word| ReasoningSetting::Effort(word.to_owned())),
            ..CallSettings::default()
        });
        let body = OpenAi.request_body(&settings, &question(&schema));
        let effort = body.pointer("/reasoning/effort").and_then(Value::as_str);
        let temperature = body.get("temperature").and_then(Value::as_f64);
        assert_eq!((temperature, effort), sent, "{model}");
    }
}
