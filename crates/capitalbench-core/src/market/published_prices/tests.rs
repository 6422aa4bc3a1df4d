use proptest::prelude::*;

use super::*;
use crate::test_support::{option, option_id, price};
use crate::values::time::parse_day;

fn check(entry: f64, close: f64, expected: Option<f64>) {
    let found = index(price(entry), price(close)).map(Price::get);
    assert_eq!(found, expected, "{close} / {entry}");
}

#[test]
fn an_index_has_six_decimals_and_its_entry_is_one() {
    check(187.654_321, 187.654_321, Some(1.0));
    check(187.654_321, 190.123_456, Some(1.013_158));
    check(100.0, 101.33, Some(1.0133));
    check(3.0, 1.0, Some(0.333_333));
    check(3.0, 2.0, Some(0.666_667));
    check(1e-9, 1.0, Some(1e9));
    check(1e9, 1_000.0, Some(1e-6));
}

#[test]
fn a_half_is_rounded_up_whatever_its_double_is() {
    check(1.0, 1.000_000_5, Some(1.000_001));
    check(1.0, 1.000_001_5, Some(1.000_002));
    check(1.0, 1.000_002_5, Some(1.000_003));
    check(0.1, 0.100_000_05, Some(1.000_001));
    check(2.0, 1.000_001, Some(0.500_001));
    check(1.0, 1.000_000_499_999, Some(1.0));
}

#[test]
fn what_rounds_to_nothing_or_is_too_large_has_no_index() {
    check(1e9, 400.0, None);
    check(1e-9, 1.1, None);
    check(1e300, 1.0, None);
}

#[test]
fn figures_are_rounded_away_from_zero_and_never_to_minus_zero() {
    let rounded = [0.012_345_649, -0.012_345_65, -0.000_000_1, 0.25].map(six_decimals);
    let texts = rounded.map(|value| value.to_string());
    assert_eq!(texts, ["0.012346", "-0.012346", "0", "0.25"]);
}

fn session(day: &str, close: f64, adjusted: Option<f64>) -> Session {
    Session {
        date: parse_day(day).unwrap(),
        close: Price::new(close),
        adjusted: adjusted.and_then(Price::new),
        dividend: Some(0.913_572_468),
        split: Some(1.0),
        volume: Some(12_345.0),
    }
}

#[test]
fn a_window_of_base_one_holds_adjusted_indexes_and_nothing_else() {
    let entry = parse_day("2026-05-08").unwrap();
    let window = PriceWindow {
        option_id: option_id("SP500"),
        symbol: "SPY".to_owned(),
        sessions: vec![
            session("2026-05-08", 200.0, Some(100.0)),
            session("2026-05-11", 150.0, Some(102.5)),
        ],
    };
    let made = indexed(&option("SP500", "SPY"), &window, entry).unwrap();
    let values = made.sessions.iter().map(|own| own.adjusted.map(Price::get));
    assert_eq!(values.collect::<Vec<_>>(), [Some(1.0), Some(1.025)]);
    for own in &made.sessions {
        assert_eq!(
            (own.close, own.dividend, own.split, own.volume),
            (None, None, None, None)
        );
    }
    let id = option_id("SP500");
    let later = parse_day("2026-05-07").unwrap();
    let option = option("SP500", "SPY");
    let without = indexed(&option, &window, later);
    assert_eq!(without, Err(NoIndex::NoEntry(id.clone(), later)));
    let mut raw = window;
    raw.sessions[1].adjusted = None;
    let day = raw.sessions[1].date;
    assert_eq!(
        indexed(&option, &raw, entry),
        Err(NoIndex::NotAdjusted(id, day))
    );
}

proptest! {
    /// Against the same rule over whole numbers.
    #[test]
    fn an_index_is_the_exact_quotient_to_the_nearest_millionth(
        entry in 1_u32..,
        close in 1_u32..,
        places in 0_i32..7,
    ) {
        let scale = 10_f64.powi(places);
        let of = |digits: u32| price(f64::from(digits) / scale);
        let (entry_digits, close_digits) = (u128::from(entry), u128::from(close));
        let wanted = (2 * close_digits * 1_000_000 + entry_digits) / (2 * entry_digits);
        let found = index(of(entry), of(close)).map(|own| format!("{:.6}", own.get()));
        let wanted = (1..=LARGEST).contains(&wanted).then_some(wanted);
        let text = |own: u128| format!("{}.{:06}", own / 1_000_000, own % 1_000_000);
        prop_assert_eq!(found, wanted.map(text));
    }

    /// The text of an index has at most six decimals.
    #[test]
    fn an_index_is_written_with_six_decimals(entry in 0.01_f64..1e5, close in 0.01_f64..1e5) {
        let text = index(price(entry), price(close)).unwrap().get().to_string();
        let decimals = text.split_once('.').map_or(0, |(_, part)| part.len());
        prop_assert!(decimals <= 6, "{}", text);
    }
}
