//! The providers against servers of this machine: one table each says what every answer leads to.

use std::time::Duration;

use capitalbench_adapters::http::{HttpClient, HttpLimits, Reach};
use capitalbench_adapters::provider::{
    CallFailure, Family, Provider, Question, RawAnswer, Reply as ModelReply, Settings,
};
use capitalbench_adapters::secret::ApiKey;
use serde_json::{Value, json};

use crate::fake_server::{FakeServer, Reply};

mod anthropic;
mod google;
mod ollama;
mod openai;
mod openai_compatible;
mod setup;
mod transport;
mod xai;

/// A key that cannot be overlooked.
pub(crate) const KEY: &str = "sk-recognisable0key1that2must3never4appear";
/// Text that every escape, line end and script could spoil.
pub(crate) const INPUT: &str = "Choose.\r\n\t\"JSON\" \\ {a: 1} — ü 漢 🦀 \u{7f}</s>\n\n";
/// Longer than any test takes, unless it waits for the end of it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A provider at an address.
pub(crate) type Make = fn(&str) -> Box<dyn Provider>;
/// What a server says and what is made of it.
pub(crate) type Case = (&'static str, Reply, &'static str);

/// The body of a success and what is made of it.
pub(crate) type ReplyCase = (&'static str, Value, &'static str);

pub(crate) fn http() -> HttpClient {
    let limits = HttpLimits {
        connect_timeout: Duration::from_secs(20),
        total_timeout: Duration::from_secs(20),
        body_bytes: 64 << 10,
        reach: Reach::Local,
    };
    HttpClient::new(limits).expect("a client")
}

pub(crate) fn key() -> Option<ApiKey> {
    ApiKey::new(KEY.to_owned())
}

pub(crate) fn settings(family: Family, model: &str) -> Settings {
    Settings::new(family, model)
}

/// A small form of a submission, with what some dialects cannot say.
pub(crate) fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "pick": {"type": "string", "enum": ["SPY", "CASH"]},
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
            "key_risks": {"type": "array", "minItems": 2, "maxItems": 5,
                          "items": {"type": "string", "minLength": 1}},
        },
        "required": ["pick", "confidence", "key_risks"],
        "additionalProperties": false,
    })
}

pub(crate) fn question(schema: &Value) -> Question<'_> {
    Question {
        input: INPUT,
        schema: Some(schema),
        max_output_tokens: 6000,
        time_limit: PATIENCE,
    }
}

/// Answers of success as cases of a table.
pub(crate) fn reply_cases(cases: Vec<ReplyCase>) -> Vec<Case> {
    let cases = cases.into_iter();
    let cases = cases.map(|(name, body, expected)| (name, ok(&body), expected));
    cases.collect()
}

/// A JSON answer of a status; more header lines may be given.
pub(crate) fn error(status: &str, headers: &[&str], body: &Value) -> Reply {
    let body = body.to_string();
    Reply::new(
        status,
        "application/json; charset=utf-8",
        headers,
        body.as_bytes(),
    )
}

pub(crate) fn ok(body: &Value) -> Reply {
    error("200 OK", &[], body)
}

/// Reads a table of errors: blocks of four lines, with `$KEY` where a server repeats the key.
pub(crate) fn error_cases(table: &'static str) -> Vec<Case> {
    let cases = table.trim().split("\n\n").map(|block| {
        let lines: Vec<&str> = block.lines().map(str::trim).collect();
        let [name, head, body, expected] = lines[..] else {
            panic!("not four lines: {block}");
        };
        let (status, more) = head.split_once(" | ").unwrap_or((head, ""));
        let lines = more.split("; ").filter(|line| !line.is_empty());
        let (types, headers): (Vec<&str>, Vec<&str>) =
            lines.partition(|line| line.starts_with("Content-Type: "));
        let content_type = types
            .first()
            .map_or("application/json", |line| &line["Content-Type: ".len()..]);
        let body = match body {
            "(empty)" => String::new(),
            body => body.replace("$KEY", KEY),
        };
        let reply = Reply::new(status, content_type, &headers, body.as_bytes());
        (name, reply, expected)
    });
    cases.collect()
}

/// Asks once and reads the answer; nothing on the way may show the key.
pub(crate) async fn ask(
    make: Make,
    reply: Reply,
    time_limit: Duration,
) -> Result<ModelReply, CallFailure> {
    let server = FakeServer::start(vec![reply]);
    let provider = make(&server.url());
    let schema = schema();
    let mut question = question(&schema);
    question.time_limit = time_limit;
    let sent = provider.send(question).await;
    server.wait_for_question();
    assert_eq!(server.questions().len(), 1, "exactly one request");
    hides_key(&format!("{sent:?}"));
    if let Ok(RawAnswer { body, .. }) = &sent {
        hides_key(&String::from_utf8_lossy(body));
    }
    let read = sent.and_then(|answer| provider.read(&answer));
    hides_key(&format!("{read:?}"));
    if let Err(failure) = &read {
        hides_key(&failure.to_string());
    }
    read
}

/// A result as one line.
pub(crate) fn line(result: &Result<ModelReply, CallFailure>) -> String {
    match result {
        Ok(reply) => format!("{:?}: {}", reply.stop, reply.text),
        Err(failure) => failure.to_string(),
    }
}

/// Checks a table.
pub(crate) async fn check(make: Make, cases: Vec<Case>) {
    for (name, reply, expected) in cases {
        let result = ask(make, reply, PATIENCE).await;
        assert_eq!(line(&result).trim_end(), expected.trim_end(), "{name}");
    }
}

/// The first line, the headers in lower case and the body of what a server was asked.
pub(crate) async fn request(make: Make, answer: Reply) -> (String, Vec<String>, Value) {
    let server = FakeServer::start(vec![answer]);
    let schema = schema();
    let sent = make(&server.url()).send(question(&schema)).await;
    assert!(sent.is_ok(), "{sent:?}");
    let questions = server.questions();
    let (head, body) = questions[0].split_once("\r\n\r\n").expect("a head");
    let mut lines = head.lines();
    let first = lines.next().expect("a line").to_owned();
    let mut headers: Vec<String> = lines
        .map(|line| {
            let (name, value) = line.split_once(": ").expect("a header");
            format!("{}: {value}", name.to_lowercase())
        })
        .filter(|line| !line.starts_with("host: ") && !line.starts_with("content-length: "))
        .collect();
    headers.sort();
    assert!(!first.contains(KEY) && !body.contains(KEY));
    (first, headers, serde_json::from_str(body).expect("JSON"))
}

/// The headers that go with every call, and one more with the key.
pub(crate) fn headers(with_key: &str, more: &[&str]) -> Vec<String> {
    let agent = format!("user-agent: capitalbench/{}", env!("CARGO_PKG_VERSION"));
    let always = [
        "accept: application/json",
        "accept-encoding: gzip",
        "content-type: application/json",
        &agent,
        with_key,
    ];
    let mut all: Vec<String> = always.iter().chain(more).map(ToString::to_string).collect();
    all.sort();
    all
}

pub(crate) fn hides_key(text: &str) {
    let text = text.to_lowercase();
    // Parts of it are looked for, so that no spelling and no cut can hide the rest.
    for part in ["ecognisab", "must3neve"] {
        assert!(KEY.contains(part));
        assert!(!text.contains(part), "{text}");
    }
}
