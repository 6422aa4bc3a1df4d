use jiff::civil::date;

use super::*;
use crate::market::price_window::Session;
use crate::test_support::{option_id, universe_of};
use crate::values::units::Price;

const AS_OF: Date = date(2026, 9, 11);

/// Rows of every session of the last `count`; the close grows by `step` each day.
fn history(id: &str, count: usize, step: f64) -> PriceWindow {
    let mut close = 100.0;
    let sessions = last_sessions(Market::default(), AS_OF, count)
        .into_iter()
        .map(|day| {
            close += step;
            Session {
                date: day,
                close: Price::new(close),
                adjusted: Price::new(close),
                dividend: None,
                split: None,
                volume: None,
            }
        });
    PriceWindow {
        option_id: option_id(id),
        symbol: id.to_owned(),
        sessions: sessions.collect(),
    }
}

fn deadline() -> Timestamp {
    "2026-09-14T13:25:00Z".parse().unwrap()
}

#[test]
fn sixty_returns_follow_from_sixty_one_closes_and_cash_has_zeros() {
    let universe = universe_of(&["SP500", "AAA", "CASH"]);
    let histories = [history("SP500", 61, 1.0), history("AAA", 90, 0.0)];
    let returns = DailyReturns::of_histories(&universe, &histories, AS_OF);
    assert_eq!(returns.problems(&universe, Some(deadline())), [""; 0]);
    let own = returns.of(&option_id("SP500")).unwrap();
    assert_eq!(own.len(), 60);
    assert_eq!(own[..1], [102.0 / 101.0 - 1.0]);
    assert_eq!(own[59..], [161.0 / 160.0 - 1.0]);
    assert_eq!(returns.of(&option_id("CASH")).unwrap(), [0.0; 60]);
    assert_eq!(returns.days().last(), Some(&AS_OF));
    let order: Vec<&str> = returns.options().map(|(id, _)| id.as_str()).collect();
    assert_eq!(order, ["SP500", "AAA", "CASH"]);
}

#[test]
fn an_option_without_enough_history_is_named() {
    let universe = universe_of(&["SP500", "AAA", "BBB", "CASH"]);
    let histories = [history("SP500", 61, 1.0), history("AAA", 60, 1.0)];
    let returns = DailyReturns::of_histories(&universe, &histories, AS_OF);
    assert_eq!(
        returns.problems(&universe, Some(deadline())),
        ["has no 60 daily returns of AAA, BBB"]
    );
}

#[test]
fn a_fund_that_is_no_longer_traded_stands_still() {
    let universe = universe_of(&["SP500", "CASH"]);
    let mut own = history("SP500", 70, 1.0);
    own.sessions.truncate(50);
    let returns = DailyReturns::of_histories(&universe, &[own], AS_OF);
    assert_eq!(returns.of(&option_id("SP500")).unwrap()[40..], [0.0; 20]);
}

#[test]
fn odd_days_options_and_cash_are_problems() {
    let universe = universe_of(&["SP500", "CASH"]);
    let made = |days: Vec<Date>, cash: f64, first: &str| {
        let count = days.len();
        let options = vec![
            (option_id(first), vec![0.01; count]),
            (option_id("CASH"), vec![cash; count]),
        ];
        DailyReturns::new(days, options).unwrap()
    };
    let days = || last_sessions(Market::default(), AS_OF, 60);
    let check = |returns: &DailyReturns, expected: &[&str]| {
        assert_eq!(returns.problems(&universe, Some(deadline())), expected);
    };
    check(&made(days(), 0.0, "SP500"), &[]);
    check(
        &made(days()[1..].to_vec(), 0.0, "SP500"),
        &["holds the returns of 59 sessions; at least 60 are needed"],
    );
    let mut odd = days();
    odd[59] = date(2026, 9, 12);
    check(
        &made(odd, 0.0, "SP500"),
        &["holds 2026-09-12, on which the exchange was closed"],
    );
    let mut odd = days();
    odd[59] = date(2026, 9, 14);
    check(
        &made(odd, 0.0, "SP500"),
        &["holds 2026-09-14 after 2026-09-10, which is not the next session"],
    );
    check(
        &made(
            last_sessions(Market::default(), date(2026, 9, 14), 60),
            0.0,
            "SP500",
        ),
        &["holds 2026-09-14, whose close is after the deadline"],
    );
    check(
        &made(days(), 0.1, "SP500"),
        &["lets CASH move, which is cash"],
    );
    check(
        &made(days(), 0.0, "OTHER"),
        &[
            "has no 60 daily returns of SP500",
            "holds OTHER, which is not an option",
        ],
    );
}

#[test]
fn only_a_whole_table_is_one() {
    let id = option_id("AAA");
    assert_eq!(
        DailyReturns::new(vec![AS_OF], vec![(id.clone(), vec![])]),
        None
    );
    let twice = vec![(id.clone(), vec![0.0]), (id, vec![0.0])];
    assert_eq!(DailyReturns::new(vec![AS_OF], twice), None);
}
