//! How models were asked is public: in the export, on their pages, and under the operator's names.

use std::fs;

use serde_json::{Value, json};

use crate::fake_models::{Answer, AskedRound, FakeModels, ROUND, Wire};
use crate::harness::Test;

const RUN: &str = "runs/first";
const EXPORT: [&str; 7] = [
    "export",
    "--rounds-dir",
    "rounds",
    "--as-of",
    "2028-01-01",
    "--output",
    "export",
];

/// A file of the run as JSON, changed.
fn change(test: &Test, file: &str, change: impl FnOnce(&mut Value)) {
    let path = test.file(&format!("{RUN}/{file}"));
    let stored = fs::read_to_string(&path).expect("a file of the run");
    let mut value = serde_json::from_str(&stored).expect("a document");
    change(&mut value);
    let changed = serde_json::to_string(&value).expect("a document");
    fs::write(path, changed).expect("a written file");
}

fn asked() -> Value {
    json!({
        "api_model_name": "test",
        "schema_mode": "json",
        "temperature": null,
        "reasoning": "effort low",
        "max_output_tokens": 3000,
        "time_limit_seconds": 90.0,
        "service_tier": "flex",
        "routing": ["east", "west"],
        "body_sha256": "0".repeat(64),
    })
}

/// A round of two models, one of which was turned away once, as a ledger with everything tells it.
fn round() -> (FakeModels, AskedRound) {
    let server = FakeModels::start(|call| match (call.wire, call.before) {
        (Wire::OpenAi, 0) => Answer::with_status(call, "429 Too Many", &call.wire.error(429)),
        _ => Answer::decision(call),
    });
    let models = [(Wire::OpenAi, "test", ""), (Wire::Anthropic, "test", "")];
    let round = AskedRound::new(&server, &models);
    round.ask("first", "--run-type official").code(0);
    let test = round.test();
    change(test, "slots.json", |plan| {
        let slots = plan["slots"].as_array_mut().expect("slots").iter_mut();
        for slot in slots.filter(|slot| slot["model_id"] == "openai-test") {
            slot["display_name"] = "Test of OpenAI".into();
            slot["continues"] = "anthropic-test".into();
        }
    });
    change(test, "attempts/openai-test__002.begun.json", |begun| {
        begun["asked"] = asked();
    });
    change(test, "attempts/openai-test__002.ended.json", |ended| {
        ended["served_model"] = "test-2026-01-01".into();
        ended["service_tier"] = "default".into();
        ended["answered_by"] = "east".into();
        ended["billed_usd"] = ended["cost_usd"].clone();
        ended["card_usd"] = 0.25.into();
    });
    test.run(&["accept-run", "--round", ROUND, "--run-id", "first"])
        .code(0);
    (server, round)
}

fn table(test: &Test, name: &str) -> Vec<Value> {
    let stored = fs::read_to_string(test.path(&format!("export/{name}.json")));
    serde_json::from_str(&stored.expect("a table")).expect("rows")
}

#[test]
fn the_export_tells_how_models_were_asked() {
    let (_server, round) = round();
    let test = round.test();
    test.run(&EXPORT).code(0);
    let rows = table(test, "submissions");
    let row = |id: &str| {
        rows.iter()
            .find(|row| row["model_id"] == id)
            .expect("a row")
    };
    let told = row("openai-test");
    for (column, value) in [
        ("display_name", json!("Test of OpenAI")),
        ("api_model_name", json!("test")),
        ("schema_mode", json!("json")),
        ("reasoning", json!("effort low")),
        ("temperature", Value::Null),
        ("temperature_reason", json!("omit")),
        ("max_output_tokens", json!(3000)),
        ("time_limit_seconds", json!(90.0)),
        ("service_tier_asked", json!("flex")),
        ("service_tier_served", json!("default")),
        ("routing", json!("east\nwest")),
        ("extra_fields", Value::Null),
        ("served_model", json!("test-2026-01-01")),
        ("answered_by", json!("east")),
        ("billed_usd", json!(0.0046)),
        ("card_usd", json!(0.25)),
        ("attempts", json!(2)),
        ("attempts_unseen", json!(0)),
        ("attempts_rejected", json!(1)),
    ] {
        assert_eq!(told[column], value, "{column}");
    }
    let other = row("anthropic-test");
    assert_eq!(other["attempts"], 1);
    assert_eq!(other["display_name"], Value::Null);
    let models = table(test, "models");
    assert_eq!(models[1]["name"], "Test of OpenAI");
    // Both play in this round, so neither continues the record of the other.
    assert_eq!(models[1]["continues_model_id"], Value::Null);
    assert!(test.codes().contains(&"rename-refused".to_owned()));
    let whole = fs::read_to_string(test.path("export/publication.json")).expect("a document");
    let whole: Value = serde_json::from_str(&whole).expect("a document");
    let own = whole["rounds"][0]["submissions"]
        .as_array()
        .expect("a list");
    assert!(
        own.iter()
            .any(|own| own["served_model"] == "test-2026-01-01")
    );
    // Terminals show the same name.
    let one = "leaderboard --rounds-dir rounds --as-of 2028-01-01 --round OVER-HTTP-1W";
    let one: Vec<&str> = one.split_whitespace().collect();
    test.run(&one).code(0).says("Test of OpenAI");
}

#[test]
fn the_pages_tell_how_models_were_asked() {
    let (_server, round) = round();
    let test = round.test();
    let build = [
        "build-site",
        "--rounds-dir",
        "rounds",
        "--as-of",
        "2028-01-01",
        "--output",
        "site",
    ];
    test.run(&build).code(0);
    let page = |path: &str| fs::read_to_string(test.path(path)).expect("a page");
    let own = page("site/models/openai-test/index.html");
    for text in [
        "Test of OpenAI</h1>",
        "How it was asked",
        "2 for 1 answer",
        "Turned away by the server",
        "effort low",
        "test-2026-01-01",
        "3,000 tokens",
        "not sent",
        "0.0046\u{a0}USD",
        "0.2500\u{a0}USD",
    ] {
        assert!(own.contains(text), "{text}");
    }
    let other = page("site/models/anthropic-test/index.html");
    assert!(
        !other.contains("Allowed hosts"),
        "no column without a value"
    );
    let answer = page("site/rounds/OVER-HTTP-1W/answers/openai-test/index.html");
    assert!(answer.contains("How it was asked") && answer.contains("effort low"));
}

#[test]
fn a_ledger_with_unknown_words_is_not_published() {
    let (_server, round) = round();
    let test = round.test();
    change(test, "attempts/openai-test__002.begun.json", |begun| {
        begun["asked"]["schema_mode"] = "strict".into();
    });
    let refused = test.run(&EXPORT).code(2);
    refused
        .complains("openai-test__002.begun.json")
        .complains("asked.schema_mode");
    change(test, "attempts/openai-test__002.begun.json", |begun| {
        begun["asked"] = asked();
    });
    change(test, "attempts/openai-test__002.ended.json", |ended| {
        ended["billed_usd"] = (-1.0).into();
    });
    test.run(&EXPORT).code(2).complains("billed_usd");
}

/// A new round with models of this text; the file is read before anything is written.
fn opened(test: &Test, models: &str) -> crate::harness::Ran {
    fs::write(test.path("next.yaml"), models).expect("a written file");
    let init = "init-round --now 2026-01-12T10:00:00Z --round-id NEXT-1W --universe options.yaml \
                --models next.yaml --decision-deadline 2028-06-12T13:25:00Z --horizon";
    let mut init: Vec<&str> = init.split_whitespace().collect();
    init.push("one week");
    test.run(&init)
}

#[test]
fn a_round_whose_models_would_merge_records_wrongly_is_not_opened() {
    let (_server, round) = round();
    let test = round.test();
    change(test, "slots.json", |plan| {
        plan["slots"][0]["continues"] = "google-older".into();
        plan["slots"][1]["continues"] = Value::Null;
    });
    let model = |id: &str, more: &str| {
        format!("- {{model_id: {id}, provider: mock, api_model_name: {id}{more}}}\n")
    };
    let plans = fs::read_to_string(test.file("runs/first/slots.json")).expect("a plan");
    let plans: Value = serde_json::from_str(&plans).expect("a plan");
    let newest = plans["slots"][0]["model_id"].as_str().expect("a model");
    for (models, sentence) in [
        (
            model("a", "") + &model("b", ", continues: a"),
            "b cannot continue the record of a: a takes part in the same round".to_owned(),
        ),
        (
            model("google-older", ""),
            format!("google-older cannot take part: {newest} continues its record"),
        ),
        (
            model("c", ", continues: google-older"),
            format!(
                "c cannot continue the record of google-older: google-older is continued by {newest} already"
            ),
        ),
        (
            model("openai-test", ", continues: anthropic-test"),
            "both took part in OVER-HTTP-1W".to_owned(),
        ),
    ] {
        let ran = opened(test, &format!("models:\n{models}")).code(2);
        ran.complains(&sentence);
        assert!(!test.path("rounds/NEXT-1W").exists(), "{sentence}");
    }
    opened(
        test,
        &format!("models:\n{}", model("c", &format!(", continues: {newest}"))),
    )
    .code(0);
}
