use super::*;
use crate::values::units::BasisPoints;
use proptest::prelude::*;

const OVER: &str = "overreaction";

/// A judgment whose best ranks are read and rated like this.
fn rated(rows: &[(&str, f64)]) -> Value {
    let mut payload = judgment();
    for (index, (reading, percent)) in rows.iter().enumerate() {
        let at = |name: &str| format!("candidate_assessments.{index}.{name}");
        set(
            &mut payload,
            &at("recent_return_interpretation"),
            json!(reading),
        );
        set(&mut payload, &at("p_beat_spy_pct"), json!(percent));
    }
    payload
}

/// `A01 35, SP500 65` and the confidence.
fn outcome(payload: &Value) -> (String, f64) {
    let submission = judged(payload).unwrap();
    let shown = |h: &crate::decision::portfolio::Holding| {
        format!("{} {}", h.option_id, h.weight.get() / 100)
    };
    let holdings: Vec<String> = submission.decision.holdings().iter().map(shown).collect();
    (holdings.join(", "), submission.confidence)
}

fn check(rows: &[(&str, f64)], holdings: &str, confidence: f64) {
    let found = outcome(&rated(rows));
    assert_eq!(found.0, holdings, "{rows:?}");
    assert_eq!(found.1.to_bits(), confidence.to_bits(), "{rows:?}");
}

#[test]
fn unused_slots_go_to_the_reference() {
    check(&[], "SP500 100", 0.5);
    check(&[(OVER, 60.0)], "A01 35, SP500 65", 0.6);
    check(
        &[(OVER, 60.0), (OVER, 70.0)],
        "A01 35, A02 35, SP500 30",
        0.65,
    );
    let three = [(OVER, 60.0), (OVER, 70.0), (OVER, 80.0)];
    check(&three, "A01 35, A02 35, A03 30", 0.7);
    let four = [(OVER, 60.0), (OVER, 70.0), (OVER, 80.0), (OVER, 99.0)];
    check(&four, "A01 35, A02 35, A03 30", 0.7);
}

#[test]
fn only_overreactions_at_or_above_the_hurdle_are_picked() {
    check(&[(OVER, 55.0)], "A01 35, SP500 65", 0.55);
    check(&[(OVER, 54.9)], "SP500 100", 0.5);
    for reading in [
        "fundamental_deterioration",
        "supported_continuation",
        "no_edge",
    ] {
        check(&[(reading, 99.0)], "SP500 100", 0.5);
    }
    let mixed = [("no_edge", 99.0), (OVER, 50.0), (OVER, 60.0), (OVER, 56.0)];
    check(&mixed, "A03 35, A04 35, SP500 30", 0.58);
}

#[test]
fn the_reference_itself_is_never_a_pick() {
    let mut payload = rated(&[(OVER, 60.0)]);
    let last = "candidate_assessments.13.";
    set(
        &mut payload,
        &format!("{last}recent_return_interpretation"),
        json!(OVER),
    );
    set(&mut payload, &format!("{last}p_beat_spy_pct"), json!(100));
    assert_eq!(outcome(&payload).0, "A01 35, SP500 65");
}

#[test]
fn confidence_is_the_picks_mean_to_four_decimals_half_to_even() {
    check(
        &[(OVER, 60.0), (OVER, 61.0), (OVER, 61.5)],
        "A01 35, A02 35, A03 30",
        0.6083,
    );
    check(&[(OVER, 65.625)], "A01 35, SP500 65", 0.6562);
    check(&[(OVER, 59.375)], "A01 35, SP500 65", 0.5938);
    check(&[(OVER, 100.0)], "A01 35, SP500 65", 1.0);
}

#[test]
fn a_wildcard_may_be_picked_and_ranks_decide_the_slots() {
    let mut payload = with_wildcards(&["A14"]);
    let wild = "candidate_assessments.14.";
    set(&mut payload, &format!("{wild}rank"), json!(1));
    set(
        &mut payload,
        &format!("{wild}recent_return_interpretation"),
        json!(OVER),
    );
    set(&mut payload, &format!("{wild}p_beat_spy_pct"), json!(58));
    set(&mut payload, "candidate_assessments.0.rank", json!(15));
    set(
        &mut payload,
        "candidate_assessments.0.recent_return_interpretation",
        json!(OVER),
    );
    set(
        &mut payload,
        "candidate_assessments.0.p_beat_spy_pct",
        json!(90),
    );
    set(
        &mut payload,
        "top3_option_ids",
        json!(["A14", "A02", "A03"]),
    );
    assert_eq!(outcome(&payload).0, "A14 35, A01 35, SP500 30");
}

#[test]
fn a_preference_for_the_reference_changes_nothing() {
    let mut payload = rated(&[(OVER, 60.0)]);
    let without = outcome(&payload);
    set(&mut payload, "prefer_spy", json!(true));
    assert_eq!(outcome(&payload), without);
}

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn the_submission_says_how_it_was_built() {
    let payload = rated(&[(OVER, 60.0)]);
    let submission = judged(&payload).unwrap();
    assert_eq!(submission.rationale_summary, "calm");
    assert_eq!(submission.portfolio_rationale.as_deref(), Some("by rule"));
    assert_eq!(submission.key_risks, ["one", "two"]);
    let record = &submission.metadata["portfolio_v3"];
    let expected = [
        "methodology_version",
        "candidate_slate_option_ids",
        "candidate_assessments",
        "top3_option_ids",
        "prefer_spy",
        "dispersion_state",
        "dominant_pattern",
        "market_rationale",
        "confidence_derivation",
        "deterministic_allocation",
    ];
    assert_eq!(keys(record), expected);
    for given in [
        "candidate_assessments",
        "top3_option_ids",
        "market_rationale",
        "prefer_spy",
    ] {
        assert_eq!(record[given], payload[given], "kept as given");
    }
    assert_eq!(
        record["candidate_slate_option_ids"],
        json!(slate().option_ids())
    );
    let built = &record["deterministic_allocation"];
    let expected = [
        "methodology_version",
        "benchmark_option_id",
        "minimum_beat_spy_probability_pct",
        "slot_weights_pct",
        "selected_active_option_ids",
        "allocation_pct",
        "decisions",
    ];
    assert_eq!(keys(built), expected);
    assert_eq!(
        built["minimum_beat_spy_probability_pct"].to_string(),
        "55.0"
    );
    assert_eq!(built["slot_weights_pct"].to_string(), "[35.0,35.0,30.0]");
    assert_eq!(
        built["allocation_pct"].to_string(),
        r#"{"A01":35.0,"SP500":65.0}"#
    );
    assert_eq!(built["selected_active_option_ids"], json!(["A01"]));
}

#[test]
fn every_decision_has_its_reason_in_rank_order() {
    let rows = [
        (OVER, 60.0),
        ("no_edge", 90.0),
        (OVER, 40.0),
        (OVER, 55.0),
        (OVER, 56.0),
        (OVER, 57.0),
    ];
    let submission = judged(&rated(&rows)).unwrap();
    let decisions = &submission.metadata["portfolio_v3"]["deterministic_allocation"]["decisions"];
    let decisions = decisions.as_array().unwrap();
    let shown = |d: &Value| {
        let flags = (
            d["eligible"].as_bool().unwrap(),
            d["selected"].as_bool().unwrap(),
        );
        format!("{} {} {flags:?} {}", d["rank"], d["option_id"], d["reason"]).replace('"', "")
    };
    let found: Vec<String> = decisions.iter().map(shown).collect();
    assert_eq!(found.len(), 14);
    let expected = [
        "1 A01 (true, true) eligible",
        "2 A02 (false, false) not_overreaction",
        "3 A03 (false, false) below_probability_hurdle",
        "4 A04 (true, true) eligible",
        "5 A05 (true, true) eligible",
        "6 A06 (true, false) outside_available_slots",
    ];
    assert_eq!(found[..6], expected);
    assert_eq!(found[13], "14 SP500 (false, false) benchmark_fallback");
    let members = [
        "option_id",
        "rank",
        "recent_return_interpretation",
        "p_beat_spy_pct",
        "eligible",
        "selected",
        "reason",
    ];
    assert_eq!(keys(&decisions[0]), members);
}

#[test]
fn a_parsed_file_is_read_as_a_portfolio_without_a_slate() {
    let mut parsed = payload_base();
    for (name, value) in [
        (
            "portfolio",
            json!([{"option_id": "A01", "allocation_pct": 100, "rationale": "x"}]),
        ),
        ("confidence", json!(0.6)),
        ("rationale_summary", json!("x")),
        ("portfolio_rationale", json!("x")),
        ("key_risks", json!(["a", "b"])),
        ("metadata", json!({"portfolio_v3": {}})),
    ] {
        set(&mut parsed, name, value);
    }
    let submission = judged_with(&parsed, None, PayloadForm::Parsed).unwrap();
    assert_eq!(submission.decision.holdings()[0].weight, BasisPoints::WHOLE);
    assert!(
        judged(&parsed).is_err(),
        "a raw file must hold the judgment"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_construction_is_whole_and_bounded(
        rows in proptest::collection::vec((proptest::bool::ANY, 0.0..=100.0_f64), 0..13),
    ) {
        let readings: Vec<(&str, f64)> = rows
            .iter()
            .map(|(over, percent)| (if *over { OVER } else { "no_edge" }, *percent))
            .collect();
        let submission = judged(&rated(&readings)).unwrap();
        let holdings = submission.decision.holdings();
        let total: BasisPoints = holdings.iter().map(|h| h.weight).sum();
        prop_assert_eq!(total, BasisPoints::WHOLE);
        let eligible = readings.iter().filter(|(r, p)| *r == OVER && *p >= HURDLE_PCT).count();
        let picks = holdings.iter().filter(|h| h.option_id.as_str() != REFERENCE_ID).count();
        prop_assert_eq!(picks, eligible.min(3));
        prop_assert!((0.5..=1.0).contains(&submission.confidence));
    }
}
