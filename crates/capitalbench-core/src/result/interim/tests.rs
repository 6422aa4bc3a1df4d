use super::*;
use crate::test_support::*;

fn snapshot(rows: &[(&str, f64)]) -> Snapshot {
    rows.iter()
        .map(|(id, value)| (option_id(id), price(*value)))
        .collect()
}

const ENTRY: [(&str, f64); 3] = [("AAA", 50.0), ("BBB", 20.0), ("SP500", 400.0)];

fn tracked(submission: &Submission, now: &[(&str, f64)]) -> Result<InterimPoint, String> {
    let reference = option_id("SP500");
    let point = track(submission, &reference, &snapshot(&ENTRY), &snapshot(now));
    point.map_err(|missing| missing.as_str().to_owned())
}

#[test]
fn a_decision_is_tracked_by_its_weights_and_compared_with_the_reference() {
    let now = [("AAA", 75.0), ("BBB", 15.0), ("SP500", 450.0)];
    let check = |submission: &Submission, value: f64, alpha: f64| {
        let point = tracked(submission, &now).unwrap();
        assert_eq!(point.value.get().to_bits(), value.to_bits());
        assert_eq!(point.reference.get().to_bits(), 0.125_f64.to_bits());
        assert_eq!(point.alpha.get().to_bits(), alpha.to_bits());
    };
    check(&pick("m", "AAA"), 0.5, 0.375);
    check(&pick("m", "BBB"), -0.25, -0.375);
    check(&portfolio("m", &[("SP500", 100)]), 0.125, 0.0);
    check(&portfolio("m", &[("AAA", 50), ("BBB", 50)]), 0.125, 0.0);
    check(&portfolio("m", &[("AAA", 75), ("BBB", 25)]), 0.3125, 0.1875);
}

#[test]
fn on_the_entry_day_everything_is_zero() {
    let submission = portfolio("m", &[("AAA", 35), ("BBB", 35), ("SP500", 30)]);
    let point = tracked(&submission, &ENTRY).unwrap();
    for value in [point.value, point.reference, point.alpha] {
        assert_eq!(value.get().to_bits(), 0.0_f64.to_bits());
    }
}

#[test]
fn a_missing_price_is_named() {
    let check = |submission: &Submission, now: &[(&str, f64)], missing: &str| {
        assert_eq!(tracked(submission, now), Err(missing.to_owned()));
    };
    check(&pick("m", "AAA"), &[("SP500", 400.0)], "AAA");
    check(&pick("m", "AAA"), &[("AAA", 50.0)], "SP500");
    check(&pick("m", "CCC"), &[("CCC", 50.0), ("SP500", 400.0)], "CCC");
    let both = portfolio("m", &[("BBB", 50), ("CCC", 50)]);
    check(&both, &[("BBB", 20.0), ("SP500", 400.0)], "CCC");
}
