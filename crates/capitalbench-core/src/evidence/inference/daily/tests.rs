use super::*;
use crate::evidence::inference::overlap::live_sessions;
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
    let live = live_sessions(&[holiday, window(), window()]);
    let counts: Vec<u32> = live.iter().map(|(_, rounds)| *rounds).collect();
    assert_eq!(counts, [2, 2, 1, 1, 1]);
    assert_eq!(live[0].0, day("2026-06-02"));
}

#[test]
fn a_day_adds_to_the_mean_what_its_live_rounds_gained() {
    let live = [(day("2026-06-01"), 1), (day("2026-06-02"), 4)];
    let gains = |both: bool| {
        let first = [(day("2026-06-01"), 0.02), (day("2026-06-02"), 0.04)];
        let second = both.then_some((day("2026-06-02"), 0.0));
        by_day(first.into_iter().chain(second))
    };
    let whole = DailyRecord::new(gains(true), &live, 4);
    assert_eq!(whole.gains.len(), 2);
    assert!((whole.gains[1].1 - 0.02).abs() < 1e-15);
    assert!((whole.added[0] - 0.005).abs() < 1e-15 && (whole.added[1] - 0.02).abs() < 1e-15);
    // One of four live rounds does not stand for a day.
    let thin = DailyRecord::new(gains(false), &live, 4);
    assert_eq!((thin.gains.len(), thin.live_sessions), (1, 2));
}

#[test]
fn the_error_of_a_mean_counts_the_live_sessions_that_no_close_tells_of() {
    let first = day("2026-06-01");
    let days = std::iter::successors(Some(first), |day| day.tomorrow().ok());
    let gains = (0..40).map(|day| f64::from(day % 7) / 1000.0 - 0.002);
    let days: ActiveDays = days.zip(gains).collect();
    let live: Vec<(Date, u32)> = days.iter().map(|(day, _)| (*day, 1)).collect();
    let known = DailyRecord::new(by_day(days.clone()), &live, 1);
    let mut longer = known.clone();
    longer.live_sessions *= 4;
    let (known, longer) = (known.estimate(0.5).unwrap(), longer.estimate(0.5).unwrap());
    assert!((known.mean - 0.5).abs() < 1e-15);
    assert!((longer.standard_error / known.standard_error - 2.0).abs() < 1e-12);
    let sum = mean_estimate(&days.iter().map(|(_, gain)| *gain).collect::<Vec<_>>()).unwrap();
    assert!((known.standard_error - 40.0 * sum.standard_error).abs() < 1e-12);
}

#[test]
fn two_series_are_paired_on_the_days_both_have() {
    let one = ActiveDays::from([(day("2026-06-01"), 0.02), (day("2026-06-02"), 0.04)]);
    let two = ActiveDays::from([(day("2026-06-02"), 0.0)]);
    assert_eq!(paired(&one, &two).count(), 1);
}

#[test]
fn a_path_ends_at_the_interval_of_the_mean() {
    let first = jiff::civil::date(2026, 6, 1);
    let gains = (0..40).map(|day| f64::from(day % 7) / 1000.0 - 0.002);
    let days = std::iter::successors(Some(first), |day| day.tomorrow().ok());
    let series: Vec<(Date, f64)> = days.zip(gains).collect();
    let path = path(&series, 0.95).unwrap();
    let values: Vec<f64> = series.iter().map(|(_, gain)| *gain).collect();
    let whole = mean_estimate(&values).unwrap().scaled(40.0);
    let (low, high) = whole.interval(0.95);
    let last = path.last().unwrap();
    assert!((last.value - whole.mean).abs() < 1e-12);
    assert!((last.value + last.half_width - high).abs() < 1e-12);
    assert!((last.value - last.half_width - low).abs() < 1e-12);
    assert!(path[0].half_width < last.half_width);
}
