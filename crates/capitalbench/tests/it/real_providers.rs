//! `run-round` over HTTP: six wire formats on one local server, a fault on the way, one record.

use std::fs;

use capitalbench_core::values::ids::Digest;
use serde_json::{Value, json};

use crate::fake_models::{Answer, AskedRound, FakeModels, KEY, Wire};
use crate::harness::Test;

const ROUND: &str = "rounds/OVER-HTTP-1W";

fn six() -> [(Wire, &'static str, &'static str); 6] {
    Wire::ALL.map(|wire| (wire, "test", ""))
}

#[test]
fn six_wire_formats_make_one_record() {
    let server = FakeModels::start(|call| match (call.wire, call.before) {
        (Wire::Anthropic, 0) => Answer::with_status(call, "529 Overloaded", &call.wire.error(529)),
        _ => Answer::decision(call),
    });
    let round = AskedRound::new(&server, &six());
    let test = round.test();
    let ask = "run-round --round rounds/OVER-HTTP-1W --models models.yaml --run-id first \
               --run-type official --yes";
    let ask: Vec<&str> = ask.split_whitespace().collect();
    // Nothing leaves the machine without the operator's word.
    test.run_with(&[("CANARY_KEY", KEY)], &ask).code(2);
    assert!(server.calls().is_empty());
    let ran = round.ask("first", "--run-type official").code(0);
    let ran = ran.says("6 valid").says("0.0276 USD recorded");
    assert!(!ran.stdout().contains("may add"), "{ran}");
    let asked = server.calls();
    assert_eq!(asked.len(), 7, "six models and one retry");
    let shown = fs::read_to_string(test.path(ROUND).join("model_input.md"));
    let shown = serde_json::to_string(shown.expect("the input").trim_end()).expect("text");
    for call in &asked {
        let body = call.body.to_string();
        assert!(
            body.contains(shown.trim_matches('"')),
            "{:?}: another text was sent",
            call.wire
        );
    }
    test.run(&["accept-run", "--round", ROUND, "--run-id", "first"])
        .code(0);
    round.verify();
}

/// A stored JSON file of a run.
fn stored(test: &Test, inside: &str) -> Value {
    let kept = fs::read_to_string(test.path(ROUND).join("runs/first").join(inside));
    serde_json::from_str(&kept.expect("a file")).expect("JSON")
}

#[test]
fn settings_are_frozen_and_what_was_asked_is_kept() {
    let server = FakeModels::start(Answer::decision);
    let further = "  display_name: Test Model\n  reasoning: low\n  temperature: omit\n  \
                   time_limit: 90s\n  max_output_tokens: 4000\n  extra_body: {seed: 7}\n  \
                   extra_headers: {X-Title: League}\n  continues: older\n";
    let round = AskedRound::new(&server, &[(Wire::OpenAi, "test", further)]);
    round.ask("first", "--run-type official").code(0);
    let calls = server.calls();
    let body = &calls[0].body;
    assert_eq!(body["reasoning"]["effort"], "low");
    assert_eq!(
        (&body["seed"], &body["max_output_tokens"]),
        (&json!(7), &json!(4000))
    );
    let slot = &stored(round.test(), "slots.json")["slots"][0];
    let settings = json!({"temperature": "omit", "reasoning": {"effort": "low"},
                          "max_output_tokens": 4000, "time_limit": 90.0,
                          "extra_body": {"seed": 7}, "extra_headers": {"X-Title": "League"}});
    assert_eq!(slot["settings"], settings);
    assert_eq!(
        (&slot["display_name"], &slot["continues"]),
        (&json!("Test Model"), &json!("older"))
    );
    let begun = stored(round.test(), "attempts/openai-test__001.begun.json");
    let asked = &begun["asked"];
    assert_eq!(
        (&asked["schema_mode"], &asked["reasoning"]),
        (&json!("full"), &json!("effort low"))
    );
    assert_eq!(
        (&asked["temperature"], &asked["service_tier"]),
        (&Value::Null, &json!("default"))
    );
    assert_eq!(asked["time_limit_seconds"], 90.0);
    assert_eq!(asked["extra_fields"], json!(["seed", "header X-Title"]));
    // The digest is that of the bytes that arrived.
    let sent = Digest::of(body.to_string().as_bytes()).to_hex();
    assert_eq!(asked["body_sha256"], sent);
    let accept = ["accept-run", "--round", ROUND, "--run-id", "first"];
    round.test().run(&accept).code(0);
    round.verify();
}

#[test]
fn a_rehearsal_without_settings_freezes_none() {
    let server = FakeModels::start(Answer::decision);
    let round = AskedRound::new(&server, &[(Wire::OpenAi, "test", "")]);
    let ask = "run-round --round rounds/OVER-HTTP-1W --models models.yaml --run-id first --mock";
    let ask: Vec<&str> = ask.split_whitespace().collect();
    round.test().run(&ask).code(0);
    let slot = &stored(round.test(), "slots.json")["slots"][0];
    assert!(
        slot.get("settings").is_none() && slot.get("display_name").is_none(),
        "{slot}"
    );
    let begun = stored(round.test(), "attempts/openai-test__001.begun.json");
    assert!(begun.get("asked").is_none(), "{begun}");
}

#[test]
fn an_unknown_provider_is_answered_with_the_known_ones() {
    let server = FakeModels::start(Answer::decision);
    let round = AskedRound::new(&server, &six());
    let file = round.test().path("models.yaml");
    let models = fs::read_to_string(&file).expect("the models");
    let wrong = models.replace("provider: vllm", "provider: vlm");
    fs::write(file, wrong).expect("a written file");
    round
        .ask("first", "--run-type official")
        .code(2)
        .complains("vllm-test: the provider vlm is not known; did you mean vllm?");
    assert!(server.calls().is_empty());
}
