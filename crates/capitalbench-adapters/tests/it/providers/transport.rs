//! What goes wrong on the way, the same for every provider.

use std::time::Duration;

use capitalbench_adapters::provider::CallFailure;
use serde_json::Value;

use super::{
    KEY, Make, PATIENCE, anthropic, ask, google, line, ollama, openai, openai_compatible, question,
    schema, xai,
};
use crate::fake_server::{FakeServer, Reply};
use crate::tiingo::gzip;

/// How long the calls wait that are to end so.
const SHORT: Duration = Duration::from_millis(250);

fn all() -> [(&'static str, Make, Value); 6] {
    [
        ("openai", openai::make, openai::complete("{\"a\":1}")),
        (
            "anthropic",
            anthropic::make,
            anthropic::complete("{\"a\":1}"),
        ),
        ("google", google::make, google::complete("{\"a\":1}")),
        ("ollama", ollama::make, ollama::complete("{\"a\":1}")),
        ("xai", xai::make, xai::complete("{\"a\":1}")),
        (
            "compatible",
            openai_compatible::make,
            openai_compatible::complete("{\"a\":1}"),
        ),
    ]
}

#[tokio::test]
async fn slow_answers_end_at_the_limit_of_the_question() {
    let mut calls = Vec::new();
    for (name, make, body) in all() {
        let body = body.to_string();
        for (case, reply) in [
            ("hung socket", Reply::raw("").then_hang()),
            ("stalled body", Reply::json(&body).cut(9).then_hang()),
            ("slow drip", Reply::json(&body).cut(body.len()).then_drip()),
        ] {
            calls.push(tokio::spawn(async move {
                let result = ask(make, reply, SHORT).await;
                assert_eq!(result, Err(CallFailure::Timeout(SHORT)), "{name}: {case}");
            }));
        }
    }
    for call in calls {
        call.await.expect("a call that ends in time");
    }
}

fn broken(body: &str) -> Vec<(&'static str, Reply, &'static str)> {
    let zip = ["Content-Encoding: gzip"];
    let json = "application/json";
    let half = &body.as_bytes()[..body.len() / 2];
    let html = b"<html>Sign in</html>";
    let cut = "transport: the connection ended in the middle of the answer";
    let huge = format!("{body}{}", " ".repeat(64 << 10));
    vec![
        ("success", Reply::json(body), "Complete: {\"a\":1}"),
        (
            "gzip",
            Reply::new("200 OK", json, &zip, &gzip(body)),
            "Complete: {\"a\":1}",
        ),
        (
            "blank lines first",
            Reply::json(&format!("\n\n\n{body}")),
            "Complete: {\"a\":1}",
        ),
        ("closed at once", Reply::raw(""), cut),
        ("half a body, cut", Reply::json(body).cut(20), cut),
        (
            "half a body, whole",
            Reply::new("200 OK", json, &[], half),
            "unreadable answer: not JSON: ",
        ),
        (
            "empty body",
            Reply::json(""),
            "unreadable answer: the body is empty",
        ),
        (
            "wrong content type",
            Reply::new("200 OK", "text/html", &[], html),
            "unreadable answer: not JSON but text/html: <html>Sign in</html>",
        ),
        (
            "not zipped as declared",
            Reply::new("200 OK", json, &zip, body.as_bytes()),
            "transport: the answer breaks the rules of HTTP: ",
        ),
        (
            "huge",
            Reply::json(&huge),
            "unreadable answer: the answer is larger than 65536 bytes",
        ),
        (
            "a zip bomb",
            Reply::new("200 OK", json, &zip, &gzip(&huge)),
            "unreadable answer: the answer is larger than 65536 bytes",
        ),
    ]
}

#[tokio::test]
async fn broken_answers_are_told_apart() {
    for (name, make, body) in all() {
        for (case, reply, expected) in broken(&body.to_string()) {
            let found = line(&ask(make, reply, PATIENCE).await);
            assert!(found.starts_with(expected), "{name}: {case}: {found}");
        }
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    for (name, make, body) in all() {
        let target = FakeServer::start(vec![Reply::json(&body.to_string())]);
        let location = format!("Location: {}/elsewhere", target.url());
        let reply = Reply::new("307 Temporary Redirect", "text/plain", &[&location], b"");
        let found = line(&ask(make, reply, PATIENCE).await);
        let expected = "request refused with HTTP 307: the server points to another address, \
             which the program does not follow";
        assert_eq!(found, expected, "{name}");
        assert!(target.questions().is_empty());
    }
}

#[tokio::test]
async fn a_refused_connection_means_that_nothing_was_sent() {
    let schema = schema();
    for (name, make, _) in all() {
        // A port that no test is ever given, unlike one that was free a moment ago.
        let provider = make("http://127.0.0.1:1");
        let failure = provider.send(question(&schema)).await.expect_err(name);
        let expected = "cannot be reached: no connection: Connection refused (os error 111)";
        assert_eq!(failure.to_string(), expected, "{name}");
    }
}

#[tokio::test]
async fn the_headers_worth_keeping_are_kept_without_the_key() {
    let lines = [
        "X-Request-ID: req_1",
        "x-ratelimit-remaining-requests: 4999",
        "anthropic-ratelimit-tokens-reset: 2026-11-15T12:00:00Z",
        "Date: Sun, 15 Nov 2026 12:00:00 GMT",
        "Set-Cookie: session=1",
        &format!("x-ratelimit-note: for {KEY}"),
    ];
    // What a server repeats of the key is on no disk either.
    let body = format!("{{\"error\":{{\"message\":\"bad {KEY}\"}}}}");
    let reply = Reply::new(
        "401 Unauthorized",
        "application/json",
        &lines,
        body.as_bytes(),
    );
    let server = FakeServer::start(vec![reply]);
    let schema = schema();
    let sent = openai::make(&server.url()).send(question(&schema)).await;
    let answer = sent.expect("an answer of any status");
    assert_eq!(answer.status, 401);
    assert_eq!(
        answer.body,
        "{\"error\":{\"message\":\"bad …\"}}".as_bytes()
    );
    let kept: Vec<String> = answer
        .headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    assert_eq!(
        kept,
        [
            "content-type: application/json",
            "x-request-id: req_1",
            "x-ratelimit-remaining-requests: 4999",
            "anthropic-ratelimit-tokens-reset: 2026-11-15T12:00:00Z",
            "date: Sun, 15 Nov 2026 12:00:00 GMT",
            "x-ratelimit-note: for …",
        ]
    );
}
