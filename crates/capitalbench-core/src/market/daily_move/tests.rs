use super::*;
use crate::market::cross_check::Comparison;
use crate::values::time::parse_day;
use crate::values::units::Price;

fn session(day: &str, close: f64, adjusted: Option<f64>, split: f64) -> Session {
    Session {
        date: parse_day(day).unwrap(),
        close: Price::new(close),
        adjusted: adjusted.and_then(Price::new),
        dividend: Some(0.0),
        split: Some(split),
        volume: None,
    }
}

fn window(second: Session) -> Vec<PriceWindow> {
    vec![PriceWindow {
        option_id: OptionId::parse("AAA").unwrap(),
        symbol: "AAA".to_owned(),
        sessions: vec![session("2026-10-05", 100.0, Some(25.0), 1.0), second],
    }]
}

#[test]
fn a_split_moves_nothing_and_a_jump_is_named() {
    let split = window(session("2026-10-06", 25.0, Some(25.0), 4.0));
    assert_eq!(large_moves(&split, 4_000), []);
    let jump = window(session("2026-10-06", 60.0, Some(36.0), 1.0));
    let found = large_moves(&jump, 4_000);
    assert_eq!(found[0].to_string(), "AAA moved +44.0 % on 2026-10-06");
    assert_eq!(large_moves(&jump, 4_400), [], "the limit itself is allowed");
}

#[test]
fn a_split_that_the_closes_do_not_show_is_no_reason() {
    let false_split = window(session("2026-10-06", 100.0, Some(100.0), 4.0));
    assert_eq!(large_moves(&false_split, 4_000).len(), 1);
}

#[test]
fn raw_closes_count_where_there_are_no_adjusted_ones() {
    let split = window(session("2026-10-06", 25.0, None, 4.0));
    assert_eq!(large_moves(&split, 4_000), []);
    let jump = window(session("2026-10-06", 25.0, None, 1.0));
    assert_eq!(large_moves(&jump, 4_000).len(), 1);
}

#[test]
fn a_second_source_that_agrees_confirms_a_move() {
    let jump = window(session("2026-10-06", 60.0, Some(36.0), 1.0));
    let scored = Return::between(Price::new(25.0).unwrap(), Price::new(36.0).unwrap());
    let check = |other: Result<Return, String>| CrossCheck {
        source: "other".to_owned(),
        tolerance_bps: 10.0,
        rows: vec![Comparison {
            option_id: OptionId::parse("AAA").unwrap(),
            scored,
            other,
        }],
    };
    let found = |check: &CrossCheck| unconfirmed_moves(&jump, 4_000, Some(check)).len();
    assert_eq!(found(&check(Ok(scored))), 0);
    assert_eq!(found(&check(Err("no price".to_owned()))), 1);
    assert_eq!(unconfirmed_moves(&jump, 4_000, None).len(), 1);
}
