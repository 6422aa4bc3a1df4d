//! What a run costs: the shipped card, the operator's own before it, and what is kept of both.

use std::fs;

use serde_json::Value;

use crate::fake_models::{FAR, KEY, ROUND, V1_1, frozen_with};
use crate::harness::{Ran, Test};
use crate::scripted_models::{Answer, responses, serve};

fn ask(test: &Test, more: &str) -> Ran {
    let line = format!(
        "run-round --round {ROUND} --models models.yaml --run-id first --run-type official --yes \
         --allow-real-api-calls --max-retries 0 {more}"
    );
    let arguments: Vec<&str> = line.split_whitespace().collect();
    test.run_with(&[("CANARY_KEY", KEY)], &arguments)
}

fn read(test: &Test, path: &str) -> Value {
    let path = test.folder().join(ROUND).join("runs/first").join(path);
    let written = fs::read_to_string(path).expect("a file of the run");
    serde_json::from_str(&written).expect("JSON")
}

#[test]
fn a_cost_can_be_worked_out_again_from_what_the_run_keeps() {
    let address = serve(|_, body| {
        let model = body["model"].as_str().unwrap_or_default();
        Answer::ok(&responses(model, "no decision, but it is billed"))
    });
    let model = |id: &str| {
        format!(
            "- model_id: {id}\n  provider: openai\n  api_model_name: {id}\n  \
             base_url: {address}\n  api_key_env: CANARY_KEY\n"
        )
    };
    let models = format!("models:\n{}{}", model("gpt-5.6-sol"), model("house-model"));
    let test = frozen_with(&models, FAR, V1_1);
    ask(&test, "--dry-run")
        .code(0)
        .complains("prices: genai-prices 0.2.1 as of 2026-10-30")
        .complains("Cost unknown: 1 of 2 models has no price: house-model")
        .complains("write it into configs/pricing.yaml");
    ask(&test, "--max-cost-usd 1")
        .code(2)
        .complains("no price of openai house-model")
        .complains("write it into configs/pricing.yaml");
    let card = "as_of: 2026-11-15\npricing:\n  openai:\n    house-model:\n      \
                input_per_1m_tokens_usd: 1\n      output_per_1m_tokens_usd: 2\n";
    fs::create_dir(test.folder().join("configs")).expect("a folder");
    fs::write(test.folder().join("configs/pricing.yaml"), card).expect("a card");
    ask(&test, "--max-cost-usd 1").code(1);
    let plan = read(&test, "slots.json");
    let cards = plan["price_cards"].as_array().expect("cards");
    assert_eq!(cards[0]["name"], "configs/pricing.yaml");
    assert_eq!(cards[0]["as_of"], "2026-11-15");
    assert_eq!(cards[1]["name"], "genai-prices 0.2.1");
    assert!(
        cards
            .iter()
            .all(|card| card["sha256"].as_str().is_some_and(|d| d.len() == 64))
    );
    let prices = plan["prices"].as_array().expect("prices");
    for (price, card) in prices
        .iter()
        .zip(["genai-prices 0.2.1", "configs/pricing.yaml"])
    {
        assert_eq!(price["card"], card);
        let name = price["api_model_name"].as_str().expect("a name");
        let ended = read(&test, &format!("attempts/{name}__001.ended.json"));
        let pico = |field: &str| price[field].as_f64().expect("a price");
        // The server counts 30 of the 80 tokens as cached; our own card has no price of those.
        let cached = price["cached"].as_f64().unwrap_or(pico("input"));
        let sum = 50.0 * pico("input") + 30.0 * cached + 40.0 * pico("output");
        let cost = ended["cost_usd"].as_f64().expect("a cost");
        assert!((cost - sum / 1e12).abs() < 1e-15, "{name}: {cost}");
    }
    assert!(prices[0]["cached"].as_u64() < prices[0]["input"].as_u64());
}

#[test]
fn a_used_up_allowance_is_waited_for() {
    let address = serve(|_, body| {
        let model = body["model"].as_str().unwrap_or_default();
        let headers = "x-ratelimit-remaining-requests: 0\r\nx-ratelimit-reset-requests: 400ms\r\n";
        Answer::ok(&responses(model, "no decision")).with_headers(headers)
    });
    let models = ["first", "second"].map(|id| {
        format!(
            "- model_id: {id}\n  provider: openai\n  api_model_name: {id}\n  \
             base_url: {address}\n  api_key_env: CANARY_KEY\n"
        )
    });
    let test = frozen_with(&format!("models:\n{}", models.concat()), FAR, V1_1);
    ask(&test, "--max-concurrent 1").code(1);
    let moment = |path: &str, field: &str| -> jiff::Timestamp {
        let written = read(&test, path)[field]
            .as_str()
            .expect("an instant")
            .to_owned();
        written.parse().expect("an instant")
    };
    let mut times = ["first", "second"].map(|id| {
        (
            moment(&format!("attempts/{id}__001.begun.json"), "started_at_utc"),
            moment(&format!("attempts/{id}__001.ended.json"), "ended_at_utc"),
        )
    });
    times.sort();
    let between = times[1].0.duration_since(times[0].1);
    assert!(
        between.as_millis() >= 399,
        "the second call began after {between}"
    );
}
