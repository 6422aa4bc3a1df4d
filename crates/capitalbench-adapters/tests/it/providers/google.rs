//! Google's generateContent.

use capitalbench_adapters::provider::{
    Family, Google, Provider, RemoteModel, Reply as ModelReply, Stop, Tokens, Wire as _,
};
use capitalbench_core::asking::call_settings::{CallSettings, ReasoningSetting};
use serde_json::{Value, json};

use super::{
    INPUT, KEY, PATIENCE, ReplyCase, ask, check, error_cases, headers, http, key, ok, question,
    reply_cases, request, schema, settings,
};

/// Errors, each with its name, status and headers, body, and what is made of it.
const ERRORS: &str = r#"
400
  400 Bad Request
  {"error":{"code":400,"message":"Request contains an invalid argument.","status":"INVALID_ARGUMENT","details":[]}}
  request refused with HTTP 400: Request contains an invalid argument.

400 in an array
  400 Bad Request
  [{"error":{"code":400,"message":"Request contains an invalid argument.","status":"INVALID_ARGUMENT","details":[]}}]
  request refused with HTTP 400: Request contains an invalid argument.

400 key
  400 Bad Request
  {"error":{"code":400,"message":"API key not valid: $KEY","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}
  key refused with HTTP 400: API key not valid: …

401
  401 Unauthorized
  {"error":{"code":401,"message":"No","status":"UNAUTHENTICATED","details":[]}}
  key refused with HTTP 401: No

403
  403 Forbidden
  {"error":{"code":403,"message":"No","status":"PERMISSION_DENIED","details":[]}}
  key refused with HTTP 403: No

404
  404 Not Found
  {"error":{"code":404,"message":"models/x is not found","status":"NOT_FOUND","details":[]}}
  no such model, HTTP 404: models/x is not found

408
  408 Request Timeout
  {"error":{"code":500,"message":"Internal error.","status":"INTERNAL","details":[]}}
  server failed with HTTP 408: Internal error.

413
  413 Payload Too Large
  {"error":{"code":413,"message":"Too large","status":"INVALID_ARGUMENT","details":[]}}
  request refused with HTTP 413: Too large

429
  429 Too Many Requests
  {"error":{"code":429,"message":"Resource exhausted.","status":"RESOURCE_EXHAUSTED","details":[]}}
  rate limit

429 with a header
  429 Too Many Requests | Retry-After: 3
  {"error":{"code":429,"message":"Resource exhausted.","status":"RESOURCE_EXHAUSTED","details":[]}}
  rate limit; wait 3 s

429 with a delay in the body
  429 Too Many Requests
  {"error":{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":"m","quotaId":"RequestsPerMinute","quotaValue":"50"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}
  rate limit; wait 34 s

429 of the day
  429 Too Many Requests
  {"error":{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":"m","quotaId":"GenerateRequestsPerDayPerProject","quotaValue":"50"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}
  allowance used up, HTTP 429: You exceeded your current quota.

500
  500 Internal Server Error
  {"error":{"code":500,"message":"Internal error.","status":"INTERNAL","details":[]}}
  server failed with HTTP 500: Internal error.

503
  503 Service Unavailable
  {"error":{"code":503,"message":"Overloaded.","status":"UNAVAILABLE","details":[]}}
  overloaded with HTTP 503: Overloaded.

504 empty
  504 Gateway Timeout | Content-Type: text/html
  (empty)
  server failed with HTTP 504:

529
  529 Overloaded
  {"error":{"code":500,"message":"Internal error.","status":"INTERNAL","details":[]}}
  overloaded with HTTP 529: Internal error.
"#;

pub(crate) fn make(url: &str) -> Box<dyn Provider> {
    let settings = settings(Family::Google, "gemini-3.1-pro-preview");
    Box::new(RemoteModel::new(Google, http(), url, key(), settings).expect("a provider"))
}

fn answer(finish: &str, content: &Value) -> Value {
    json!({
        "candidates": [{"content": content, "finishReason": finish, "index": 0,
                        "safetyRatings": []}],
        "usageMetadata": {"promptTokenCount": 14994, "candidatesTokenCount": 2145,
                          "thoughtsTokenCount": 300, "totalTokenCount": 17439,
                          "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 14994}]},
        "modelVersion": "gemini-3.1-pro-preview", "responseId": "r3sp0nse",
        "modelStatus": {"modelStage": "PREVIEW"}
    })
}

fn parts(parts: &Value) -> Value {
    json!({"role": "model", "parts": parts})
}

pub(crate) fn complete(text: &str) -> Value {
    let part = json!({"text": text, "thoughtSignature": "c2ln"});
    answer("STOP", &parts(&json!([part])))
}

fn fault(code: u16, status: &str, message: &str, details: &Value) -> Value {
    json!({"error": {"code": code, "message": message, "status": status, "details": details}})
}

fn replies() -> Vec<ReplyCase> {
    let said = |finish: &str, text: &str| answer(finish, &parts(&json!([{"text": text}])));
    let silent = |finish: &str| answer(finish, &json!({"role": "model"}));
    let thought =
        json!([{"text": "hm", "thought": true}, {"text": "{\"a\":\"x"}, {"text": "y\"}"}]);
    let blocked = json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
                         "usageMetadata": {"promptTokenCount": 9, "totalTokenCount": 9}});
    let unavailable = fault(503, "UNAVAILABLE", "Overloaded.", &json!([]));
    vec![
        ("success", complete("{\"a\":1}"), "Complete: {\"a\":1}"),
        (
            "thoughts are skipped, parts joined",
            answer("STOP", &parts(&thought)),
            "Complete: {\"a\":\"xy\"}",
        ),
        (
            "truncation",
            said("MAX_TOKENS", "{\"a\":1}"),
            "Length: {\"a\":1}",
        ),
        ("truncation without parts", silent("MAX_TOKENS"), "Length: "),
        ("content filter", silent("SAFETY"), "Filter: "),
        ("blocked prompt", blocked, "Filter: "),
        ("empty text", complete(""), "Complete: "),
        (
            "unexpected tool call",
            silent("UNEXPECTED_TOOL_CALL"),
            "Tool: ",
        ),
        ("no reason", said("OTHER", "{}"), "Failed: {}"),
        ("broken", said("MALFORMED_RESPONSE", "{}"), "Failed: {}"),
        ("an image", said("IMAGE_SAFETY", "{}"), "Failed: {}"),
        ("a new reason", said("BORED", "{}"), "Unknown: {}"),
        (
            "200 with an error",
            unavailable.clone(),
            "overloaded with HTTP 503: Overloaded.",
        ),
        (
            "200 with an error in an array",
            json!([unavailable]),
            "overloaded with HTTP 503: Overloaded.",
        ),
        (
            "another form",
            json!({"a": 1}),
            "unreadable answer: the answer has no candidates",
        ),
    ]
}

/// A tool had a part in these answers although none was offered, or only seems to have had one.
fn with_tools() -> Vec<ReplyCase> {
    let called = json!([{"functionCall": {"name": "x", "args": {}}}]);
    let mut grounded = complete("{}");
    grounded["candidates"][0]["groundingMetadata"] = json!({"webSearchQueries": ["x"]});
    let mut looked = complete("{}");
    looked["candidates"][0]["urlContextMetadata"] = json!({"urlMetadata": [{}]});
    let mut tool_tokens = complete("{}");
    tool_tokens["usageMetadata"]["toolUsePromptTokenCount"] = json!(12);
    let ran = json!([{"executableCode": {"code": "1"}}, {"text": "{}"}]);
    vec![
        (
            "tool call anyway",
            answer("STOP", &parts(&called)),
            "Tool: ",
        ),
        ("search anyway", grounded, "Tool: {}"),
        ("looked at a page anyway", looked, "Tool: {}"),
        ("tokens of a tool", tool_tokens, "Tool: {}"),
        ("code run anyway", answer("STOP", &parts(&ran)), "Tool: {}"),
    ]
}

#[tokio::test]
async fn each_answer_is_read_as_its_documented_result() {
    check(make, reply_cases(replies())).await;
    check(make, reply_cases(with_tools())).await;
    check(make, error_cases(ERRORS)).await;
}

#[tokio::test]
async fn thoughts_are_counted_as_output() {
    let expected = ModelReply {
        text: "{}".to_owned(),
        billed: None,
        service_tier: None,
        answered_by: None,
        served_model: Some("gemini-3.1-pro-preview".to_owned()),
        request_id: Some("r3sp0nse".to_owned()),
        stop: Stop::Complete,
        tokens: Tokens {
            input: Some(14994),
            cached: Some(0),
            cache_written: None,
            output: Some(2145 + 300),
            reasoning: Some(300),
        },
    };
    let found = ask(make, ok(&complete("{}")), PATIENCE).await;
    assert_eq!(found, Ok(expected));
    let mut tiered = complete("{}");
    tiered["usageMetadata"]["trafficType"] = json!("ON_DEMAND");
    let found = ask(make, ok(&tiered), PATIENCE).await.unwrap();
    assert_eq!(found.service_tier.as_deref(), Some("ON_DEMAND"));
    let mut uncounted = complete("{}");
    uncounted["usageMetadata"] = Value::Null;
    let found = ask(make, ok(&uncounted), PATIENCE).await.unwrap();
    assert_eq!(found.tokens, Tokens::default());
}

#[tokio::test]
async fn the_request_matches_the_documentation() {
    let (first, sent, body) = request(make, ok(&complete("{}"))).await;
    assert_eq!(
        first,
        "POST /v1beta/models/gemini-3.1-pro-preview:generateContent HTTP/1.1"
    );
    assert_eq!(sent, headers(&format!("x-goog-api-key: {KEY}"), &[]));
    let mut wire_schema = schema();
    wire_schema.as_object_mut().unwrap().shift_remove("$schema");
    let expected = json!({
        "contents": [{"role": "user", "parts": [{"text": INPUT}]}],
        "generationConfig": {
            "responseMimeType": "application/json", "responseJsonSchema": wire_schema,
            "maxOutputTokens": 6000,
            "thinkingConfig": {"thinkingLevel": "low"},
        },
    });
    assert_eq!(body, expected);
}

#[test]
fn thinking_is_a_budget_or_a_level() {
    let schema = schema();
    let budget = |tokens: i64| json!({"thinkingBudget": tokens});
    for (model, setting, thinking) in [
        ("gemini-2.5-flash", None, budget(0)),
        ("gemini-2.5-pro", None, budget(128)),
        (
            "gemini-2.5-pro",
            Some(ReasoningSetting::Budget(777)),
            budget(777),
        ),
        ("gemini-2.5-flash", Some(ReasoningSetting::On), budget(-1)),
        ("gemini-3-flash", None, json!({"thinkingLevel": "minimal"})),
        ("gemini-3-flash", Some(ReasoningSetting::Omit), Value::Null),
    ] {
        let calls = CallSettings {
            reasoning: setting.clone(),
            ..CallSettings::default()
        };
        let settings = settings(Family::Google, model).with_calls(calls);
        let body = Google.request_body(&settings, &question(&schema));
        let config = &body["generationConfig"];
        assert_eq!(config["thinkingConfig"], thinking, "{model} {setting:?}");
    }
}

#[test]
fn gemini_3_keeps_its_own_temperature() {
    let schema = schema();
    for (model, sent) in [
        ("gemini-2.5-flash", json!(0.0)),
        ("gemini-3.1-pro-preview", Value::Null),
        ("gemini-3.5-flash", Value::Null),
    ] {
        let settings = settings(Family::Google, model);
        let body = Google.request_body(&settings, &question(&schema));
        assert_eq!(body["generationConfig"]["temperature"], sent, "{model}");
    }
}
