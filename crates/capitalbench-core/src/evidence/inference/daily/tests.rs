use super::*;
use crate::market::calendar::Market;
use crate::test_support::{holding, option_id, price};
use crate::values::time::parse_day;

fn day(text: &str) -> Date {
    parse_day(text).unwrap()
}

fn closes(rows: &[(&str, f64, f64)]) -> Closes {
    let snapshot = |own: f64, market: f64| {
        Snapshot::from([
            (option_id("AAA"), price(own)),
            (option_id("SP500"), price(market)),
        ])
    };
    rows.iter()
        .map(|(text, own, market)| (day(text), snapshot(*own, *market)))
        .collect()
}

fn window() -> Window {
    Window {
        entry: day("2026-06-01"),
        exit: day("2026-06-03"),
        market: Market::default(),
    }
}

#[test]
fn a_day_is_the_gain_of_the_held_portfolio_beyond_the_reference() {
    let closes = closes(&[
        ("2026-05-29", 1.0, 1.0),
        ("2026-06-01", 100.0, 200.0),
        ("2026-06-02", 110.0, 202.0),
        ("2026-06-03", 99.0, 202.0),
    ]);
    let holdings = [holding("AAA", 50), holding("SP500", 50)];
    let found = active_days(&holdings, &option_id("SP500"), window(), &closes).unwrap();
    let values: Vec<f64> = found.iter().map(|(_, value)| *value).collect();
    let second = (0.5 * 0.99 + 0.5 * 1.01) / (0.5 * 1.1 + 0.5 * 1.01) - 1.0;
    assert!((values[0] - (1.055 - 1.01)).abs() < 1e-15, "{values:?}");
    assert!((values[1] - second).abs() < 1e-15, "{values:?}");
}

#[test]
fn a_gain_over_several_days_is_not_the_gain_of_a_day() {
    let all = closes(&[
        ("2026-06-01", 100.0, 200.0),
        ("2026-06-02", 110.0, 202.0),
        ("2026-06-03", 121.0, 202.0),
    ]);
    let holdings = [holding("AAA", 100)];
    let days = |missing: &str| {
        let mut cut = all.clone();
        cut.remove(&day(missing));
        let found = active_days(&holdings, &option_id("SP500"), window(), &cut);
        found.map(|days| days.iter().map(|(day, _)| day.to_string()).collect())
    };
    let none: Option<Vec<String>> = None;
    assert_eq!(days("2026-06-01"), none);
    assert_eq!(days("2026-06-02"), none);
    assert_eq!(days("2026-06-03"), Some(vec!["2026-06-02".to_owned()]));
    let whole = Some(vec!["2026-06-02".to_owned(), "2026-06-03".to_owned()]);
    assert_eq!(days("2026-05-01"), whole);
}

#[test]
fn days_without_a_session_are_not_live() {
    let holiday = Window {
        entry: day("2026-07-01"),
        exit: day("2026-07-07"),
        market: Market::default(),
    };
    assert_eq!(sessions_of(holiday).count(), 3);
    assert_eq!(live_sessions(&[holiday, window(), window()]), 5);
}

#[test]
fn live_rounds_share_the_capital() {
    let one = ActiveDays::from([(day("2026-06-01"), 0.02), (day("2026-06-02"), 0.04)]);
    let two = ActiveDays::from([(day("2026-06-02"), 0.0)]);
    let series = calendar_time(one.iter().chain(&two).copied());
    assert_eq!(series.len(), 2);
    assert!((series[1].1 - 0.02).abs() < 1e-15);
    assert_eq!(paired(&one, &two).count(), 1);
}

#[test]
fn a_path_ends_at_the_interval_of_the_mean() {
    let first = jiff::civil::date(2026, 6, 1);
    let gains = (0..40).map(|day| f64::from(day % 7) / 1000.0 - 0.002);
    let days = std::iter::successors(Some(first), |day| day.tomorrow().ok());
    let series: Vec<(Date, f64)> = days.zip(gains).collect();
    let path = path(&series, 0.95).unwrap();
    let whole = per_horizon(&series, 40.0).unwrap();
    let (low, high) = whole.interval(0.95);
    let last = path.last().unwrap();
    assert!((last.value - whole.mean).abs() < 1e-12);
    assert!((last.value + last.half_width - high).abs() < 1e-12);
    assert!((last.value - last.half_width - low).abs() < 1e-12);
    assert!(path[0].half_width < last.half_width);
}
