//! Google's generateContent.

use capitalbench_adapters::provider::google::request_body;
use capitalbench_adapters::provider::{
    Family, Google, Provider, Reply as ModelReply, Stop, Tokens,
};
use serde_json::{Value, json};

use super::{
    Case, INPUT, KEY, PATIENCE, ask, check, error, headers, http, key, ok, question, request,
    schema, settings,
};
use crate::fake_server::Reply;

pub(crate) fn make(url: &str) -> Box<dyn Provider> {
    let settings = settings(Family::Google, "gemini-3.1-pro-preview");
    Box::new(Google::new(http(), url, key(), settings).expect("a provider"))
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

fn replies() -> Vec<Case> {
    let thought =
        json!([{"text": "hm", "thought": true}, {"text": "{\"a\":\"x"}, {"text": "y\"}"}]);
    let called = json!([{"functionCall": {"name": "x", "args": {}}}]);
    let mut grounded = complete("{}");
    grounded["candidates"][0]["groundingMetadata"] = json!({"webSearchQueries": ["x"]});
    let blocked = json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
                         "usageMetadata": {"promptTokenCount": 9, "totalTokenCount": 9}});
    let unavailable = fault(503, "UNAVAILABLE", "Overloaded.", &json!([]));
    vec![
        ("success", ok(&complete("{\"a\":1}")), "Complete: {\"a\":1}"),
        (
            "thoughts are skipped, parts joined",
            ok(&answer("STOP", &parts(&thought))),
            "Complete: {\"a\":\"xy\"}",
        ),
        (
            "truncation",
            ok(&answer(
                "MAX_TOKENS",
                &parts(&json!([{"text": "{\"a\":1}"}])),
            )),
            "Length: {\"a\":1}",
        ),
        (
            "truncation without parts",
            ok(&answer("MAX_TOKENS", &json!({"role": "model"}))),
            "Length: ",
        ),
        (
            "content filter",
            ok(&answer("SAFETY", &json!({"role": "model"}))),
            "Filter: ",
        ),
        ("blocked prompt", ok(&blocked), "Filter: "),
        ("empty text", ok(&complete("")), "Complete: "),
        (
            "tool call anyway",
            ok(&answer("STOP", &parts(&called))),
            "Tool: ",
        ),
        (
            "unexpected tool call",
            ok(&answer("UNEXPECTED_TOOL_CALL", &parts(&json!([])))),
            "Tool: ",
        ),
        ("search anyway", ok(&grounded), "Tool: {}"),
        (
            "no reason",
            ok(&answer("OTHER", &parts(&json!([{"text": "{}"}])))),
            "Other: {}",
        ),
        (
            "200 with an error",
            ok(&unavailable),
            "server failed with HTTP 503: Overloaded.",
        ),
        (
            "200 with an error in an array",
            ok(&json!([unavailable])),
            "server failed with HTTP 503: Overloaded.",
        ),
        (
            "another form",
            ok(&json!({"a": 1})),
            "unreadable answer: the answer has no candidates",
        ),
    ]
}

fn errors() -> Vec<Case> {
    let none = json!([]);
    let invalid = "Request contains an invalid argument.";
    let bad_key = json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo",
                          "reason": "API_KEY_INVALID", "domain": "googleapis.com"}]);
    let quota = |id: &str| {
        json!([
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure",
         "violations": [{"quotaMetric": "m", "quotaId": id, "quotaValue": "50"}]},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"}])
    };
    let limit = |id: &str| {
        fault(
            429,
            "RESOURCE_EXHAUSTED",
            "You exceeded your current quota.",
            &quota(id),
        )
    };
    let bare = fault(429, "RESOURCE_EXHAUSTED", "Resource exhausted.", &none);
    let internal = fault(500, "INTERNAL", "Internal error.", &none);
    let key = format!("API key not valid: {KEY}");
    vec![
        (
            "400",
            error(
                "400 Bad Request",
                &[],
                &fault(400, "INVALID_ARGUMENT", invalid, &none),
            ),
            "request refused with HTTP 400: Request contains an invalid argument.",
        ),
        (
            "400 in an array",
            error(
                "400 Bad Request",
                &[],
                &json!([fault(400, "INVALID_ARGUMENT", invalid, &none)]),
            ),
            "request refused with HTTP 400: Request contains an invalid argument.",
        ),
        (
            "400 key",
            error(
                "400 Bad Request",
                &[],
                &fault(400, "INVALID_ARGUMENT", &key, &bad_key),
            ),
            "key refused with HTTP 400: API key not valid: …",
        ),
        (
            "401",
            error(
                "401 Unauthorized",
                &[],
                &fault(401, "UNAUTHENTICATED", "No", &none),
            ),
            "key refused with HTTP 401: No",
        ),
        (
            "403",
            error(
                "403 Forbidden",
                &[],
                &fault(403, "PERMISSION_DENIED", "No", &none),
            ),
            "key refused with HTTP 403: No",
        ),
        (
            "404",
            error(
                "404 Not Found",
                &[],
                &fault(404, "NOT_FOUND", "models/x is not found", &none),
            ),
            "request refused with HTTP 404: models/x is not found",
        ),
        (
            "408",
            error("408 Request Timeout", &[], &internal),
            "server failed with HTTP 408: Internal error.",
        ),
        (
            "413",
            error(
                "413 Payload Too Large",
                &[],
                &fault(413, "INVALID_ARGUMENT", "Too large", &none),
            ),
            "request refused with HTTP 413: Too large",
        ),
        (
            "429",
            error("429 Too Many Requests", &[], &bare),
            "rate limit",
        ),
        (
            "429 with a header",
            error("429 Too Many Requests", &["Retry-After: 3"], &bare),
            "rate limit; wait 3 s",
        ),
        (
            "429 with a delay in the body",
            error("429 Too Many Requests", &[], &limit("RequestsPerMinute")),
            "rate limit; wait 34 s",
        ),
        (
            "429 of the day",
            error(
                "429 Too Many Requests",
                &[],
                &limit("GenerateRequestsPerDayPerProject"),
            ),
            "request refused with HTTP 429: You exceeded your current quota.",
        ),
        (
            "500",
            error("500 Internal Server Error", &[], &internal),
            "server failed with HTTP 500: Internal error.",
        ),
        (
            "503",
            error(
                "503 Service Unavailable",
                &[],
                &fault(503, "UNAVAILABLE", "Overloaded.", &none),
            ),
            "server failed with HTTP 503: Overloaded.",
        ),
        (
            "504 empty",
            Reply::new("504 Gateway Timeout", "text/html", &[], b""),
            "server failed with HTTP 504: ",
        ),
        (
            "529",
            error("529 Overloaded", &[], &internal),
            "server failed with HTTP 529: Internal error.",
        ),
    ]
}

#[tokio::test]
async fn every_answer_has_its_meaning() {
    check(make, replies()).await;
    check(make, errors()).await;
}

#[tokio::test]
async fn thoughts_are_counted_as_output() {
    let expected = ModelReply {
        text: "{}".to_owned(),
        served_model: Some("gemini-3.1-pro-preview".to_owned()),
        request_id: Some("r3sp0nse".to_owned()),
        stop: Stop::Complete,
        tokens: Tokens {
            input: Some(14994),
            cached: Some(0),
            output: Some(2145 + 300),
            reasoning: Some(300),
        },
    };
    let found = ask(make, ok(&complete("{}")), PATIENCE).await;
    assert_eq!(found, Ok(expected));
    let mut uncounted = complete("{}");
    uncounted["usageMetadata"] = Value::Null;
    let found = ask(make, ok(&uncounted), PATIENCE).await.unwrap();
    assert_eq!(found.tokens, Tokens::default());
}

#[tokio::test]
async fn the_request_is_the_documented_one() {
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
            "maxOutputTokens": 6000, "temperature": 0.0,
            "thinkingConfig": {"thinkingLevel": "low"},
        },
    });
    assert_eq!(body, expected);
}

#[test]
fn a_number_is_a_budget_for_thoughts() {
    let schema = schema();
    let settings = settings(Family::Google, "gemini-2.5-flash");
    let body = request_body(&settings, &question(&schema));
    let config = &body["generationConfig"];
    assert_eq!(config["thinkingConfig"], json!({"thinkingBudget": 0}));
}
