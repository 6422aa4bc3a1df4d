use super::*;
use crate::market::calendar::Market;
use crate::round::manifest::Window;
use crate::test_support::manifest;
use crate::values::time::parse_day;

fn times(entry: &str, deadline: Option<&str>, market: &str) -> Times {
    let mut own = manifest("portfolio-v1.2");
    let day = |text| parse_day(text).unwrap();
    own.window = Some(Window {
        entry: day(entry),
        exit: day("2026-12-31"),
        market: Market::shipped(market).unwrap(),
    });
    own.decision_deadline = deadline.map(|text| WrittenInstant::parse(text).unwrap());
    Times::of(&own).unwrap()
}

#[test]
fn an_entry_is_opened_between_the_entry_close_and_the_next_session() {
    let own = times("2026-12-04", Some("2026-12-04T14:25:00Z"), "XNYS");
    let text = [own.deadline, own.opens, own.closes].map(|at| at.to_string());
    let expected = [
        "2026-12-04T14:25:00Z",
        "2026-12-04T21:00:00Z",
        "2026-12-07T14:30:00Z",
    ];
    assert_eq!(text, expected);
    let own = times("2026-12-04", None, "XNYS");
    assert_eq!(own.deadline, own.opens);
}
