use super::*;
use crate::test_support::universe_of;
use crate::values::ids::RunId;
use proptest::prelude::*;

const LABELS: [&str; 7] = [
    "single_pick-v1.0",
    "single_pick-v1.1",
    "portfolio-v1.0",
    "portfolio-v1.1",
    "portfolio-v2.0-pilot",
    "portfolio-v2.2",
    "portfolio-v3.0",
];

/// Names that the reader knows, so that arbitrary trees reach the deeper checks.
const NAMES: [&str; 34] = [
    "round_id",
    "model_id",
    "provider",
    "mode",
    "selected_option_id",
    "selections",
    "portfolio",
    "option_id",
    "allocation_pct",
    "rationale",
    "confidence",
    "rationale_summary",
    "portfolio_rationale",
    "key_risks",
    "benchmark_expected_return_pct",
    "portfolio_expected_return_pct",
    "expected_alpha_vs_sp500_pct",
    "expected_return_pct",
    "candidate_ledger",
    "decision",
    "evidence",
    "forecast_low_pct",
    "forecast_base_pct",
    "forecast_high_pct",
    "run_type",
    "replicate_index",
    "is_official_score",
    "usage",
    "input_tokens",
    "total_tokens",
    "metadata",
    "candidate_assessments",
    "top3_option_ids",
    "rank",
];

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (0..120_i64).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        "[-+]?[0-9]{0,40}[.]?[0-9]{0,3}(e[0-9]{1,3})?".prop_map(Value::from),
        proptest::sample::select(&["AAA", "SP500", "CASH", "official", "selected", "openai"][..])
            .prop_map(Value::from),
    ]
}

fn tree() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(4, 48, 6, |inner| {
        let name = prop_oneof![
            4 => proptest::sample::select(&NAMES[..]).prop_map(str::to_owned),
            1 => ".{0,6}",
        ];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::vec((name, inner), 0..8)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// Validates under every label; a refusal must give at least one reason.
fn answer(payload: &Value) -> Result<(), TestCaseError> {
    let universe = universe_of(&["AAA", "BBB", "CCC", "SP500", "CASH"]);
    for label in LABELS {
        let manifest = manifest(label);
        let rules = RoundRules {
            manifest: &manifest,
            universe: &universe,
            slate: None,
            run: OFFICIAL,
        };
        for stage in [PayloadForm::Raw, PayloadForm::Parsed] {
            if let Err(problems) = validate(payload, stage, &rules) {
                prop_assert!(!problems.is_empty(), "{label} {stage:?} {payload}");
            }
        }
    }
    Ok(())
}

/// Replaces one place of a value, picked by a number, with another value.
fn replace(value: &mut Value, place: usize, with: &Value) {
    match value {
        Value::Object(object) if place > 0 && !object.is_empty() => {
            let index = place % object.len();
            let inner = object.iter_mut().nth(index).unwrap().1;
            replace(inner, place / 16, with);
        }
        Value::Array(items) if place > 0 && !items.is_empty() => {
            let index = place % items.len();
            replace(&mut items[index], place / 16, with);
        }
        _ => *value = with.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn any_tree_is_answered_with_a_submission_or_a_reason(payload in tree()) {
        answer(&payload)?;
    }

    #[test]
    fn a_valid_payload_with_one_odd_place_is_answered(
        place in 1..4096_usize,
        with in tree(),
    ) {
        for mut payload in [portfolio_payload(), pick_payload()] {
            replace(&mut payload, place, &with);
            answer(&payload)?;
        }
    }

    #[test]
    fn any_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let text = String::from_utf8_lossy(&bytes);
        if let Some(payload) = reply::find_object(&text) {
            answer(&payload)?;
        }
        if let Ok(payload) = serde_json::from_slice(&bytes) {
            answer(&payload)?;
        }
    }

    #[test]
    fn a_cut_reply_is_answered(cut in 0..2000_usize, before in ".{0,10}", after in ".{0,10}") {
        let text = portfolio_payload().to_string();
        let cut = text.floor_char_boundary(cut.min(text.len()));
        let reply = format!("{before}{}{after}", &text[..cut]);
        if let Some(payload) = reply::find_object(&reply) {
            answer(&payload)?;
        }
    }

    #[test]
    fn ids_of_any_text_are_plain_names_or_errors(text in "(\\PC|[./\\\\\\x00-\\x1f ]){0,210}") {
        let _ = (ModelId::parse(&text), OptionId::parse(&text), RoundId::parse(&text));
        if let Ok(id) = RunId::parse(&text) {
            let name = id.as_str();
            prop_assert_eq!(name, text.trim());
            prop_assert!(!name.is_empty() && name != "." && name != "..");
            prop_assert!(!name.contains(['/', '\\', '\n', '\0']));
        }
        if let Ok(id) = ModelId::parse(&text) {
            prop_assert!(!id.file_stem().contains(['/', '\\', ' ', '\0']));
        }
    }

    #[test]
    fn holdings_keep_the_submitted_order(order in Just([0, 1, 2, 3, 4]).prop_shuffle()) {
        let ids = ["AAA", "BBB", "CCC", "SP500", "CASH"];
        let weights = [30, 25, 20, 15, 10];
        let holdings: Vec<Value> = order.iter().map(|&i| {
            json!({"option_id": ids[i], "allocation_pct": weights[i], "rationale": ids[i]})
        }).collect();
        let mut payload = portfolio_payload();
        set(&mut payload, "portfolio", json!(holdings));
        let holdings = judged(&payload, OLD).unwrap().decision.holdings();
        let found: Vec<(&str, u32)> = holdings
            .iter()
            .map(|h| (h.option_id.as_str(), h.weight.get() / 100))
            .collect();
        let expected: Vec<(&str, u32)> = order.iter().map(|&i| (ids[i], weights[i])).collect();
        prop_assert_eq!(found, expected);
    }
}
