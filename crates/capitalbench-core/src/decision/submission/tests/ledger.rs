use super::forecast::{check, entry, payload};
use super::*;

#[test]
fn the_ledger_has_six_to_eight_known_options_once_each() {
    let base = payload()["candidate_ledger"].as_array().unwrap().clone();
    let with = |more: &[&str]| {
        let added = more.iter().map(|id| entry(id, "rejected", 0.0));
        json!(base.iter().cloned().chain(added).collect::<Vec<Value>>())
    };
    let check_ledger = |ledger: Value, expected: &str| {
        check(&[("candidate_ledger", ledger)], expected);
    };
    check_ledger(
        json!(base[..5]),
        "candidate_ledger: has 5 entries; 6 to 8 are allowed",
    );
    check_ledger(with(&["OIL"]), "ok");
    check_ledger(with(&["OIL", "SOFTWARE"]), "ok");
    let nine = "candidate_ledger: has 9 entries; 6 to 8 are allowed";
    check_ledger(with(&["OIL", "SOFTWARE", "MOMENTUM"]), nine);
    check_ledger(
        with(&["ENERGY"]),
        "candidate_ledger: ENERGY is listed twice",
    );
    check_ledger(
        with(&["ZZZ"]),
        "candidate_ledger: ZZZ is not an option of this round",
    );
    let empty = json!([]);
    check_ledger(
        empty,
        "candidate_ledger: has 0 entries; 6 to 8 are allowed | \
        candidate_ledger: spans 0 economic exposures; at least 4 are required | \
        candidate_ledger: selected entries and holdings are not the same options | \
        candidate_ledger: the reference must be one of the candidates",
    );
}

#[test]
fn the_ledger_spans_four_exposures() {
    let changes = |ids: [&str; 3]| {
        let path = [
            "candidate_ledger.3",
            "candidate_ledger.4",
            "candidate_ledger.5",
        ];
        let entry = |id| entry(id, "rejected", 0.0);
        [
            (path[0], entry(ids[0])),
            (path[1], entry(ids[1])),
            (path[2], entry(ids[2])),
        ]
    };
    // Technology, precious metals and diversified equity are there already.
    let told = "candidate_ledger: spans 3 economic exposures; at least 4 are required";
    check(
        &changes(["SOFTWARE", "MOMENTUM", "CYBERSECURITY"]),
        &format!("candidate_ledger: CYBERSECURITY is not an option of this round | {told}"),
    );
    let five_known = json!([
        entry("TECHNOLOGY", "selected", 2.0),
        entry("GOLD", "selected", 1.5),
        entry("SP500", "selected", 1.0),
        entry("SOFTWARE", "rejected", 0.0),
        entry("MOMENTUM", "rejected", 0.0),
    ]);
    check(
        &[("candidate_ledger", five_known)],
        &format!("candidate_ledger: has 5 entries; 6 to 8 are allowed | {told}"),
    );
    check(&changes(["SOFTWARE", "MOMENTUM", "OIL"]), "ok");
}

#[test]
fn evidence_is_one_to_three_texts_without_links() {
    let path = "candidate_ledger.1.evidence";
    for text in ["see http://a.b", "HTTPS://a.b", "at Www.a.b"] {
        let told = "candidate_ledger: evidence of GOLD contains a link";
        check(&[(path, json!(["fine", text]))], told);
    }
    check(&[(path, json!(["the web, https and www"]))], "ok");
    check(&[(path, json!(["a", "b", "c"]))], "ok");
    let count = format!("{path}: must hold 1 to 3 texts");
    check(&[(path, json!([]))], &count);
    check(&[(path, json!(["a", "b", "c", "d"]))], &count);
    check(
        &[(path, json!([" "]))],
        &format!("{path}.0: must not be blank"),
    );
}

#[test]
fn selected_candidates_are_exactly_the_holdings() {
    let told = "candidate_ledger: selected entries and holdings are not the same options";
    check(&[("candidate_ledger.1.decision", json!("rejected"))], told);
    check(&[("candidate_ledger.5.decision", json!("selected"))], told);
    let word = "candidate_ledger.1.decision: must be selected or rejected";
    check(&[("candidate_ledger.1.decision", json!("maybe"))], word);
}

#[test]
fn a_ledger_entry_has_exactly_its_fields_in_order() {
    for (name, value) in [
        ("note", json!("x")),
        ("forecast_note", json!(null)),
        ("rationale", json!("x")),
    ] {
        let path = format!("candidate_ledger.4.{name}");
        check(&[(&path, value)], &format!("{path}: unknown field"));
    }
    for name in [
        "option_id",
        "decision",
        "continuation_case",
        "reversal_case",
        "time_window_catalyst",
        "invalidation_condition",
    ] {
        let path = format!("candidate_ledger.4.{name}");
        check(
            &[(&path, json!(null))],
            &format!("{path}: required field is missing"),
        );
        check(
            &[(&path, json!(" "))],
            &format!("{path}: must not be blank"),
        );
    }
    let base = "candidate_ledger.4.forecast_base_pct";
    let order = format!("{base}: low, base and high must not decrease");
    check(
        &[("candidate_ledger.4.forecast_low_pct", json!(0.26))],
        &order,
    );
    check(
        &[("candidate_ledger.4.forecast_high_pct", json!(0.24))],
        &order,
    );
    check(
        &[("candidate_ledger.4.forecast_low_pct", json!(0.25))],
        "ok",
    );
    check(
        &[("candidate_ledger.4.forecast_high_pct", json!(0.25))],
        "ok",
    );
    check(
        &[("candidate_ledger.4", json!("ENERGY"))],
        "candidate_ledger.4: must be an object",
    );
    check(
        &[("candidate_ledger", json!({}))],
        "candidate_ledger: must be a list of objects",
    );
}
