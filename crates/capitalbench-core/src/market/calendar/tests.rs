use super::*;
use crate::round::manifest::Track;
use crate::values::time::parse_day;
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
const PUBLISHED: [(i16, &str, &str, usize); 7] = [
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
    (
        2029,
        "01-01 01-15 02-19 03-30 05-28 06-19 07-04 09-03 11-22 12-25",
        "07-03 11-23 12-24",
        251,
    ),
    (
        2030,
        "01-01 01-21 02-18 04-19 05-27 06-19 07-04 09-02 11-28 12-25",
        "07-03 11-29 12-24",
        251,
    ),
];

#[test]
fn closures_and_early_closes_are_the_published_ones() {
    for (year, closures, early, sessions) in PUBLISHED {
        let weekend = |day: &Date| matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday);
        let closed = days_of(year).filter(|day| !weekend(day) && !is_session(*day));
        assert_eq!(short(closed), closures, "{year}");
        let shortened = days_of(year).filter(|day| early_close_reason(*day).is_some());
        assert_eq!(short(shortened), early, "{year}");
        let count = days_of(year).filter(|day| is_session(*day)).count();
        assert_eq!(count, sessions, "{year}");
        assert!(VALIDATED_YEARS.contains(&year));
    }
}

#[test]
fn easter_is_where_the_church_puts_it() {
    let sundays: Vec<(i32, i32)> = (2024..=2030).map(easter).collect();
    let expected = [(3, 31), (4, 20), (4, 5), (3, 28), (4, 16), (4, 1), (4, 21)];
    assert_eq!(sundays, expected);
}

#[test]
fn closures_have_reasons() {
    let check = |text, reason| assert_eq!(closure_reason(day(text)), reason, "{text}");
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
fn closes_know_early_days_and_daylight_saving() {
    let close = |text| close_at(day(text)).map(|at| at.to_string());
    assert_eq!(close("2026-07-02").as_deref(), Some("2026-07-02T20:00:00Z"));
    assert_eq!(close("2026-11-27").as_deref(), Some("2026-11-27T18:00:00Z"));
    assert_eq!(close("2025-07-03").as_deref(), Some("2025-07-03T17:00:00Z"));
    assert_eq!(close("2026-03-06").as_deref(), Some("2026-03-06T21:00:00Z"));
    assert_eq!(close("2026-03-09").as_deref(), Some("2026-03-09T20:00:00Z"));
    assert_eq!(close("2026-12-25"), None);
    let open = |text| open_at(day(text)).map(|at| at.to_string());
    assert_eq!(open("2026-08-17").as_deref(), Some("2026-08-17T13:30:00Z"));
    assert_eq!(open("2026-11-27").as_deref(), Some("2026-11-27T14:30:00Z"));
    assert_eq!(open("2026-08-16"), None);
}

#[test]
fn neighbours_skip_closed_days() {
    assert_eq!(next_session(day("2026-07-02")), Some(day("2026-07-06")));
    assert_eq!(previous_session(day("2026-07-06")), Some(day("2026-07-02")));
    assert_eq!(next_session(day("2025-01-08")), Some(day("2025-01-10")));
    assert_eq!(next_session(Date::MAX), None);
    assert_eq!(previous_session(Date::MIN), None);
}

fn plan(deadline: &str, track: Track, rule: &str) -> WindowPlan {
    let rule = WindowRule::parse(rule).unwrap();
    plan_window(deadline.parse().unwrap(), track, rule).unwrap()
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
    check("2029-01-31T13:25:00Z", "2029-01-31 2029-02-28");
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
fn a_plan_warns_of_known_prices_and_unchecked_years() {
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
    check("2030-12-16T12:00:00Z", first, "2031-01-16: closures");
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
    let error = plan_window(Timestamp::MAX, Track::Monthly, WindowRule::default());
    assert_eq!(error, Err(WindowError::OutOfRange(Timestamp::MAX)));
}

proptest! {
    #[test]
    fn every_plan_is_two_sessions_around_the_deadline(
        second in 1_704_067_200_i64..1_924_991_999,
        weekly in proptest::bool::ANY,
        roll in prop_oneof![Just(Roll::Previous), Just(Roll::Next)],
    ) {
        let deadline = Timestamp::from_second(second).unwrap();
        let track = if weekly { Track::Weekly } else { Track::Monthly };
        let first = WindowRule { entry: EntryRule::FirstCloseAfterDeadline, roll };
        let plan = plan_window(deadline, track, first).unwrap();
        prop_assert!(is_session(plan.window.entry) && is_session(plan.window.exit));
        prop_assert!(plan.entry_close > deadline);
        let before = previous_session(plan.window.entry).unwrap();
        prop_assert!(close_at(before).unwrap() <= deadline);
        let expected = if weekly { 3..=11 } else { 25..=35 };
        prop_assert!(expected.contains(&plan.window.days()));
        let last = WindowRule { entry: EntryRule::LastCloseBeforeDeadline, roll };
        let backward = plan_window(deadline, track, last).unwrap();
        prop_assert_eq!(backward.window.entry, before);
    }
}

#[test]
fn the_last_session_by_an_instant_has_closed() {
    let check = |instant: &str, day: &str| {
        let found = last_session_by(instant.parse().unwrap()).unwrap();
        assert_eq!(found.to_string(), day, "{instant}");
    };
    check("2026-12-07T20:59:59Z", "2026-12-04");
    check("2026-12-07T21:00:00Z", "2026-12-07");
    check("2026-12-06T12:00:00Z", "2026-12-04");
    check("2026-11-27T17:59:59Z", "2026-11-25");
    check("2026-11-27T18:00:00Z", "2026-11-27");
}
