//! Every kind of failure that real runs have met, and every form of a good reply, each as its own
//! model of one run: the table says what the ledger then holds.

use serde_json::{Value, json};

use crate::fake_models::{FAR, KEY, ROUND, V1_1, frozen_with};
use crate::scripted_models::{Answer, responses, serve};

/// Model, provider, and what becomes of its attempt: a step of the ladder or a reason.
const KINDS: [(&str, &str, &str); 34] = [
    ("plain", "openai", "strict"),
    ("fenced", "openai", "fence"),
    ("yaml", "openai", "yaml"),
    ("fenced-yaml", "openai", "fenced_yaml"),
    ("in-prose", "openai", "prose"),
    ("missing-brace", "openai", "closing_brace"),
    ("trailing-comma", "openai", "trailing_comma"),
    ("raw-line-end", "openai", "raw_line_end"),
    ("cut-at-the-cap", "openai", "truncated"),
    ("cut-but-parses", "openai", "truncated"),
    ("closed-early", "openai", "malformed"),
    ("two-objects", "openai", "malformed"),
    ("repeated-key", "openai", "malformed"),
    ("not-finite", "openai", "malformed"),
    ("unicode-minus", "openai", "malformed"),
    ("nothing-said", "openai", "empty"),
    ("refused", "openai", "refusal"),
    ("tool-call", "openai", "tool"),
    ("other-model", "openai", "other_model"),
    ("hollow", "openai", "schema"),
    ("six-holdings", "openai", "schema"),
    ("same-option-twice", "openai", "schema"),
    ("extra-key", "openai", "schema"),
    ("number-as-text", "openai", "schema"),
    ("unknown-option", "openai", "schema"),
    ("sums-to-95", "openai", "schema"),
    ("no-quota", "openai", "quota"),
    ("bad-effort", "openai", "request"),
    ("too-slow", "openai", "timeout"),
    ("busy", "openai", "overloaded"),
    ("no-credit", "anthropic", "request"),
    ("bad-schema", "anthropic", "request"),
    ("no-such-model", "anthropic", "no_model"),
    ("invalid-argument", "google", "request"),
];

fn decision(model: &str) -> Value {
    json!({
        "round_id": "OVER-HTTP-1W",
        "model_id": model,
        "provider": "openai",
        "mode": "closed_capability",
        "portfolio": [{"option_id": "SP500", "allocation_pct": 100, "rationale": "broad"}],
        "confidence": 0.5,
        "rationale_summary": "The reference itself.",
        "portfolio_rationale": "One holding.",
        "key_risks": ["a fall", "a rise elsewhere"],
    })
}

fn holding(option: &str, percent: u32) -> Value {
    json!({"option_id": option, "allocation_pct": percent, "rationale": "one of several"})
}

/// The decision of a model with one thing wrong with it.
fn spoiled(model: &str) -> Value {
    let mut said = decision(model);
    match model {
        "hollow" => {
            said["portfolio"] = json!([]);
            said["confidence"] = json!(0);
            said["rationale_summary"] = json!("");
        }
        "six-holdings" => {
            let all = ["SP500", "CASH", "A", "B", "C", "D"].map(|option| holding(option, 15));
            said["portfolio"] = json!(all);
        }
        "same-option-twice" => {
            said["portfolio"] = json!([holding("SP500", 50), holding("SP500", 50)]);
        }
        "extra-key" => said["reversal_case_note"] = Value::Null,
        "number-as-text" => said["portfolio"][0]["allocation_pct"] = json!("100"),
        "unknown-option" => said["portfolio"][0]["option_id"] = json!("NOBODY_OFFERS_IT"),
        "sums-to-95" => said["portfolio"][0]["allocation_pct"] = json!(95),
        _ => {}
    }
    said
}

/// The decision with one member per line.
fn as_yaml(said: &Value) -> String {
    let members = said.as_object().expect("an object").iter();
    let lines: Vec<String> = members
        .map(|(name, value)| format!("{name}: {value}\n"))
        .collect();
    lines.concat()
}

fn text(model: &str) -> String {
    let said = spoiled(model);
    let plain = said.to_string();
    match model {
        "fenced" => format!("```json\n{plain}\n```"),
        "yaml" => as_yaml(&said),
        "fenced-yaml" => format!("```yaml\n{}```", as_yaml(&said)),
        "in-prose" => format!("Here it is: {plain} That is all."),
        "missing-brace" => plain[..plain.len() - 1].to_owned(),
        "trailing-comma" => format!("{},}}", &plain[..plain.len() - 1]),
        "raw-line-end" => plain.replace("The reference", "The\nreference"),
        "cut-at-the-cap" => plain[..plain.len() / 2].to_owned(),
        "closed-early" => plain.replacen(",\"rationale_summary\"", "},\"rationale_summary\"", 1),
        "two-objects" => format!("{plain}\n{plain}"),
        "repeated-key" => plain.replacen('{', "{\"mode\":\"open\",", 1),
        "not-finite" => plain.replace("0.5", "NaN"),
        "unicode-minus" => plain.replace("0.5", "\u{2212}0.5"),
        "nothing-said" => String::new(),
        _ => plain,
    }
}

fn answer(path: &str, body: &Value) -> Answer {
    let model = body["model"].as_str().unwrap_or_default();
    let refused = |kind: &str, code: &str, message: &str| json!({"error": {"type": kind, "code": code, "message": message, "param": null}});
    let anthropic = |kind: &str, message: &str| json!({"type": "error", "error": {"type": kind, "message": message}});
    if path.contains("generateContent") {
        let error = json!({"error": {"code": 400, "status": "INVALID_ARGUMENT",
            "message": "Request contains an invalid argument."}});
        return Answer::status(400, &error);
    }
    match model {
        "no-quota" => Answer::status(
            429,
            &refused(
                "insufficient_quota",
                "insufficient_quota",
                "You exceeded your quota.",
            ),
        ),
        "bad-effort" => Answer::status(
            400,
            &refused(
                "invalid_request_error",
                "unsupported_value",
                "Unsupported value.",
            ),
        ),
        "busy" => Answer::status(503, &refused("server_error", "overloaded", "busy")),
        "no-credit" => Answer::status(
            400,
            &anthropic("invalid_request_error", "Your credit balance is too low."),
        ),
        "bad-schema" => Answer::status(
            400,
            &anthropic(
                "invalid_request_error",
                "property 'maxItems' is not supported",
            ),
        ),
        "no-such-model" => Answer::status(404, &anthropic("not_found_error", "model: no")),
        "too-slow" => Answer::silence(),
        "other-model" => Answer::ok(&responses("somebody-else", &text(model))),
        _ => Answer::ok(&finished(model)),
    }
}

/// An answer that the provider calls finished, or says why it is not.
fn finished(model: &str) -> Value {
    let mut body = responses(model, &text(model));
    match model {
        "cut-at-the-cap" | "cut-but-parses" => {
            body["status"] = json!("incomplete");
            body["incomplete_details"] = json!({"reason": "max_output_tokens"});
        }
        "refused" => {
            body["output"][0]["content"] = json!([{"type": "refusal", "refusal": "I will not."}]);
        }
        "tool-call" => {
            body["output"] = json!([{"type": "function_call", "name": "f", "arguments": "{}",
                "call_id": "c", "id": "i", "status": "completed"}]);
        }
        _ => {}
    }
    body
}

#[test]
fn every_kind_of_failure_has_its_own_reason() {
    let address = serve(answer);
    let models = KINDS.map(|(model, provider, _)| {
        let patience = if model == "too-slow" { 1 } else { 60 };
        format!(
            "- model_id: {model}\n  provider: {provider}\n  api_model_name: {model}\n  \
             base_url: {address}\n  api_key_env: CANARY_KEY\n  \
             max_wall_clock_seconds: {patience}\n"
        )
    });
    let test = frozen_with(&format!("models:\n{}", models.concat()), FAR, V1_1);
    let ask = "run-round --round rounds/OVER-HTTP-1W --models models.yaml --run-id first \
               --run-type official --yes --allow-real-api-calls --max-retries 0 --retry-pause 0.005 --json";
    let ask: Vec<&str> = ask.split_whitespace().collect();
    let ran = test.run_with(&[("CANARY_KEY", KEY)], &ask).code(1);
    let slots = ran.json()["slots"].as_array().expect("slots").clone();
    for ((model, _, expected), slot) in KINDS.iter().zip(&slots) {
        assert_eq!(slot["model_id"], *model);
        let ended = format!("{ROUND}/runs/first/attempts/{model}__001.ended.json");
        let ended = std::fs::read_to_string(test.folder().join(ended)).expect("an ended attempt");
        let ended: Value = serde_json::from_str(&ended).expect("JSON");
        let valid = slot["state"] == "valid";
        let told = if valid { "parse_path" } else { "reason" };
        assert_eq!(ended[told], *expected, "{model}: {ended}");
    }
    for (path, text) in test.tree() {
        assert!(!text.contains(KEY), "the key is in {path}");
    }
}
