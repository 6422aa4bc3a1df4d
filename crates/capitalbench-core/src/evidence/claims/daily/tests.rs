use super::*;
use crate::market::calendar::Market;
use crate::result::interim::Snapshot;
use crate::test_support::{holding, option_id, price};
use crate::values::time::parse_day;

fn day(text: &str) -> Date {
    parse_day(text).unwrap()
}

fn closes(rows: &[(&str, f64, f64)]) -> Closes {
    let snapshot = |a: f64, b: f64| {
        Snapshot::from([(option_id("AAA"), price(a)), (option_id("BBB"), price(b))])
    };
    let rows = rows.iter();
    rows.map(|(text, a, b)| (day(text), snapshot(*a, *b)))
        .collect()
}

#[test]
fn an_increment_is_the_gain_between_known_closes_with_the_distance_before_it() {
    let closes = closes(&[
        ("2026-06-01", 100.0, 100.0),
        ("2026-06-02", 300.0, 100.0),
        ("2026-06-04", 330.0, 90.0),
    ]);
    let (first, second) = (
        [holding("AAA", 50), holding("BBB", 50)],
        [holding("BBB", 100)],
    );
    let round = ClaimRound {
        window: Window {
            entry: day("2026-06-01"),
            exit: day("2026-06-08"),
            market: Market::default(),
        },
        first: &first,
        second: &second,
        closes: &closes,
    };
    let found = increments(&[round], day("2026-06-08"));
    assert_eq!(found.len(), 2);
    assert!((found[0].difference - 1.0).abs() < 1e-12 && (found[0].distance - 0.5).abs() < 1e-12);
    // Of 200, three quarters had drifted into AAA; a day without closes joins the next.
    assert_eq!(found[1].day, day("2026-06-04"));
    assert!((found[1].distance - 0.75).abs() < 1e-12);
    let expected = 210.0 / 200.0 - 0.9;
    assert!((found[1].difference - expected).abs() < 1e-12);
    assert!(found[1].difference <= 0.20 * found[1].distance + 1e-12);
    assert_eq!(increments(&[round], day("2026-06-02")).len(), 1);
}
