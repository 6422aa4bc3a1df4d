use jiff::civil::date;

use super::*;

fn second(text: &str) -> i64 {
    text.parse::<Timestamp>().unwrap().as_second()
}

#[test]
fn the_day_is_the_one_on_the_exchanges_clocks_in_every_season() {
    for (name, instant, expected) in [
        // The open of New York before and after the clocks change.
        ("America/New_York", "2026-03-06T14:30:00Z", date(2026, 3, 6)),
        ("America/New_York", "2026-03-09T13:30:00Z", date(2026, 3, 9)),
        // London's midnight, which is another day by the offset of winter.
        ("Europe/London", "2026-08-12T23:00:00Z", date(2026, 8, 13)),
        ("Europe/London", "2026-01-13T00:00:00Z", date(2026, 1, 13)),
        // Sydney opens on the evening before, by Greenwich.
        (
            "Australia/Sydney",
            "2026-01-12T23:00:00Z",
            date(2026, 1, 13),
        ),
        (
            "Australia/Sydney",
            "2026-07-13T00:00:00Z",
            date(2026, 7, 13),
        ),
        ("Asia/Tokyo", "2026-07-13T00:00:00Z", date(2026, 7, 13)),
        ("Asia/Kolkata", "2026-07-12T18:30:00Z", date(2026, 7, 13)),
    ] {
        // An offset of today never overrules the zone.
        let zone = Zone::of(Some(name), Some(-43_200)).unwrap();
        assert_eq!(
            zone.day(second(instant)),
            Some(expected),
            "{name} {instant}"
        );
    }
}

#[test]
fn an_unknown_zone_gives_a_day_only_where_no_season_could_change_it() {
    let zone = Zone::of(Some("Mars/Olympus"), Some(-14_400)).unwrap();
    let open = second("2026-08-13T13:30:00Z");
    assert_eq!(zone.day(open), Some(date(2026, 8, 13)));
    let midnight = second("2026-08-13T04:00:00Z");
    assert_eq!(zone.day(midnight), None);
    assert_eq!(zone.day(midnight + 3_600), Some(date(2026, 8, 13)));
    assert!(Zone::of(Some("Mars/Olympus"), None).is_none());
    assert!(Zone::of(None, None).is_none());
    assert_eq!(zone.day(i64::MAX), None);
}
