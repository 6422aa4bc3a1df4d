//! Every way in which a provider can answer or fail, in all six wire formats, through the program:
//! one table says what the ledger then holds.

use std::io::Write as _;

use serde_json::{Value, json};

use crate::fake_models::{Answer, AskedRound, Call, FakeModels, KEY, Manner, Said, Wire, decision};
use crate::harness::tree_of;
use Wire::{Anthropic, Compatible, Google, Ollama, OpenAi, XAi};

const ALL: &[Wire] = &Wire::ALL;
const MARKED: &[Wire] = &[OpenAi, Anthropic, Compatible];

/// The first answer about a model is that of its case, every later one a valid decision. So the
/// ledger shows both what the case is called and whether it is asked again; the last word is the
/// state in which the slot ends.
const TABLE: &[(&str, &[Wire], &str)] = &[
    // case             in these formats          attempts in the ledger
    ("success", ALL, "valid"),
    ("gzip", ALL, "valid"),
    ("blank-lines-first", ALL, "valid"),
    ("fenced", ALL, "valid"),
    ("refusal", MARKED, "invalid refusal"),
    ("refusal", &[Google], "invalid filter"),
    // Without a mark a refusal is a text without a decision.
    ("refusal", &[XAi, Ollama], "invalid malformed, valid"),
    (
        "content-filter",
        &[OpenAi, XAi, Compatible, Google],
        "invalid filter",
    ),
    ("content-filter", &[Anthropic], "invalid refusal"),
    ("content-filter", &[Ollama], "invalid malformed, valid"),
    ("blocked-prompt", &[Google], "invalid filter"),
    ("truncation", ALL, "invalid truncated, valid"),
    // The limit cut it off even where what is there happens to be whole.
    ("truncated-but-whole", ALL, "invalid truncated, valid"),
    ("empty-text", ALL, "invalid empty, valid"),
    ("two-objects", ALL, "invalid malformed, valid"),
    ("duplicate-key", ALL, "invalid malformed, valid"),
    ("unknown-option", ALL, "invalid schema, valid"),
    ("tool-call", ALL, "invalid tool"),
    ("other-model", ALL, "invalid other_model"),
    ("status-400", ALL, "failed request"),
    ("status-401", ALL, "failed key"),
    ("status-403", ALL, "failed key"),
    ("status-404", ALL, "failed request"),
    ("status-408", ALL, "failed server, valid"),
    ("status-413", ALL, "failed request"),
    ("status-429", ALL, "failed rate_limit, valid"),
    ("status-500", ALL, "failed server, valid"),
    ("status-503", ALL, "failed server, valid"),
    ("status-529", ALL, "failed server, valid"),
    ("html-502", ALL, "failed server, valid"),
    ("quota-used-up", &[OpenAi], "failed request"),
    ("error-inside-200", ALL, "failed server, valid"),
    ("redirect", ALL, "failed request"),
    ("hung-socket", ALL, "failed timeout, valid"),
    ("slow-drip", ALL, "failed timeout, valid"),
    ("half-a-body", ALL, "failed transport, valid"),
    ("closed-at-once", ALL, "failed transport, valid"),
    ("not-gzip-as-declared", ALL, "failed transport, valid"),
    ("half-json", ALL, "failed unreadable, valid"),
    ("empty-body", ALL, "failed unreadable, valid"),
    ("wrong-content-type", ALL, "failed unreadable, valid"),
    ("huge-body", ALL, "failed unreadable, valid"),
    ("key-repeated", ALL, "failed key"),
];

fn zipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("a compressed body");
    encoder.finish().expect("a compressed body")
}

/// What the server sends first about the model of a case.
fn first(call: &Call) -> Answer {
    let text = decision(&call.body);
    let wire = |said: Said<'_>| Answer::json(call, &call.wire.answer(&call.model, said));
    let whole = call.wire.answer(&call.model, Said::Text(&text)).to_string();
    match call.model.as_str() {
        "fenced" => wire(Said::Text(&format!("```json\n{text}\n```"))),
        "refusal" => wire(Said::Refusal),
        "content-filter" => wire(Said::Filtered),
        "blocked-prompt" => Answer::json(
            call,
            &json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
                "usageMetadata": {"promptTokenCount": 9, "totalTokenCount": 9},
                "modelVersion": call.model, "responseId": "r-2"}),
        ),
        "truncation" => wire(Said::Truncated(&text[..text.len() / 2])),
        "truncated-but-whole" => wire(Said::Truncated(&text)),
        "empty-text" => wire(Said::Text("")),
        "two-objects" => wire(Said::Text(&format!("{text}\n{text}"))),
        "duplicate-key" => wire(Said::Text(&text.replacen('{', "{\"confidence\": 0.4, ", 1))),
        "unknown-option" => wire(Said::Text(&text.replace("SP500", "MOON"))),
        "tool-call" => wire(Said::Tool),
        "other-model" => Answer::json(call, &call.wire.answer("another", Said::Text(&text))),
        other => match other.strip_prefix("status-") {
            Some(status) => error(call, status),
            None => on_the_way(call, &whole),
        },
    }
}

/// What goes wrong around the body rather than in it.
fn on_the_way(call: &Call, whole: &str) -> Answer {
    let raw = |headers: &str, body: &[u8]| Answer::new(call, "200 OK", headers, body);
    let json = "Content-Type: application/json\r\n";
    let gzip = "Content-Type: application/json\r\nContent-Encoding: gzip\r\n";
    match call.model.as_str() {
        "gzip" => raw(gzip, &zipped(whole.as_bytes())),
        "blank-lines-first" => raw(json, format!("\n\n\n{whole}").as_bytes()),
        "html-502" => {
            let kind = "Content-Type: text/html\r\n";
            Answer::new(call, "502 Bad Gateway", kind, b"<html>Bad Gateway</html>")
        }
        "quota-used-up" => Answer::with_status(
            call,
            "429 Too Many Requests",
            &json!({"error": {"message": "You exceeded your current quota.",
                "type": "insufficient_quota", "param": null, "code": "insufficient_quota"}}),
        ),
        "error-inside-200" => Answer::json(call, &call.wire.error_inside(&call.model)),
        "redirect" => {
            let place = format!("Location: /{}/elsewhere\r\n", call.wire.provider());
            Answer::new(call, "307 Temporary Redirect", &place, b"")
        }
        "hung-socket" => Answer::decision(call).sent(Manner::Hang),
        "slow-drip" => Answer::decision(call).sent(Manner::Drip),
        "half-a-body" => Answer::decision(call).sent(Manner::Half),
        "closed-at-once" => Answer::nothing(),
        "not-gzip-as-declared" => raw(gzip, whole.as_bytes()),
        "half-json" => raw(json, &whole.as_bytes()[..whole.len() / 2]),
        "empty-body" => raw(json, b""),
        "wrong-content-type" => raw("Content-Type: text/html\r\n", b"<html>Sign in</html>"),
        "huge-body" => {
            let spaces = vec![b' '; (32 << 20) + 1];
            raw(gzip, &zipped(&[whole.as_bytes(), &spaces].concat()))
        }
        "key-repeated" => {
            let text = call.wire.error(401).to_string();
            let text = text.replace("The server", &format!("Incorrect API key: {KEY}. It"));
            let headers = format!("{json}x-ratelimit-reason: {KEY}\r\n");
            Answer::new(call, "401 Unauthorized", &headers, text.as_bytes())
        }
        "success" => Answer::decision(call),
        other => panic!("no answer is written for {other}"),
    }
}

fn error(call: &Call, status: &str) -> Answer {
    let body = call.wire.error(status.parse().expect("a status"));
    let wait = match (status, call.wire) {
        ("429", Wire::OpenAi) => "retry-after-ms: 10\r\n",
        ("429", Wire::Anthropic) => "retry-after: 0\r\n",
        _ => "",
    };
    let headers = format!("Content-Type: application/json\r\n{wait}");
    let status = format!("{status} Something");
    Answer::new(call, &status, &headers, body.to_string().as_bytes())
}

fn ask_all() -> (FakeModels, AskedRound, Value) {
    let server = FakeModels::start(|call| match call.before {
        0 => first(call),
        _ => Answer::decision(call),
    });
    let limited = "  max_wall_clock_seconds: 2.5\n";
    let patient = "  max_wall_clock_seconds: 60\n";
    let models: Vec<(Wire, &str, &str)> = TABLE
        .iter()
        .flat_map(|(case, wires, _)| wires.iter().map(move |wire| (*wire, *case)))
        .map(|(wire, case)| {
            let slow = ["hung-socket", "slow-drip"].contains(&case);
            (wire, case, if slow { limited } else { patient })
        })
        .collect();
    let round = AskedRound::new(&server, &models);
    let more = "--run-type retrospective --max-retries 1 --max-concurrent 16 --json";
    let ran = round.ask("faults", more).code(1);
    let report = ran.json();
    (server, round, report)
}

#[test]
fn the_ledger_records_every_provider_fault_by_its_reason() {
    let (server, round, report) = ask_all();
    let found = AskedRound::ledger(&report);
    let mut wrong = Vec::new();
    let mut rows = 0;
    let mut requests = 0;
    for (case, wires, expected) in TABLE {
        for wire in *wires {
            rows += 1;
            let id = format!("{}-{case}", wire.provider());
            let (_, said, state) = found
                .iter()
                .find(|(model, ..)| *model == id)
                .unwrap_or_else(|| panic!("{id} was not asked"));
            let last = expected.rsplit(", ").next().unwrap_or_default();
            let last = last.split(' ').next().unwrap_or_default();
            if said != expected || state != last {
                wrong.push(format!("{id}: {said} ({state}), expected {expected}"));
            }
            requests += expected.split(", ").count();
        }
    }
    assert_eq!(wrong, [""; 0]);
    assert_eq!(rows, found.len());
    // One request per attempt, and none that the ledger does not show.
    let calls = server.calls();
    assert_eq!(calls.len(), requests);
    round.verify();
    // What was sent is what is on disk, to the byte; only the key is taken out.
    let attempts = round
        .test()
        .path("rounds/OVER-HTTP-1W/runs/faults/attempts");
    let files = tree_of(&attempts);
    let kept = &files["vllm-status-400__001.answer"];
    assert_eq!(*kept, Wire::Compatible.error(400).to_string());
    assert!(files["openai-key-repeated__001.answer"].contains("Incorrect API key: …. It"));
    // Half a decision is not an answer; nothing of it may count as one.
    assert!(!files.contains_key("openai-half-a-body__001.answer"));
    assert!(files.contains_key("openai-half-a-body__001.begun.json"));
}

#[test]
fn a_key_that_cannot_be_used_is_not_shown() {
    let server = FakeModels::start(Answer::decision);
    let round = AskedRound::new(&server, &[(OpenAi, "one", "")]);
    // A key that no header takes, and one that is missing: both named, neither shown.
    for (key, complaint) in [
        (format!("{KEY} {KEY}"), "CANARY_KEY is not a key"),
        (String::new(), "CANARY_KEY is not set"),
    ] {
        let mut command = round.command("r", "");
        let output = command
            .env("CANARY_KEY", key)
            .env("RUST_BACKTRACE", "full")
            .output();
        let ran = crate::harness::Ran::new("a bad key", output.expect("the program starts"));
        assert!(!ran.stderr().contains(&KEY[..13]));
        ran.code(2).complains(complaint);
    }
    assert!(server.calls().is_empty());
}
