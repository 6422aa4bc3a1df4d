use super::*;
use crate::test_support::universe_of;

const PILOT: &str = "portfolio-v2.0-pilot";
const LEDGER: [&str; 2] = ["portfolio-v2.0", "portfolio-v2.2"];

const OPTIONS: [&str; 10] = [
    "SP500",
    "CASH",
    "SHORT_TREASURY",
    "TECHNOLOGY",
    "SOFTWARE",
    "GOLD",
    "HEALTHCARE",
    "ENERGY",
    "OIL",
    "MOMENTUM",
];

pub(super) fn entry(id: &str, decision: &str, base: f64) -> Value {
    json!({
        "option_id": id,
        "decision": decision,
        "forecast_low_pct": base - 3.0,
        "forecast_base_pct": base,
        "forecast_high_pct": base + 3.0,
        "evidence": ["a fact"],
        "continuation_case": "goes on",
        "reversal_case": "turns",
        "time_window_catalyst": "a report",
        "invalidation_condition": "a fall",
    })
}

fn held(id: &str, percent: u32, expected: f64) -> Value {
    json!({
        "option_id": id,
        "allocation_pct": percent,
        "rationale": "x",
        "expected_return_pct": expected,
        "time_window_catalyst": "a report",
        "invalidation_condition": "a fall",
    })
}

/// Half technology, some gold, the rest the reference; 1.65 against 1.0 percent expected.
pub(super) fn payload() -> Value {
    let mut payload = portfolio_payload();
    let holdings = [
        held("TECHNOLOGY", 50, 2.0),
        held("GOLD", 30, 1.5),
        held("SP500", 20, 1.0),
    ];
    set(&mut payload, "portfolio", json!(holdings));
    set(&mut payload, "benchmark_expected_return_pct", json!(1.0));
    set(&mut payload, "portfolio_expected_return_pct", json!(1.65));
    set(&mut payload, "expected_alpha_vs_sp500_pct", json!(0.65));
    let ledger = [
        entry("TECHNOLOGY", "selected", 2.0),
        entry("GOLD", "selected", 1.5),
        entry("SP500", "selected", 1.0),
        entry("HEALTHCARE", "rejected", 0.5),
        entry("ENERGY", "rejected", 0.25),
        entry("CASH", "rejected", 0.0),
    ];
    set(&mut payload, "candidate_ledger", json!(ledger));
    payload
}

fn told(label: &str, cap: Option<u32>, payload: &Value) -> String {
    let mut manifest = manifest(label);
    manifest.constraints.max_exposure_pct = cap;
    let universe = universe_of(&OPTIONS);
    let rules = RoundRules {
        manifest: &manifest,
        universe: &universe,
        slate: None,
        run: OFFICIAL,
    };
    let found = joined(validate(payload, PayloadForm::Raw, &rules));
    found.map_or_else(|problems| problems, |_| "ok".to_owned())
}

/// What both ledger methodologies say after some fields were set.
pub(super) fn check(changes: &[(&str, Value)], expected: &str) {
    let mut payload = payload();
    for (path, value) in changes {
        set(&mut payload, path, value.clone());
    }
    for label in LEDGER {
        assert_eq!(told(label, None, &payload), expected, "{label} {changes:?}");
    }
}

fn check_pilot(changes: &[(&str, Value)], expected: &str) {
    let mut payload = payload();
    unset(&mut payload, "candidate_ledger");
    for (path, value) in changes {
        set(&mut payload, path, value.clone());
    }
    assert_eq!(told(PILOT, None, &payload), expected, "{changes:?}");
}

#[test]
fn a_complete_forecast_is_valid_with_or_without_a_ledger_as_the_label_says() {
    check(&[], "ok");
    check_pilot(&[], "ok");
    check(
        &[("candidate_ledger", json!(null))],
        "candidate_ledger: is required by this methodology",
    );
    let one = json!([entry("GOLD", "rejected", 0.0)]);
    check_pilot(&[("candidate_ledger", one)], "ok");
    let mut plain = payload();
    for name in ["candidate_ledger", "portfolio_expected_return_pct"] {
        unset(&mut plain, name);
    }
    assert_eq!(
        told(OLD, None, &plain),
        "ok",
        "forecasts are optional before"
    );
}

#[test]
fn every_forecast_is_required() {
    for name in [
        "benchmark_expected_return_pct",
        "portfolio_expected_return_pct",
        "expected_alpha_vs_sp500_pct",
    ] {
        let told = "benchmark, portfolio and alpha forecasts are required by this methodology";
        check(&[(name, json!(null))], told);
        check_pilot(&[(name, json!(null))], told);
    }
    for name in [
        "expected_return_pct",
        "time_window_catalyst",
        "invalidation_condition",
    ] {
        let path = format!("portfolio.1.{name}");
        let told = "portfolio.1: needs expected_return_pct, time_window_catalyst \
                    and invalidation_condition";
        check(&[(&path, json!(null))], told);
        check_pilot(&[(&path, json!(null))], told);
    }
}

#[test]
fn alpha_is_portfolio_minus_benchmark_within_a_tenth() {
    let check_alpha = |alpha: f64, holds: bool| {
        let told = "expected_alpha_vs_sp500_pct: \
                    differs from portfolio minus benchmark forecast by more than 0.10";
        let expected = if holds { "ok" } else { told };
        check(&[("expected_alpha_vs_sp500_pct", json!(alpha))], expected);
        check_pilot(&[("expected_alpha_vs_sp500_pct", json!(alpha))], expected);
    };
    check_alpha(0.74, true);
    check_alpha(0.76, false);
    check_alpha(0.56, true);
    check_alpha(0.54, false);
}

#[test]
fn the_portfolio_forecast_is_the_weighted_one_within_two_tenths() {
    let check_total = |total: f64, holds: bool| {
        let told = "portfolio_expected_return_pct: \
                    differs from the weighted holdings' 1.65 by more than 0.20";
        let expected = if holds { "ok" } else { told };
        let changes = [
            ("portfolio_expected_return_pct", json!(total)),
            ("expected_alpha_vs_sp500_pct", json!(total - 1.0)),
        ];
        check(&changes, expected);
        check_pilot(&changes, expected);
    };
    check_total(1.84, true);
    check_total(1.86, false);
    check_total(1.46, true);
    check_total(1.44, false);
}

#[test]
fn the_reference_is_a_candidate_with_the_stated_forecast() {
    let gone = [(
        "candidate_ledger.2",
        entry("SHORT_TREASURY", "rejected", 0.1),
    )];
    check(
        &gone,
        "candidate_ledger: selected entries and holdings are not the same options | \
        candidate_ledger: the reference must be one of the candidates",
    );
    let check_base = |base: f64, expected: &str| {
        // The reference's own holding moves along, so that only the stated forecast differs.
        let changes = [
            ("candidate_ledger.2", entry("SP500", "selected", base)),
            ("portfolio.2.expected_return_pct", json!(base)),
        ];
        check(&changes, expected);
    };
    let told = "benchmark_expected_return_pct: \
                differs from the reference's base forecast by more than 0.10";
    check_base(1.09, "ok");
    check_base(1.11, told);
    check_base(0.91, "ok");
    check_base(0.89, told);
}

#[test]
fn a_holdings_forecast_is_its_base_forecast_within_a_tenth() {
    let check_base = |base: f64, holds: bool| {
        let told = "portfolio.1: expected return differs from its base forecast by more than 0.10";
        let expected = if holds { "ok" } else { told };
        check(
            &[("candidate_ledger.1", entry("GOLD", "selected", base))],
            expected,
        );
    };
    check_base(1.59, true);
    check_base(1.61, false);
    check_base(1.41, true);
    check_base(1.39, false);
}

/// Replaces gold by another option with this forecast; the sums are kept in order.
fn instead_of_gold(id: &str, base: f64) -> [(&'static str, Value); 4] {
    let total = 1.0 + 0.3 * base + 0.2;
    [
        ("candidate_ledger.1", entry(id, "selected", base)),
        ("portfolio.1", held(id, 30, base)),
        ("portfolio_expected_return_pct", json!(total)),
        ("expected_alpha_vs_sp500_pct", json!(total - 1.0)),
    ]
}

#[test]
fn a_holding_must_be_thought_to_beat_the_reference_unless_it_is_cash() {
    let told = |id: &str| format!("portfolio.1: {id}: base forecast must exceed the reference's");
    check(&instead_of_gold("GOLD", 1.01), "ok");
    check(&instead_of_gold("GOLD", 1.0), &told("GOLD"));
    check(&instead_of_gold("GOLD", 0.5), &told("GOLD"));
    check(
        &instead_of_gold("SHORT_TREASURY", 0.1),
        &told("SHORT_TREASURY"),
    );
    let mut cash = instead_of_gold("CASH", 0.0).to_vec();
    cash.push(("candidate_ledger.5", entry("OIL", "rejected", 0.0)));
    check(&cash, "ok");
}

/// Two holdings besides the reference: technology and the given option.
fn exposed(first: u32, id: &str, second: u32) -> Value {
    let mut payload = payload();
    let rest = 100 - first - second;
    let mut holdings = vec![held("TECHNOLOGY", first, 2.0), held(id, second, 2.0)];
    if rest > 0 {
        holdings.push(held("SP500", rest, 1.0));
    }
    let decision = if rest > 0 { "selected" } else { "rejected" };
    let total = f64::from(first + second) * 0.02 + f64::from(rest) * 0.01;
    set(&mut payload, "portfolio", json!(holdings));
    set(&mut payload, "portfolio_expected_return_pct", json!(total));
    set(
        &mut payload,
        "expected_alpha_vs_sp500_pct",
        json!(total - 1.0),
    );
    set(
        &mut payload,
        "candidate_ledger.1",
        entry(id, "selected", 2.0),
    );
    set(
        &mut payload,
        "candidate_ledger.2",
        entry("SP500", decision, 1.0),
    );
    payload
}

#[test]
fn one_economic_exposure_is_capped_at_half_unless_the_manifest_says_otherwise() {
    let check = |payload: &Value, cap: Option<u32>, expected: &str| {
        for label in LEDGER {
            assert_eq!(told(label, cap, payload), expected, "{label} {cap:?}");
        }
        assert_eq!(told(PILOT, cap, payload), "ok", "the pilot has no cap");
    };
    let over = |total: u32, cap: u32| {
        format!("portfolio: technology_and_growth holds {total}%; at most {cap}% is allowed")
    };
    check(&exposed(25, "SOFTWARE", 25), None, "ok");
    check(&exposed(30, "SOFTWARE", 25), None, &over(55, 50));
    check(&exposed(50, "GOLD", 50), None, "ok");
    check(&exposed(55, "GOLD", 45), None, &over(55, 50));
    check(&exposed(30, "SOFTWARE", 25), Some(60), "ok");
    check(&exposed(30, "SOFTWARE", 25), Some(40), &over(55, 40));
    check(&exposed(10, "GOLD", 10), None, "ok");
}
