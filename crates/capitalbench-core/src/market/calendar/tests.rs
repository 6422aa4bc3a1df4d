use super::*;
use crate::round::manifest::Track;
use crate::values::time::parse_day;
use jiff::civil::Weekday;
use proptest::prelude::*;

fn day(text: &str) -> Date {
    parse_day(text).unwrap()
}

fn days_of(year: i16) -> impl Iterator<Item = Date> {
    let first = Date::new(year, 1, 1).unwrap();
    first
        .series(jiff::ToSpan::days(1))
        .take_while(move |day| day.year() == year)
}

fn short(days: impl Iterator<Item = Date>) -> String {
    let days: Vec<String> = days.map(|day| day.to_string()[5..].to_owned()).collect();
    days.join(" ")
}

/// Year, weekday closures, early closes, number of sessions.
const PUBLISHED: [(i16, &str, &str, usize); 5] = [
    (
        2024,
        "01-01 01-15 02-19 03-29 05-27 06-19 07-04 09-02 11-28 12-25",
        "07-03 11-29 12-24",
        252,
    ),
    (
        2025,
        "01-01 01-09 01-20 02-17 04-18 05-26 06-19 07-04 09-01 11-27 12-25",
        "07-03 11-28 12-24",
        250,
    ),
    (
        2026,
        "01-01 01-19 02-16 04-03 05-25 06-19 07-03 09-07 11-26 12-25",
        "11-27 12-24",
        251,
    ),
    (
        2027,
        "01-01 01-18 02-15 03-26 05-31 06-18 07-05 09-06 11-25 12-24",
        "11-26",
        251,
    ),
    (
        2028,
        "01-17 02-21 04-14 05-29 06-19 07-04 09-04 11-23 12-25",
        "07-03 11-24",
        251,
    ),
];

fn market(id: &str) -> Market {
    Market::shipped(id).unwrap()
}

fn is_weekday(day: Date) -> bool {
    !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday)
}

#[test]
fn new_york_has_the_published_closures_and_early_closes() {
    let market = Market::default();
    for (year, closures, early, sessions) in PUBLISHED {
        let closed = days_of(year).filter(|day| is_weekday(*day) && !market.is_session(*day));
        assert_eq!(short(closed), closures, "{year}");
        let shortened = days_of(year).filter(|day| market.unusual(*day).is_some());
        assert_eq!(short(shortened), early, "{year}");
        let count = days_of(year).filter(|day| market.is_session(*day)).count();
        assert_eq!(count, sessions, "{year}");
    }
}

/// By the United States rule since 2007: the second Sunday of March to the first of November.
fn eastern() -> TimeZone {
    TimeZone::posix("EST5EDT,M3.2.0,M11.1.0").unwrap()
}

#[test]
fn the_file_of_new_york_follows_the_rules_of_its_exchange_on_every_known_day() {
    let (market, zone) = (Market::default(), eastern());
    let (first, last) = market.known_days();
    let instant = |day: Date, hour, minute| zone.to_timestamp(day.at(hour, minute, 0, 0)).ok();
    for day in first.series(1.day()).take_while(|day| *day <= last) {
        assert_eq!(
            market.closure_reason(day),
            new_york_rules::closure_reason(day),
            "{day}"
        );
        let early = new_york_rules::early_close_reason(day);
        let unusual = early.map(|reason| (SessionKind::EarlyClose, reason));
        assert_eq!(market.unusual(day), unusual, "{day}");
        let hour = if early.is_some() { 13 } else { 16 };
        let held = |at: Option<Timestamp>| at.filter(|_| market.is_session(day));
        assert_eq!(market.close_at(day), held(instant(day, hour, 0)), "{day}");
        assert_eq!(market.open_at(day), held(instant(day, 9, 30)), "{day}");
        assert_eq!(market.rows_final_at(day), instant(day, 20, 15), "{day}");
        assert_eq!(market.regular_close(day), instant(day, 16, 0), "{day}");
    }
}

#[test]
fn closures_have_reasons() {
    let market = Market::default();
    let check = |text, reason| assert_eq!(market.closure_reason(day(text)), reason, "{text}");
    check("2025-01-09", Some("National Day of Mourning"));
    check("2026-07-02", None);
    check("2026-07-03", Some("Independence Day (observed)"));
    check("2026-07-04", Some("Saturday"));
    check("2027-06-18", Some("Juneteenth (observed)"));
    check("2027-12-31", None);
    check("2028-01-01", Some("Saturday"));
    check("2028-01-03", None);
    check("2023-01-02", Some("New Year's Day (observed)"));
    check("2021-06-18", None);
    check("2026-10-12", None);
    check("2026-11-11", None);
}

#[test]
fn neighbours_skip_closed_days() {
    let market = Market::default();
    assert_eq!(
        market.next_session(day("2026-07-02")),
        Some(day("2026-07-06"))
    );
    assert_eq!(
        market.previous_session(day("2026-07-06")),
        Some(day("2026-07-02"))
    );
    assert_eq!(
        market.next_session(day("2025-01-08")),
        Some(day("2025-01-10"))
    );
    assert_eq!(market.next_session(Date::MAX), None);
    assert_eq!(market.previous_session(Date::MIN), None);
}

fn plan(deadline: &str, track: Track, rule: &str) -> WindowPlan {
    let rule = WindowRule::parse(rule).unwrap();
    plan_window(Market::default(), deadline.parse().unwrap(), track, rule).unwrap()
}

fn check_window(deadline: &str, track: Track, rule: &str, days: &str) {
    let window = plan(deadline, track, rule).window;
    let got = format!("{} {}", window.entry, window.exit);
    assert_eq!(got, days, "{deadline} {rule}");
}

#[test]
fn the_default_enters_at_the_first_close_after_the_deadline() {
    let default = WindowRule::default().to_string();
    assert_eq!(default, "first_close_after_deadline+roll_previous");
    let check = |deadline, days| check_window(deadline, Track::Weekly, &default, days);
    // Before the open, during the session, one second before and exactly at the close.
    check("2026-08-17T13:25:00Z", "2026-08-17 2026-08-24");
    check("2026-08-17T18:00:00Z", "2026-08-17 2026-08-24");
    check("2026-08-17T19:59:59Z", "2026-08-17 2026-08-24");
    check("2026-08-17T20:00:00Z", "2026-08-18 2026-08-25");
    // An early close ends the day at 18:00Z in winter.
    check("2026-11-27T17:59:59Z", "2026-11-27 2026-12-04");
    check("2026-11-27T18:00:00Z", "2026-11-30 2026-12-07");
    // A weekend, and the small hours of a UTC day that is still Friday evening in New York.
    check("2026-08-16T12:00:00Z", "2026-08-17 2026-08-24");
    check("2026-08-15T01:00:00Z", "2026-08-17 2026-08-24");
    // The exit is closed: Juneteenth and Independence Day.
    check("2026-06-12T13:25:00Z", "2026-06-12 2026-06-18");
    check("2026-06-26T13:25:00Z", "2026-06-26 2026-07-02");
}

#[test]
fn monthly_exits_clamp_to_the_end_of_the_month() {
    let default = WindowRule::default().to_string();
    let check = |deadline, days| check_window(deadline, Track::Monthly, &default, days);
    check("2026-06-25T13:25:00Z", "2026-06-25 2026-07-24");
    check("2023-01-31T13:25:00Z", "2023-01-31 2023-02-28");
    check("2028-01-31T13:25:00Z", "2028-01-31 2028-02-29");
    check("2027-01-29T13:25:00Z", "2027-01-29 2027-02-26");
    check("2026-08-31T13:25:00Z", "2026-08-31 2026-09-30");
    check("2026-12-31T13:25:00Z", "2026-12-31 2027-01-29");
    let next = "first_close_after_deadline+roll_next";
    check_window(
        "2027-01-29T13:25:00Z",
        Track::Monthly,
        next,
        "2027-01-29 2027-03-01",
    );
    let before = "last_close_before_deadline+roll_previous";
    check_window(
        "2026-05-17T12:00:00Z",
        Track::Monthly,
        before,
        "2026-05-15 2026-06-15",
    );
}

#[test]
fn each_entry_rule_has_its_own_entry_day() {
    let check = |deadline, rule, days| check_window(deadline, Track::Weekly, rule, days);
    let next = "first_close_after_deadline+roll_next";
    check("2026-06-12T13:25:00Z", next, "2026-06-12 2026-06-22");
    let same = "same_day_close+roll_previous";
    check("2026-08-17T23:00:00Z", same, "2026-08-17 2026-08-24");
    check("2026-08-18T02:00:00Z", same, "2026-08-17 2026-08-24");
    check("2026-08-16T12:00:00Z", same, "2026-08-14 2026-08-21");
    let same_next = "same_day_close+roll_next";
    check("2026-08-16T12:00:00Z", same_next, "2026-08-17 2026-08-24");
    let before = "last_close_before_deadline+roll_previous";
    check("2026-08-17T20:00:00Z", before, "2026-08-17 2026-08-24");
    check("2026-08-17T13:25:00Z", before, "2026-08-14 2026-08-21");
}

#[test]
fn a_plan_explains_its_dates() {
    let default = "first_close_after_deadline+roll_previous";
    let plan = |deadline, track| plan(deadline, track, default);
    let juneteenth = plan("2026-06-12T13:25:00Z", Track::Weekly);
    assert_eq!(
        juneteenth.entry_reason,
        "the close of 2026-06-12 (2026-06-12T20:00:00Z) is the first close after the deadline \
         2026-06-12T13:25:00Z"
    );
    assert_eq!(
        juneteenth.exit_reason,
        "the close of 2026-06-18 (2026-06-18T20:00:00Z) is one week after 2026-06-12; 2026-06-19 \
         is closed (Juneteenth), so the previous session"
    );
    assert_eq!(juneteenth.entry_close.to_string(), "2026-06-12T20:00:00Z");
    assert_eq!(juneteenth.exit_close.to_string(), "2026-06-18T20:00:00Z");
    assert!(juneteenth.cautions.is_empty());
    let early = plan("2026-11-20T12:00:00Z", Track::Weekly);
    assert!(
        early
            .exit_reason
            .starts_with("the early close of 2026-11-27 (2026-11-27T18:00:00Z, the day after")
    );
    let weekend = plan("2026-08-16T12:00:00Z", Track::Weekly);
    assert!(
        weekend
            .entry_reason
            .ends_with("; 2026-08-16 is closed (Sunday), so the next session")
    );
}

#[test]
fn a_plan_warns_of_known_prices() {
    let check = |deadline: &str, rule: &str, part: &str| {
        let cautions = plan(deadline, Track::Monthly, rule).cautions.join("; ");
        assert!(cautions.contains(part), "{cautions}");
    };
    let first = "first_close_after_deadline+roll_previous";
    check("2026-08-17T13:30:00Z", first, "inside the entry session");
    check(
        "2026-08-17T23:00:00Z",
        "same_day_close+roll_previous",
        "not after the deadline",
    );
}

#[test]
fn rules_and_horizons_are_read_back_from_text() {
    for bad in [
        "",
        "first_close_after_deadline",
        "x+roll_previous",
        "same_day_close+roll_up",
    ] {
        assert_eq!(WindowRule::parse(bad), None, "{bad}");
    }
    for name in [
        "first_close_after_deadline",
        "same_day_close",
        "last_close_before_deadline",
    ] {
        for roll in ["previous", "next"] {
            let text = format!("{name}+roll_{roll}");
            assert_eq!(WindowRule::parse(&text).unwrap().to_string(), text);
        }
    }
    assert_eq!(Track::from_horizon(" One  Week "), Some(Track::Weekly));
    assert_eq!(Track::from_horizon("one month"), Some(Track::Monthly));
    assert_eq!(Track::from_horizon("two weeks"), None);
}

#[test]
fn the_end_of_time_is_an_error() {
    let error = plan_window(
        Market::default(),
        Timestamp::MAX,
        Track::Monthly,
        WindowRule::default(),
    );
    assert_eq!(error, Err(WindowError::OutOfRange(Timestamp::MAX)));
}

proptest! {
    #[test]
    fn every_plan_is_two_sessions_around_the_deadline(
        // From 2015-03-01 to 2026-11-20.
        second in 1_425_168_000_i64..1_795_132_800,
        weekly in proptest::bool::ANY,
        roll in prop_oneof![Just(Roll::Previous), Just(Roll::Next)],
        place in 0..11_usize,
    ) {
        let market = market(market_ids().nth(place).unwrap());
        let deadline = Timestamp::from_second(second).unwrap();
        let track = if weekly { Track::Weekly } else { Track::Monthly };
        let first = WindowRule { entry: EntryRule::FirstCloseAfterDeadline, roll };
        let plan = plan_window(market, deadline, track, first).unwrap();
        prop_assert!(market.is_session(plan.window.entry) && market.is_session(plan.window.exit));
        prop_assert!(plan.entry_close > deadline);
        let before = market.previous_session(plan.window.entry).unwrap();
        prop_assert!(market.close_at(before).unwrap() <= deadline);
        // The longest closure of these years is the Spring Festival with the National Day holidays.
        let expected = if weekly { 1..=20 } else { 20..=42 };
        prop_assert!(expected.contains(&plan.window.days()), "{:?}", plan.window);
        let last = WindowRule { entry: EntryRule::LastCloseBeforeDeadline, roll };
        let backward = plan_window(market, deadline, track, last).unwrap();
        prop_assert_eq!(backward.window.entry, before);
        prop_assert!(market.last_session_by(plan.entry_close) == Some(plan.window.entry));
    }
}

#[test]
fn the_last_session_by_an_instant_has_closed() {
    let check = |id: &str, instant: &str, day: &str| {
        let found = market(id)
            .last_session_by(instant.parse().unwrap())
            .unwrap();
        assert_eq!(found.to_string(), day, "{id} {instant}");
    };
    check("XNYS", "2026-12-07T20:59:59Z", "2026-12-04");
    check("XNYS", "2026-12-07T21:00:00Z", "2026-12-07");
    check("XNYS", "2026-12-06T12:00:00Z", "2026-12-04");
    check("XNYS", "2026-11-27T17:59:59Z", "2026-11-25");
    check("XNYS", "2026-11-27T18:00:00Z", "2026-11-27");
    // Sydney closes at 16:00, which is 05:00 UTC in its summer.
    check("XASX", "2026-11-18T04:59:59Z", "2026-11-17");
    check("XASX", "2026-11-18T05:00:00Z", "2026-11-18");
    check("24/7", "2026-11-18T23:59:59Z", "2026-11-17");
    check("24/7", "2026-11-19T00:00:00Z", "2026-11-18");
}

mod markets;
mod new_york_rules;
