//! Every way in which a provider can answer or fail, in all six wire formats, through the program:
//! one table says what the ledger then holds.

use std::io::Write as _;

use serde_json::{Value, json};

use crate::fake_models::{
    Answer, AskedRound, Call, FakeModels, KEY, Manner, Said, TOKENS, Wire, decision,
};
use crate::harness::tree_of;
use Wire::{Anthropic, Compatible, Google, Ollama, OpenAi, XAi};

const ALL: &[Wire] = &Wire::ALL;
const MARKED: &[Wire] = &[OpenAi, Anthropic, Compatible];
const CHAT: &[Wire] = &[XAi, Compatible];

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
    // Without a mark a refusal is a finished reply without an object.
    ("refusal", &[XAi, Ollama], "invalid refusal"),
    (
        "content-filter",
        &[OpenAi, XAi, Compatible, Google],
        "invalid filter",
    ),
    ("content-filter", &[Anthropic], "invalid refusal"),
    ("content-filter", &[Ollama], "invalid refusal"),
    ("blocked-prompt", &[Google], "invalid filter"),
    ("truncation", ALL, "invalid truncated, valid"),
    // The limit cut it off even where what is there happens to be whole.
    ("truncated-but-whole", ALL, "invalid truncated, valid"),
    ("empty-text", ALL, "invalid empty, valid"),
    ("two-objects", ALL, "invalid malformed, valid"),
    ("duplicate-key", ALL, "invalid malformed, valid"),
    ("unknown-option", ALL, "invalid schema, valid"),
    ("tool-call", ALL, "invalid tool"),
    ("tool-in-usage", CHAT, "invalid tool"),
    ("tool-and-other-model", CHAT, "invalid tool"),
    ("other-model", ALL, "invalid other_model"),
    ("smaller-model", ALL, "invalid other_model"),
    ("newer-version", ALL, "invalid other_model"),
    ("dated-model", ALL, "valid"),
    ("thoughts-first", ALL, "valid"),
    ("only-thoughts", ALL, "invalid malformed, valid"),
    ("broken-off", CHAT, "invalid malformed, valid"),
    ("unknown-stop", CHAT, "invalid unreadable, valid"),
    ("status-400", ALL, "failed request"),
    ("status-401", ALL, "failed key"),
    ("status-403", ALL, "failed key"),
    ("status-404", ALL, "failed no_model"),
    ("status-408", ALL, "failed server, valid"),
    ("status-413", ALL, "failed request"),
    ("status-429", ALL, "failed rate_limit, valid"),
    ("status-500", ALL, "failed server, valid"),
    ("status-503", ALL, "failed overloaded, valid"),
    ("status-529", ALL, "failed overloaded, valid"),
    ("html-502", ALL, "failed server, valid"),
    ("quota-used-up", &[OpenAi], "failed quota"),
    (
        "minute-used-up",
        &[Google, Compatible],
        "failed rate_limit, valid",
    ),
    ("day-used-up", &[Google], "failed quota"),
    (
        "failed-generation",
        &[Compatible],
        "failed malformed, valid",
    ),
    ("prompt-filtered", &[OpenAi, Compatible], "failed filter"),
    ("retired-model", &[Compatible], "failed no_model"),
    (
        "error-in-base-resp",
        &[Compatible],
        "failed rate_limit, valid",
    ),
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
        "thoughts-first" => wire(Said::Text(&format!("<think>{text} or not</think>\n{text}"))),
        "only-thoughts" => wire(Said::Text(&format!("<think>{text}"))),
        "other-model" => Answer::json(call, &call.wire.answer("another", Said::Text(&text))),
        "smaller-model" | "newer-version" | "dated-model" => {
            let more = match call.model.as_str() {
                "smaller-model" => "-mini-2026-01-02",
                "newer-version" => "-5-20260102",
                _ => "-2026-01-02",
            };
            let served = format!("{}{more}", call.model);
            Answer::json(call, &call.wire.answer(&served, Said::Text(&text)))
        }
        "tool-in-usage" | "tool-and-other-model" | "broken-off" | "unknown-stop" => {
            Answer::json(call, &chat(call, &text))
        }
        other => match other.strip_prefix("status-") {
            Some(status) => error(call, status),
            None => on_the_way(call, &whole),
        },
    }
}

/// A decision in the format of chat completions, with something beside it that spoils it.
fn chat(call: &Call, text: &str) -> Value {
    let mut body = call.wire.answer(&call.model, Said::Text(text));
    match call.model.as_str() {
        "tool-in-usage" => {
            body["usage"]["server_tool_use_details"] = json!({"web_search_requests": 1});
        }
        "tool-and-other-model" => {
            body["model"] = json!("another");
            body["choices"][0]["message"]["annotations"] = json!([{"type": "url_citation"}]);
        }
        "broken-off" => body["choices"][0]["finish_reason"] = json!("error"),
        _ => body["choices"][0]["finish_reason"] = json!("bored"),
    }
    body
}

/// What an error's codes tell, with prose that would mislead.
fn coded(call: &Call) -> Answer {
    let error = |status: &str, code: &str, message: &str| {
        let error = json!({"message": message, "type": "invalid_request_error", "code": code});
        Answer::with_status(call, status, &json!({"error": error}))
    };
    let google = |quota: &str| {
        let details = json!([{"violations": [{"quotaId": quota}]}, {"retryDelay": "0.01s"}]);
        let message = "You exceeded your quota, please check your plan and billing details.";
        let error = json!({"code": 429, "status": "RESOURCE_EXHAUSTED", "message": message,
            "details": details});
        Answer::with_status(call, "429 Too Many Requests", &json!({"error": error}))
    };
    match (call.model.as_str(), call.wire) {
        ("minute-used-up", Google) => google("GenerateRequestsPerMinutePerProjectPerModel"),
        ("day-used-up", _) => google("GenerateRequestsPerDayPerProjectPerModel-FreeTier"),
        ("minute-used-up", _) => error(
            "429 Too Many Requests",
            "rate_limit_exceeded",
            "Upgrade at https://example.org/settings/billing",
        ),
        ("failed-generation", _) => error("400 Bad Request", "json_validate_failed", "No JSON."),
        ("prompt-filtered", _) => error("400 Bad Request", "content_filter", "Filtered."),
        ("retired-model", _) => error("400 Bad Request", "model_decommissioned", "Gone."),
        ("error-in-base-resp", _) => Answer::json(
            call,
            &json!({"choices": null, "base_resp": {"status_code": 1002, "status_msg": "slow"}}),
        ),
        (other, _) => panic!("no answer is written for {other}"),
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
        _ => coded(call),
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
    // What another model said is kept and paid for, with the line that would accept it.
    let other = &files["openai-smaller-model__001.ended.json"];
    let other: Value = serde_json::from_str(other).expect("JSON");
    assert_eq!(other["served_model"], "smaller-model-mini-2026-01-02");
    assert_eq!(other["output_tokens"], TOKENS.1);
    let told = other["problems"][0].as_str().expect("a problem");
    assert!(
        told.starts_with("served as smaller-model-mini-2026-01-02, not accepted; "),
        "{told}"
    );
    assert!(told.contains("served_models: [smaller-model-mini-2026-01-02]"));
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

#[test]
fn the_names_that_count_are_told_before_the_first_call() {
    let server = FakeModels::start(Answer::decision);
    let listed = "  metadata: {served_models: [two-sol]}\n";
    let models = [(OpenAi, "one-0613", ""), (Google, "two", listed)];
    let round = AskedRound::new(&server, &models);
    let retrospective = "--run-type retrospective --dry-run";
    let told = round.ask("r", retrospective).code(0);
    told.complains("an answer counts from")
        .complains("two, two with a date or numeric build, two-sol")
        .complains("served_models: [NAME]");
    let report = round.ask("r", &format!("{retrospective} --json")).code(0);
    let expected = json!({"google-two": "two, two with a date or numeric build, two-sol",
        "openai-one-0613": "one-0613"});
    assert_eq!(report.json()["accepted_names"], expected);
    assert!(server.calls().is_empty());
}
