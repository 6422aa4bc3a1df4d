use super::*;
use crate::test_support::{manifest, payload_base, portfolio, set, universe, unset};
use serde_json::json;

mod coercion;
mod forecast;
mod ledger;
mod limits;
mod properties;
mod run;

pub(super) const OLD: &str = "portfolio-v1.0";
pub(super) const OURS: &str = "portfolio-v1.1";
pub(super) const OLD_PICK: &str = "single_pick-v1.0";

pub(super) const OFFICIAL: RunRules = RunRules {
    kind: RunKind::Official,
    replicates: 1,
};

/// A valid payload of a portfolio round.
pub(super) fn portfolio_payload() -> Value {
    let mut payload = payload_base();
    set(&mut payload, "confidence", json!(0.6));
    set(&mut payload, "rationale_summary", json!("why"));
    set(&mut payload, "portfolio_rationale", json!("why these"));
    set(&mut payload, "key_risks", json!(["one", "two"]));
    let holdings = json!([
        {"option_id": "BBB", "allocation_pct": 40, "rationale": "b"},
        {"option_id": "AAA", "allocation_pct": 60, "rationale": "a"},
    ]);
    set(&mut payload, "portfolio", holdings);
    payload
}

/// A valid payload of a single-pick round.
pub(super) fn pick_payload() -> Value {
    let mut payload = portfolio_payload();
    unset(&mut payload, "portfolio");
    unset(&mut payload, "portfolio_rationale");
    set(&mut payload, "selected_option_id", json!("AAA"));
    payload
}

pub(super) fn judged(payload: &Value, label: &str) -> Result<Submission, String> {
    let (manifest, universe) = (manifest(label), universe());
    let rules = RoundRules {
        manifest: &manifest,
        universe: &universe,
        slate: None,
        run: OFFICIAL,
    };
    joined(validate(payload, PayloadForm::Raw, &rules))
}

/// All problems in one line.
pub(super) fn joined(result: Result<Submission, Vec<Problem>>) -> Result<Submission, String> {
    result.map_err(|problems| {
        let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
        texts.join(" | ")
    })
}

/// The problems of a payload in one line, or `ok`.
pub(super) fn verdict(payload: &Value, label: &str) -> String {
    judged(payload, label).map_or_else(|problems| problems, |_| "ok".to_owned())
}

/// What a portfolio payload is told after one field was set.
fn check(path: &str, value: Value, expected: &str) {
    let mut payload = portfolio_payload();
    set(&mut payload, path, value);
    assert_eq!(verdict(&payload, OLD), expected, "{path}");
}

fn check_pick(path: &str, value: Value, expected: &str) {
    let mut payload = pick_payload();
    set(&mut payload, path, value);
    assert_eq!(verdict(&payload, OLD_PICK), expected, "{path}");
}

#[test]
fn a_valid_payload_becomes_a_submission_with_its_holdings_in_order() {
    let found = judged(&portfolio_payload(), OLD).unwrap();
    let expected = portfolio("model-a", &[("BBB", 40), ("AAA", 60)]);
    assert_eq!(found.decision.option_ids(), expected.decision.option_ids());
    let weights: Vec<u32> = found
        .decision
        .holdings()
        .iter()
        .map(|h| h.weight.get())
        .collect();
    assert_eq!(weights, [4000, 6000]);
    assert_eq!(found.model_id, expected.model_id);
    assert_eq!(found.round_id, expected.round_id);
    assert_eq!(found.key_risks, ["one", "two"]);
    assert_eq!(found.run.kind, Some(RunKind::Official));
    assert_eq!(found.replicate(), 1);
    let pick = judged(&pick_payload(), OLD_PICK).unwrap();
    assert_eq!(pick.decision.format(), SubmissionFormat::SinglePick);
    assert_eq!(pick.decision.holdings()[0].weight, BasisPoints::WHOLE);
}

#[test]
fn texts_are_trimmed() {
    let mut payload = portfolio_payload();
    for path in [
        "model_id",
        "rationale_summary",
        "portfolio.0.option_id",
        "key_risks.0",
    ] {
        let text = payload
            .pointer(&format!("/{}", path.replace('.', "/")))
            .unwrap();
        let spaced = format!(" {}\n", text.as_str().unwrap());
        set(&mut payload, path, json!(spaced));
    }
    assert_eq!(judged(&payload, OLD), judged(&portfolio_payload(), OLD));
}

#[test]
fn a_payload_is_an_object() {
    for payload in [json!(null), json!([]), json!("{}"), json!(1), json!(true)] {
        let expected = "the payload is not a JSON object";
        assert_eq!(verdict(&payload, OLD), expected, "{payload}");
    }
}

#[test]
fn two_picks_are_refused_however_they_are_written() {
    let text = "exactly one selected_option_id or one portfolio is allowed";
    for name in ["selected_option_ids", "selected_options", "selections"] {
        check_pick(name, json!(["AAA", "BBB"]), &format!("{name}: {text}"));
        check_pick(name, json!(null), &format!("{name}: {text}"));
        check(name, json!([]), &format!("{name}: {text}"));
    }
    let list = "selected_option_id: must be one option id, not a list";
    check_pick("selected_option_id", json!(["AAA", "BBB"]), list);
    check_pick("selected_option_id", json!(["AAA"]), list);
}

#[test]
fn there_is_a_pick_or_a_portfolio_as_the_round_asks() {
    let both = "portfolio: give selected_option_id or portfolio, not both";
    check("selected_option_id", json!("AAA"), both);
    check_pick("portfolio", json!([]), both);
    check("selected_option_id", json!(null), "ok");
    let neither = "portfolio: selected_option_id or portfolio is required";
    check("portfolio", json!(null), neither);
    check_pick("selected_option_id", json!(null), neither);
    assert_eq!(
        verdict(&pick_payload(), OLD),
        "this round asks for a portfolio"
    );
    assert_eq!(
        verdict(&portfolio_payload(), OLD_PICK),
        "this round asks for one selected_option_id"
    );
    let rationale = "portfolio_rationale: a portfolio needs its rationale";
    check("portfolio_rationale", json!(null), rationale);
}

#[test]
fn unknown_fields_are_refused_at_every_level_but_in_the_metadata() {
    check("extra", json!(1), "extra: unknown field");
    check("raw_text", json!(null), "raw_text: unknown field");
    check(
        "portfolio.1.note",
        json!(""),
        "portfolio.1.note: unknown field",
    );
    let usage = json!({"tokens": 1});
    check("usage", usage, "usage.tokens: unknown field");
    check("metadata", json!({"anything": {"at": ["all"]}}), "ok");
    check("metadata", json!([]), "metadata: must be an object");
}

#[test]
fn required_fields_are_missing_when_absent_or_null() {
    for name in [
        "round_id",
        "model_id",
        "confidence",
        "rationale_summary",
        "key_risks",
        "portfolio.0.option_id",
        "portfolio.0.allocation_pct",
        "portfolio.0.rationale",
    ] {
        let expected = format!("{name}: required field is missing");
        check(name, json!(null), &expected);
        let mut payload = portfolio_payload();
        unset(&mut payload, name);
        assert_eq!(verdict(&payload, OLD), expected);
    }
    for (name, rule) in [
        ("provider", "must be openai, anthropic, google or xai"),
        ("mode", "must be closed_capability"),
    ] {
        let expected = format!("{name}: required field is missing | {name}: {rule}");
        check(name, json!(null), &expected);
    }
}

#[test]
fn blank_texts_are_refused() {
    for name in [
        "round_id",
        "model_id",
        "rationale_summary",
        "portfolio_rationale",
        "key_risks.1",
        "portfolio.0.option_id",
        "portfolio.1.rationale",
        "portfolio.1.time_window_catalyst",
        "portfolio.1.invalidation_condition",
    ] {
        for blank in ["", " \n\t"] {
            check(name, json!(blank), &format!("{name}: must not be blank"));
        }
        check(name, json!(5), &format!("{name}: must be text"));
    }
    let blank = "selected_option_id: must not be blank";
    check_pick("selected_option_id", json!(" "), blank);
    check(
        "key_risks",
        json!("one"),
        "key_risks: must be a list of texts",
    );
    check("key_risks", json!([]), "ok");
    check(
        "portfolio",
        json!("AAA"),
        "portfolio: must be a list of objects | \
        portfolio: selected_option_id or portfolio is required",
    );
    check(
        "portfolio.0",
        json!("AAA"),
        "portfolio.0: must be an object",
    );
}

#[test]
fn ids_that_are_too_long_are_reported() {
    let long = json!("x".repeat(201));
    let told = |field: &str, kind: &str| {
        format!("{field}: the {kind} has 201 bytes; at most 200 are allowed")
    };
    check("model_id", long.clone(), &told("model_id", "model id"));
    check("round_id", long.clone(), &told("round_id", "round id"));
    let field = "portfolio.0.option_id";
    check(field, long.clone(), &told(field, "option id"));
    let field = "selected_option_id";
    check_pick(field, long, &told(field, "option id"));
    let path = json!("../elsewhere");
    let text = verdict_after("round_id", path);
    assert!(text.contains("cannot be a folder name"), "{text}");
}

fn verdict_after(path: &str, value: Value) -> String {
    let mut payload = portfolio_payload();
    set(&mut payload, path, value);
    verdict(&payload, OLD)
}

#[test]
fn numbers_stay_in_their_range() {
    check(
        "confidence",
        json!(1.2),
        "confidence: 1.2 is outside 0 to 1",
    );
    check(
        "confidence",
        json!(-0.1),
        "confidence: -0.1 is outside 0 to 1",
    );
    check("confidence", json!(0), "ok");
    check("confidence", json!(1.0), "ok");
    check(
        "confidence",
        json!("NaN"),
        "confidence: must be a finite number",
    );
    check("cost_usd", json!(-0.01), "cost_usd: -0.01 is below 0");
    check("cost_usd", json!(0), "ok");
    let percent = "portfolio.0.allocation_pct";
    check(
        percent,
        json!(0),
        &format!("{percent}: 0 is outside 1 to 100"),
    );
    check(
        percent,
        json!(101),
        &format!("{percent}: 101 is outside 1 to 100"),
    );
    check(
        percent,
        json!(-5),
        &format!("{percent}: -5 is outside 1 to 100"),
    );
    check(
        percent,
        json!([40]),
        &format!("{percent}: must be a whole number"),
    );
    check(
        "expected_alpha_vs_sp500_pct",
        json!([]),
        "expected_alpha_vs_sp500_pct: must be a finite number",
    );
}

#[test]
fn provider_and_mode_are_the_known_ones_under_the_old_labels() {
    check(
        "provider",
        json!("acme"),
        "provider: must be openai, anthropic, google or xai",
    );
    check("mode", json!("open"), "mode: must be closed_capability");
    let mut payload = portfolio_payload();
    set(&mut payload, "provider", json!("acme"));
    assert_eq!(
        verdict(&payload, OURS),
        "ok",
        "our roster names its providers"
    );
    set(&mut payload, "mode", json!("open"));
    assert_eq!(verdict(&payload, OURS), "mode: must be closed_capability");
}

#[test]
fn all_problems_of_one_step_are_told_together_and_later_steps_are_not() {
    let mut payload = portfolio_payload();
    set(&mut payload, "portfolio.0.option_id", json!("ZZZ"));
    set(&mut payload, "round_id", json!("ANOTHER"));
    set(&mut payload, "run_type", json!("stability"));
    let options = "portfolio.0: ZZZ is not an option of this round";
    assert_eq!(verdict(&payload, OLD), options);
    set(&mut payload, "portfolio.0.option_id", json!("BBB"));
    let round = "round_id: is ANOTHER, not CB-TEST-1W";
    assert_eq!(verdict(&payload, OLD), round);
    set(&mut payload, "round_id", json!("CB-TEST-1W"));
    assert_eq!(verdict(&payload, OLD), "run_type: must be official");
    set(&mut payload, "confidence", json!(2));
    set(&mut payload, "note", json!(""));
    let fields = "note: unknown field | confidence: 2 is outside 0 to 1";
    assert_eq!(verdict(&payload, OLD), fields);
    set(&mut payload, "selections", json!([]));
    let plural = "selections: exactly one selected_option_id or one portfolio is allowed";
    assert_eq!(verdict(&payload, OLD), plural);
}
