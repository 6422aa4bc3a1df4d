use super::*;
use crate::market::calendar::Market;

#[test]
fn everything_becomes_public_at_its_instant_and_not_before() {
    let at = |text: &str| text.parse::<Timestamp>().unwrap();
    let day = |text: &str| text.parse::<Date>().unwrap();
    let noon = at("2026-06-01T12:00:00Z");
    let window = Window {
        entry: day("2026-06-01"),
        exit: day("2026-06-08"),
        market: Market::default(),
    };
    let created = Some(noon);
    // The last instant at which it is hidden, and the first at which it is public.
    for (item, hidden, public) in [
        (Item::Rules { created }, "06-01T11:59:59", "06-01T12:00:00"),
        (
            Item::Decisions { since: created },
            "06-01T11:59:59",
            "06-01T12:00:00",
        ),
        (
            Item::Calls { since: created },
            "06-01T11:59:59",
            "06-01T12:00:00",
        ),
        (Item::Event { at: noon }, "06-01T11:59:59", "06-01T12:00:00"),
        (Item::EntryPrices, "06-01T19:59:59", "06-01T20:00:00"),
        (
            Item::Close(day("2026-06-01")),
            "06-01T19:59:59",
            "06-01T20:00:00",
        ),
        (
            Item::Close(day("2026-06-08")),
            "06-08T19:59:59",
            "06-08T20:00:00",
        ),
        (
            Item::Interim(day("2026-06-05")),
            "06-05T19:59:59",
            "06-05T20:00:00",
        ),
        (Item::Result, "06-08T19:59:59", "06-08T20:00:00"),
    ] {
        let seen = |text: &str| is_public(item, Some(window), at(&format!("2026-{text}Z")));
        assert!(!seen(hidden), "{item:?} at {hidden}");
        assert!(seen(public), "{item:?} at {public}");
    }
    let late = at("2030-01-01T00:00:00Z");
    // Figures of the exit day and later are the result, never provisional.
    for hidden in ["2026-06-08", "2026-06-09"] {
        assert!(!is_public(Item::Interim(day(hidden)), Some(window), late));
    }
    // What has no known instant.
    assert!(is_public(Item::Rules { created: None }, None, noon));
    assert!(is_public(Item::Decisions { since: None }, None, noon));
    assert!(!is_public(Item::EntryPrices, None, late));
    assert!(!is_public(Item::Result, None, late));
}
