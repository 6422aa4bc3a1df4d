//! Ollama's own chat.

use capitalbench_adapters::provider::{Family, Ollama, Provider, RemoteModel, Tokens, Wire as _};
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
  {"error":"invalid format"}
  request refused with HTTP 400: invalid format

401
  401 Unauthorized
  {"error":"unauthorized $KEY"}
  key refused with HTTP 401: unauthorized …

404
  404 Not Found
  {"error":"model 'gpt-oss:20b' not found"}
  no such model, HTTP 404: model 'gpt-oss:20b' not found

429 with seconds
  429 Too Many Requests | Retry-After: 2
  {"error":"too many requests"}
  rate limit; wait 2 s

500
  500 Internal Server Error
  {"error":"llama runner process has terminated"}
  server failed with HTTP 500: llama runner process has terminated

503
  503 Service Unavailable
  {"error":"server busy, please try again"}
  overloaded with HTTP 503: server busy, please try again
"#;

pub(crate) fn make(url: &str) -> Box<dyn Provider> {
    let settings = settings(Family::Ollama, "gpt-oss:20b");
    Box::new(RemoteModel::new(Ollama, http(), url, key(), settings).expect("a provider"))
}

fn answer(reason: &str, content: &str) -> Value {
    json!({
        "model": "gpt-oss:20b", "created_at": "2026-11-15T12:00:00.1Z",
        "message": {"role": "assistant", "content": content, "thinking": "hm"},
        "done": true, "done_reason": reason, "total_duration": 1, "load_duration": 1,
        "prompt_eval_count": 14000, "prompt_eval_duration": 1, "eval_count": 900,
        "eval_duration": 1
    })
}

pub(crate) fn complete(text: &str) -> Value {
    answer("stop", text)
}

fn replies() -> Vec<ReplyCase> {
    let mut called = complete("");
    called["message"]["tool_calls"] = json!([{"function": {"name": "x"}}]);
    let mut unfinished = complete("{");
    unfinished["done"] = json!(false);
    vec![
        ("success", complete("{\"a\":1}"), "Complete: {\"a\":1}"),
        ("truncation", answer("length", "{"), "Length: {"),
        ("empty text", complete(""), "Complete: "),
        ("only loaded", answer("load", ""), "Failed: "),
        ("a new reason", answer("bored", "{}"), "Unknown: {}"),
        ("no reason", answer("", "{}"), "Other: {}"),
        ("tool call anyway", called, "Tool: "),
        (
            "a piece of a stream",
            unfinished,
            "unreadable answer: the answer has no end: its field done is not true",
        ),
        (
            "200 with an error",
            json!({"error": "It broke."}),
            "server failed with HTTP 200: It broke.",
        ),
    ]
}

#[tokio::test]
async fn each_answer_is_read_as_its_documented_result() {
    check(make, reply_cases(replies())).await;
    check(make, error_cases(ERRORS)).await;
}

#[tokio::test]
async fn the_request_asks_for_room_enough() {
    let (first, sent, body) = request(make, ok(&complete("{}"))).await;
    assert_eq!(first, "POST /api/chat HTTP/1.1");
    assert_eq!(sent, headers(&format!("authorization: Bearer {KEY}"), &[]));
    assert_eq!(
        body["messages"],
        json!([{"role": "user", "content": INPUT}])
    );
    assert_eq!(body["stream"], false);
    assert_eq!(body["format"]["required"][0], "pick");
    // Thoughts are counted with the reply, so a model that thinks gets more room.
    let options = json!({"temperature": 0.0, "num_ctx": 14336, "num_predict": 14192});
    assert_eq!(body["options"], options);
    assert_eq!(body["think"], "low");
    assert_eq!(
        (&body["truncate"], &body["shift"]),
        (&json!(false), &json!(false))
    );
    assert!(body.get("tools").is_none());
}

#[test]
fn thinking_is_a_switch_with_its_own_room() {
    let schema = schema();
    for (setting, think, room) in [
        (None, json!(false), 6000),
        (Some(ReasoningSetting::Off), json!(false), 6000),
        (Some(ReasoningSetting::On), json!(true), 14192),
        (Some(ReasoningSetting::Omit), Value::Null, 14192),
    ] {
        let calls = CallSettings {
            reasoning: setting.clone(),
            ..CallSettings::default()
        };
        let settings = settings(Family::Ollama, "qwen3.5:4b").with_calls(calls);
        let body = Ollama.request_body(&settings, &question(&schema));
        assert_eq!(body["think"], think, "{setting:?}");
        assert_eq!(body["options"]["num_predict"], room, "{setting:?}");
    }
}

#[tokio::test]
async fn tokens_are_counted() {
    let found = ask(make, ok(&complete("{}")), PATIENCE).await.unwrap();
    let expected = Tokens {
        input: Some(14000),
        output: Some(900),
        ..Tokens::default()
    };
    assert_eq!(found.tokens, expected);
    assert_eq!(found.served_model.as_deref(), Some("gpt-oss:20b"));
}
