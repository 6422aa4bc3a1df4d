use jiff::civil::date;

use super::*;
use crate::market::price_window::Session;
use crate::values::ids::OptionId;

fn window(rows: &[(Date, Option<f64>)]) -> PriceWindow {
    let session = |(date, adjusted): &(Date, Option<f64>)| Session {
        date: *date,
        close: Price::new(1.0),
        adjusted: adjusted.and_then(Price::new),
        dividend: None,
        split: None,
        volume: None,
    };
    PriceWindow {
        option_id: OptionId::parse("GOLD").unwrap(),
        symbol: "GLD".to_owned(),
        sessions: rows.iter().map(session).collect(),
    }
}

#[test]
fn sessions_are_counted_back_over_weekends_and_holidays() {
    // Labor Day was the 7th of September 2026.
    let expected = [date(2026, 9, 3), date(2026, 9, 4), date(2026, 9, 8)];
    assert_eq!(
        last_sessions(Market::default(), date(2026, 9, 8), 3),
        expected
    );
    assert_eq!(
        last_sessions(Market::default(), date(2026, 9, 6), 1),
        [date(2026, 9, 4)]
    );
}

#[test]
fn a_session_without_a_row_has_the_close_before_it() {
    let rows = [
        (date(2026, 9, 2), Some(10.0)),
        (date(2026, 9, 4), Some(11.0)),
        (date(2026, 9, 9), Some(12.0)),
    ];
    let closes = AdjustedCloses::of(&window(&rows), date(2026, 9, 8)).unwrap();
    let sessions = last_sessions(Market::default(), date(2026, 9, 8), 4);
    assert_eq!(closes.at(&sessions), Some(vec![10.0, 10.0, 11.0, 11.0]));
    assert_eq!(
        closes.at(&last_sessions(Market::default(), date(2026, 9, 8), 5)),
        None
    );
    assert_eq!(closes.since(date(2026, 9, 3)), [(date(2026, 9, 4), 11.0)]);
}

#[test]
fn a_row_without_an_adjusted_close_leaves_none() {
    let rows = [(date(2026, 9, 2), Some(10.0)), (date(2026, 9, 3), None)];
    assert_eq!(AdjustedCloses::of(&window(&rows), date(2026, 9, 8)), None);
    // A row after the day is left out of account.
    assert!(AdjustedCloses::of(&window(&rows), date(2026, 9, 2)).is_some());
}
