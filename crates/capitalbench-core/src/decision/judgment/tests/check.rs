use super::*;
use proptest::prelude::*;

fn verdict(payload: &Value) -> String {
    judged(payload).map_or_else(|problems| problems, |_| "ok".to_owned())
}

/// What a judgment is told after one field was set.
fn check(path: &str, value: Value, expected: &str) {
    let mut payload = judgment();
    set(&mut payload, path, value);
    assert_eq!(verdict(&payload), expected, "{path}");
}

#[test]
fn a_judgment_needs_its_identifiers_and_fields() {
    assert_eq!(verdict(&judgment()), "ok");
    for (name, told) in [
        ("round_id", "is required"),
        ("model_id", "is required"),
        ("provider", "is required"),
        ("mode", "is required"),
        ("candidate_assessments", "is required"),
        ("top3_option_ids", "is required"),
        ("dispersion_state", "must be low, normal or high"),
        (
            "dominant_pattern",
            "must be continuation, reversal or mixed",
        ),
        ("prefer_spy", "must be true or false"),
        ("market_rationale", "must not be blank"),
        ("portfolio_rationale", "must not be blank"),
        ("key_risks", "must hold 2 to 5 texts"),
    ] {
        let expected = format!("{name}: {told}");
        check(name, Value::Null, &expected);
        let mut payload = judgment();
        unset(&mut payload, name);
        assert_eq!(verdict(&payload), expected);
    }
}

#[test]
fn judgment_fields_use_their_words() {
    for state in ["low", "normal", "high"] {
        check("dispersion_state", json!(state), "ok");
    }
    check(
        "dispersion_state",
        json!("HIGH"),
        "dispersion_state: must be low, normal or high",
    );
    for pattern in ["continuation", "reversal", "mixed"] {
        check("dominant_pattern", json!(pattern), "ok");
    }
    let pattern = "dominant_pattern: must be continuation, reversal or mixed";
    check("dominant_pattern", json!("trend"), pattern);
    for flag in [json!("true"), json!(1), json!([])] {
        check("prefer_spy", flag, "prefer_spy: must be true or false");
    }
    check(
        "market_rationale",
        json!(" "),
        "market_rationale: must not be blank",
    );
    check(
        "portfolio_rationale",
        json!(""),
        "portfolio_rationale: must not be blank",
    );
    let risks = "key_risks: must hold 2 to 5 texts";
    check("key_risks", json!(["a"]), risks);
    check("key_risks", json!(["a", "b", "c", "d", "e"]), "ok");
    check("key_risks", json!(["a", "b", "c", "d", "e", "f"]), risks);
    check("key_risks", json!(["a", " "]), risks);
    check("key_risks", json!(["a", 2]), risks);
    check(
        "anything_else",
        json!({"extra": "keys are fine here"}),
        "ok",
    );
}

/// What is told after one field of the second assessment was set.
fn check_one(name: &str, value: Value, expected: &str) {
    let expected = match expected {
        "ok" => "ok".to_owned(),
        told => format!("candidate_assessments.1: {told}"),
    };
    check(&format!("candidate_assessments.1.{name}"), value, &expected);
}

#[test]
fn an_assessment_names_a_known_option_that_is_not_cash() {
    for id in ["CASH", "ZZZ", "", "a02"] {
        let told = format!("{id:?} is not an option that can be assessed");
        check_one("option_id", json!(id), &told);
    }
    check_one(
        "option_id",
        json!(5),
        "\"\" is not an option that can be assessed",
    );
    check(
        "candidate_assessments.1",
        json!("A02"),
        "candidate_assessments.1: must be an object",
    );
    check_one("option_id", json!(" A02 "), "ok");
}

#[test]
fn an_assessment_repeats_the_lanes_of_the_slate_in_any_order() {
    let told = "A02: origin_lanes must be shock_reversal, volume_dislocation";
    check_one(
        "origin_lanes",
        json!(["volume_dislocation", "shock_reversal"]),
        "ok",
    );
    for lanes in [
        json!(["shock_reversal"]),
        json!(["shock_reversal", "volume_dislocation", "benchmark"]),
        json!(["shock_reversal", "shock_reversal", "volume_dislocation"]),
        json!(["wildcard"]),
        json!([]),
        json!("shock_reversal"),
        json!(null),
        json!(["shock_reversal", "volume_dislocation", 7]),
    ] {
        check_one("origin_lanes", lanes, told);
    }
}

#[test]
fn an_assessment_uses_the_allowed_words() {
    for word in [
        "continuation",
        "reversal",
        "catalyst",
        "defensive",
        "no_edge",
    ] {
        check_one("mechanism", json!(word), "ok");
    }
    for word in [json!("luck"), json!(null)] {
        check_one(
            "mechanism",
            word,
            "A02: mechanism is not one of the allowed words",
        );
    }
    for word in [
        "overreaction",
        "fundamental_deterioration",
        "supported_continuation",
        "no_edge",
    ] {
        check_one("recent_return_interpretation", json!(word), "ok");
    }
    let told = "A02: recent_return_interpretation is not allowed";
    check_one("recent_return_interpretation", json!("Overreaction!"), told);
}

#[test]
fn probabilities_and_quantiles_are_numbers_in_order() {
    for name in ["p_beat_spy_pct", "p_top3_pct"] {
        check_one(name, json!(0), "ok");
        check_one(name, json!(100.0), "ok");
        check_one(name, json!(100.1), &format!("A02: {name} must be 0 to 100"));
        check_one(name, json!(-1), &format!("A02: {name} must be 0 to 100"));
        check_one(name, json!("50"), &format!("A02: {name} must be a number"));
        check_one(name, json!(null), &format!("A02: {name} must be a number"));
    }
    let order = "A02: excess return quantiles must not decrease";
    check_one("excess_return_p10_pct", json!(0.1), order);
    check_one("excess_return_p10_pct", json!(0), "ok");
    check_one("excess_return_p90_pct", json!(-0.1), order);
    check_one("excess_return_p90_pct", json!(0), "ok");
    let number = "A02: excess_return_p50_pct must be a number";
    check_one("excess_return_p50_pct", json!(true), number);
}

#[test]
fn evidence_is_one_to_three_texts_without_links() {
    let told = "A02: evidence must be 1 to 3 texts without links";
    check_one("evidence", json!(["a", "b", "c"]), "ok");
    for bad in [
        json!([]),
        json!(["a", "b", "c", "d"]),
        json!([" "]),
        json!([1]),
        json!("a"),
        json!(["see HTTPS://a.b"]),
        json!(["www.a.b"]),
    ] {
        check_one("evidence", bad, told);
    }
}

#[test]
fn ranks_run_from_one_without_gaps_and_the_top_three_follow_them() {
    let gaps = "candidate_assessments: ranks must be 1, 2, 3 … without gaps";
    check("candidate_assessments.13.rank", json!(15), gaps);
    check("candidate_assessments.13.rank", json!(1), gaps);
    check("candidate_assessments.13.rank", json!(0), gaps);
    for bad in [json!("2"), json!(-2), json!(1.5), json!(null)] {
        check_one("rank", bad, "A02: rank must be a whole number");
    }
    let top3 = "top3_option_ids: must be the options of ranks 1, 2 and 3, in that order";
    for bad in [
        json!(["A02", "A01", "A03"]),
        json!(["A01", "A02"]),
        json!(["A01", "A02", "A03", "A04"]),
        json!(["A01", "A02", "A04"]),
        json!("A01"),
        json!([]),
    ] {
        check("top3_option_ids", bad, top3);
    }
    let mut swapped = judgment();
    set(&mut swapped, "candidate_assessments.0.rank", json!(2));
    set(&mut swapped, "candidate_assessments.1.rank", json!(1));
    assert_eq!(verdict(&swapped), top3);
    set(
        &mut swapped,
        "top3_option_ids",
        json!(["A02", "A01", "A03"]),
    );
    assert_eq!(verdict(&swapped), "ok");
}

#[test]
fn the_whole_slate_is_assessed_once_with_at_most_two_additions() {
    let told = |text: &str| format!("candidate_assessments: {text}");
    assert_eq!(verdict(&with_wildcards(&["A14"])), "ok");
    assert_eq!(verdict(&with_wildcards(&["A14", "A15"])), "ok");
    let three = told("has 17 entries; 14 to 16 are allowed");
    assert_eq!(verdict(&with_wildcards(&["A14", "A15", "A15"])), three);
    let twice = told("an option is assessed twice");
    assert_eq!(verdict(&with_wildcards(&["A14", "A14"])), twice);
    let mut short = judgment();
    unset(&mut short, "candidate_assessments.13");
    assert_eq!(
        verdict(&short),
        told("has 13 entries; 14 to 16 are allowed")
    );
    let missing = assessment("A14", 14, &["wildcard"]);
    check(
        "candidate_assessments.13",
        missing,
        &told("SP500 of the slate is missing"),
    );
    check("candidate_assessments", json!({}), &told("must be a list"));
    let lanes = "candidate_assessments.14: A14: origin_lanes must be wildcard";
    let mut wrong = with_wildcards(&["A14"]);
    set(
        &mut wrong,
        "candidate_assessments.14.origin_lanes",
        json!(["shock_reversal"]),
    );
    assert_eq!(verdict(&wrong), lanes);
}

#[test]
fn a_judgment_is_still_checked_as_a_submission() {
    check(
        "round_id",
        json!("ANOTHER"),
        "round_id: is ANOTHER, not CB-TEST-1W",
    );
    check("mode", json!("open"), "mode: must be closed_capability");
    check(
        "is_official_score",
        json!(false),
        "is_official_score: must be true",
    );
    check("cost_usd", json!(-1), "cost_usd: -1 is below 0");
    let slateless = judged_with(&judgment(), None, PayloadForm::Raw).unwrap_err();
    assert!(slateless.contains("no candidate slate"), "{slateless}");
}

fn odd() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
        Just(json!("overreaction")),
    ];
    leaf.prop_recursive(2, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec(("[a-z_]{1,8}", inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_judgment_with_one_odd_place_is_answered(
        field in 0..16_usize,
        entry in 0..14_usize,
        member in 0..11_usize,
        with in odd(),
    ) {
        let mut outer = judgment();
        let name = outer.as_object().unwrap().keys().nth(field).unwrap().clone();
        set(&mut outer, &name, with.clone());
        let mut inner = judgment();
        let entry = &mut inner["candidate_assessments"][entry];
        *entry.as_object_mut().unwrap().iter_mut().nth(member).unwrap().1 = with;
        for payload in [outer, inner] {
            match judged(&payload) {
                Ok(submission) => {
                    let holdings = submission.decision.holdings();
                    let total: u32 = holdings.iter().map(|h| h.weight.get()).sum();
                    prop_assert_eq!(total, 10_000);
                }
                Err(told) => prop_assert!(!told.is_empty()),
            }
        }
    }
}
