//! `smoke-provider`: one call, never without permission, no trace on disk, no key in sight.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::fake_models::KEY;
use crate::harness::{Ran, Test};
use crate::scripted_models::{Answer, responses, serve};

fn answer(body: &Value) -> Answer {
    let model = body["model"].as_str().unwrap_or_default();
    match model {
        "gpt-5.6-sol" => Answer::ok(&responses(model, "{\"status\": \"ok\"}")),
        "chatty" => Answer::ok(&responses(model, "Certainly, the status is fine.")),
        "moved" | "listed" => Answer::ok(&responses("newer", "{\"status\": \"ok\"}")),
        "dated" => Answer::ok(&responses("dated-2026-01-02", "{\"status\": \"ok\"}")),
        "small" => Answer::ok(&responses("small-mini", "{\"status\": \"ok\"}")),
        _ => {
            let message = format!("the key {KEY} is not known here");
            Answer::status(401, &json!({"error": {"message": message, "type": "x"}}))
        }
    }
}

const MODELS: [&str; 7] = [
    "gpt-5.6-sol",
    "chatty",
    "moved",
    "listed",
    "dated",
    "small",
    "locked",
];

/// A folder with a configuration, and how many calls were made.
fn asked() -> (Test, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let address = serve(move |_, body| {
        counted.fetch_add(1, Ordering::Relaxed);
        answer(body)
    });
    let models = MODELS.map(|model| {
        let listed = match model {
            "listed" => "  metadata: {served_models: [newer]}\n",
            _ => "",
        };
        format!(
            "- model_id: {model}\n  provider: openai\n  api_model_name: {model}\n  \
             base_url: {address}\n  api_key_env: CANARY_KEY\n{listed}"
        )
    });
    let test = Test::operator("none");
    let written = format!("models:\n{}", models.concat());
    std::fs::write(test.folder().join("models.yaml"), written).expect("a written file");
    (test, calls)
}

fn smoke(test: &Test, more: &str) -> Ran {
    let line = format!("smoke-provider --models models.yaml {more}");
    let arguments: Vec<&str> = line.split_whitespace().collect();
    let before = test.tree();
    let ran = test.run_with(&[("CANARY_KEY", KEY)], &arguments);
    assert_eq!(test.tree(), before, "a smoke test leaves nothing behind");
    let said = ran.stdout() + &ran.stderr();
    assert!(!said.contains(KEY), "the key is shown: {said}");
    ran
}

#[test]
fn no_provider_is_called_without_permission() {
    let (test, calls) = asked();
    smoke(&test, "gpt-5.6-sol")
        .code(2)
        .complains("--allow-real-api-calls");
    smoke(&test, "nobody --allow-real-api-calls")
        .code(2)
        .complains(&format!("it holds {}", MODELS.join(", ")));
    // What would be compared is told before anything is allowed.
    smoke(&test, "listed")
        .code(2)
        .complains("count from: listed, listed with a date or numeric build, newer");
    assert_eq!(calls.load(Ordering::Relaxed), 0);
}

#[test]
fn one_smoke_call_reports_what_the_provider_sent() {
    let (test, calls) = asked();
    let allowed = "--allow-real-api-calls";
    let report = smoke(&test, &format!("gpt-5.6-sol {allowed} --json"))
        .code(0)
        .json();
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    let expected = json!({"run_type": "provider_smoke", "served_model": "gpt-5.6-sol",
        "input_tokens": 80, "cached_tokens": 30, "output_tokens": 40, "ok": true, "reason": null});
    for (name, value) in expected.as_object().expect("an object") {
        assert_eq!(&report[name], value, "{name}");
    }
    assert!(report["cost_usd"].as_f64().expect("a price") > 0.0);
    smoke(&test, &format!("gpt-5.6-sol {allowed}"))
        .code(0)
        .says("answers as asked");
    smoke(&test, &format!("chatty {allowed}"))
        .code(1)
        .says("refusal: the reply is finished and contains no object");
    smoke(&test, &format!("locked {allowed}"))
        .code(1)
        .says("key: key refused with HTTP 401");
}

#[test]
fn the_name_that_answers_is_compared_and_its_line_proposed() {
    let (test, _) = asked();
    let allowed = "--allow-real-api-calls";
    let moved = smoke(&test, &format!("moved {allowed}")).code(1);
    moved
        .complains("an answer of moved counts from: moved, moved with a date or numeric build;")
        .says("other_model: served as newer, not accepted")
        .says("add to moved in the models file: served_models: [newer]");
    for (model, line, ok) in [
        ("moved", json!("served_models: [newer]"), false),
        ("small", json!("served_models: [small-mini]"), false),
        ("listed", Value::Null, true),
        ("dated", Value::Null, true),
    ] {
        let ran = smoke(&test, &format!("{model} {allowed} --json"));
        let report = ran.code(i32::from(!ok)).json();
        assert_eq!(report["served_models_line"], line, "{model}");
        assert_eq!(report["ok"], ok, "{model}");
    }
}
