use super::*;
use crate::decision::portfolio::Constraints;

type Limits = fn(&mut Constraints);

/// What a portfolio of these holdings is told under the default limits with one change.
fn told(limits: Limits, holdings: &[(&str, u32)]) -> String {
    let mut manifest = manifest(OLD);
    limits(&mut manifest.constraints);
    let universe = universe();
    let rules = RoundRules {
        manifest: &manifest,
        universe: &universe,
        slate: None,
        run: OFFICIAL,
    };
    let mut payload = portfolio_payload();
    let holdings: Vec<Value> = holdings
        .iter()
        .map(|(id, percent)| json!({"option_id": id, "allocation_pct": percent, "rationale": "x"}))
        .collect();
    set(&mut payload, "portfolio", json!(holdings));
    let found = joined(validate(&payload, PayloadForm::Raw, &rules));
    found.map_or_else(|problems| problems, |_| "ok".to_owned())
}

fn check(holdings: &[(&str, u32)], expected: &str) {
    assert_eq!(told(|_| {}, holdings), expected, "{holdings:?}");
}

fn check_under(limits: Limits, holdings: &[(&str, u32)], expected: &str) {
    assert_eq!(told(limits, holdings), expected, "{holdings:?}");
}

#[test]
fn allocations_add_up_to_100_percent() {
    check(&[("AAA", 100)], "ok");
    check(&[("AAA", 60), ("BBB", 40)], "ok");
    check(
        &[("AAA", 60), ("BBB", 35)],
        "portfolio: allocations add up to 95%, not 100%",
    );
    check(
        &[("AAA", 60), ("BBB", 45)],
        "portfolio: allocations add up to 105%, not 100%",
    );
    check(
        &[("AAA", 100), ("BBB", 100)],
        "portfolio: allocations add up to 200%, not 100%",
    );
}

#[test]
fn a_flood_of_holdings_is_one_problem() {
    let flood = vec![("AAA", 1); 5_001];
    check(&flood, "portfolio: has 5001 entries; at most 5000 are read");
}

#[test]
fn an_option_is_known_and_held_once() {
    check(
        &[("AAA", 60), ("AAA", 40)],
        "portfolio.1: AAA is held twice",
    );
    check(
        &[("AAA", 50), ("BBB", 25), ("AAA", 25)],
        "portfolio.2: AAA is held twice",
    );
    check(
        &[("AAA", 60), ("ZZZ", 40)],
        "portfolio.1: ZZZ is not an option of this round",
    );
    check(
        &[("aaa", 100)],
        "portfolio.0: aaa is not an option of this round",
    );
    let mut payload = pick_payload();
    set(&mut payload, "selected_option_id", json!("ZZZ"));
    let unknown = "selected_option_id: ZZZ is not an option of this round";
    assert_eq!(verdict(&payload, OLD_PICK), unknown);
}

#[test]
fn weights_are_multiples_of_the_increment_and_not_below_the_minimum() {
    check(
        &[("AAA", 58), ("BBB", 42)],
        "portfolio.0: AAA: 58% is no multiple of 5% | \
        portfolio.1: BBB: 42% is no multiple of 5%",
    );
    check(
        &[("AAA", 96), ("BBB", 4)],
        "portfolio.0: AAA: 96% is no multiple of 5% | \
        portfolio.1: BBB: 4% is below 5%",
    );
    check_under(
        |c| (c.increment_pct, c.min_allocation_pct) = (1, 1),
        &[("AAA", 99), ("BBB", 1)],
        "ok",
    );
    check_under(
        |c| c.min_allocation_pct = 20,
        &[("AAA", 80), ("BBB", 20)],
        "ok",
    );
    check_under(
        |c| c.min_allocation_pct = 20,
        &[("AAA", 85), ("BBB", 15)],
        "portfolio.1: BBB: 15% is below 20%",
    );
    check_under(
        |c| c.increment_pct = 10,
        &[("AAA", 85), ("BBB", 15)],
        "portfolio.0: AAA: 85% is no multiple of 10% | portfolio.1: BBB: 15% is no multiple of 10%",
    );
}

#[test]
fn the_number_of_holdings_is_bounded() {
    check(
        &[],
        "portfolio: has 0 holdings; 1 to 5 are allowed | \
        portfolio: allocations add up to 0%, not 100%",
    );
    let five = [
        ("AAA", 20),
        ("BBB", 20),
        ("CCC", 20),
        ("SP500", 20),
        ("CASH", 20),
    ];
    check(&five, "ok");
    check_under(
        |c| c.max_holdings = 4,
        &five,
        "portfolio: has 5 holdings; 1 to 4 are allowed",
    );
    check_under(|c| c.max_holdings = 5, &five, "ok");
    let one = [("AAA", 100)];
    check_under(
        |c| c.min_holdings = 2,
        &one,
        "portfolio: has 1 holdings; 2 to 5 are allowed",
    );
}

#[test]
fn cash_and_reference_may_be_forbidden() {
    let cash = [("AAA", 60), ("CASH", 40)];
    check(&cash, "ok");
    check_under(
        |c| c.allow_cash = false,
        &cash,
        "portfolio.1: CASH: cash may not be held",
    );
    check_under(|c| c.allow_reference = false, &cash, "ok");
    let reference = [("SP500", 40), ("AAA", 60)];
    check(&reference, "ok");
    let told = "portfolio.0: SP500: the reference may not be held";
    check_under(|c| c.allow_reference = false, &reference, told);
    check_under(|c| c.allow_cash = false, &reference, "ok");
}
