use super::*;
use crate::test_support::{holding, option_id, universe};

fn of(holdings: &[(&str, u32)]) -> Weights {
    let holdings: Vec<Holding> = holdings.iter().map(|(id, pct)| holding(id, *pct)).collect();
    weights(&holdings)
}

#[track_caller]
fn assert_close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found} {expected}");
}

#[test]
fn concentration_and_distance_have_their_ends() {
    assert_close(concentration(&of(&[("AAA", 100)])), 1.0);
    assert_close(concentration(&of(&[("AAA", 50), ("BBB", 50)])), 0.5);
    let (a, b) = (of(&[("AAA", 100)]), of(&[("BBB", 100)]));
    assert_close(distance(&a, &a), 0.0);
    assert_close(distance(&a, &b), 1.0);
    assert_close(distance(&a, &of(&[("AAA", 40), ("BBB", 60)])), 0.6);
}

#[test]
fn the_difference_needs_two_others_and_leaves_the_model_out() {
    let own = of(&[("AAA", 100)]);
    let (b, c) = (of(&[("AAA", 50), ("BBB", 50)]), of(&[("CCC", 100)]));
    assert_eq!(difference(&own, &[&b]), None);
    // The others hold a quarter AAA, a quarter BBB and half CCC on average.
    assert_close(difference(&own, &[&b, &c]).unwrap(), 0.75);
}

#[test]
fn exposure_follows_the_universe() {
    let held = of(&[("AAA", 60), ("CASH", 40)]);
    let groups = exposure_by_group(&held, &universe());
    assert_close(groups["test_group"], 1.0);
    let grades = exposure_by_risk(&held, &universe());
    assert_close(grades[&RiskBucket::Medium], 1.0);
    assert_close(risk_taking(&grades), 50.0);
    let mixed = BTreeMap::from([(RiskBucket::Cash, 0.5), (RiskBucket::VeryHigh, 0.5)]);
    assert_close(risk_taking(&mixed), 50.0);
    assert!(!exposure_by_risk(&of(&[("ZZZ", 100)]), &universe()).contains_key(&RiskBucket::Cash));
    assert_eq!(held[&option_id("AAA")].to_bits(), 0.6_f64.to_bits());
}

#[test]
fn confidence_is_the_chance_to_beat_the_reference() {
    assert_eq!(calibration(&[]), None);
    let seen = calibration(&[(1.0, true), (0.5, false)]).unwrap();
    assert_eq!(seen.rounds, 2);
    assert_close(seen.confidence, 0.75);
    assert_close(seen.hit_rate, 0.5);
    assert_close(seen.brier, 0.125);
}
