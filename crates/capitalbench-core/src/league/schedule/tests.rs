use jiff::Timestamp;
use jiff::civil::{Date, Weekday, date};

use super::month_of;
use crate::league::settings::{Cadence, League, TrackSchedule};
use crate::market::calendar::Market;
use crate::round::manifest::Track;

const MONTHLY: TrackSchedule = TrackSchedule {
    track: Track::Monthly,
    cadence: Cadence::FirstSession,
};

fn weekly(day: Weekday) -> TrackSchedule {
    TrackSchedule {
        track: Track::Weekly,
        cadence: Cadence::Weekly(day),
    }
}

fn league(tracks: &[TrackSchedule]) -> League {
    League {
        tracks: tracks.to_vec(),
        ..League::named("House League")
    }
}

fn at(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

/// Id, opening, deadline, entry and exit of every round between two instants.
fn rounds(league: &League, after: &str, until: &str) -> Vec<[String; 5]> {
    let found = league.rounds_between(at(after), at(until));
    let row = |own: &super::ScheduledRound| {
        [
            own.round_id.to_string(),
            own.opens.to_string(),
            own.deadline.to_string(),
            own.window.window.entry.to_string(),
            own.window.window.exit.to_string(),
        ]
    };
    found.iter().map(row).collect()
}

fn check(league: &League, after: &str, until: &str, expected: &[[&str; 5]]) {
    let found = rounds(league, after, until);
    let expected: Vec<[String; 5]> = expected.iter().map(|row| row.map(str::to_owned)).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_weekly_round_is_decided_before_the_session_of_its_day() {
    check(
        &league(&[weekly(Weekday::Monday)]),
        "2026-12-01T00:00:00Z",
        "2026-12-14T23:00:00Z",
        &[
            [
                "HOUSE-2026-12-07-1W",
                "2026-12-07T12:55:00Z",
                "2026-12-07T14:25:00Z",
                "2026-12-07",
                "2026-12-14",
            ],
            [
                "HOUSE-2026-12-14-1W",
                "2026-12-14T12:55:00Z",
                "2026-12-14T14:25:00Z",
                "2026-12-14",
                "2026-12-21",
            ],
        ],
    );
}

#[test]
fn a_closed_day_moves_on_to_the_next_session_and_summer_time_to_an_earlier_hour() {
    // 18 January 2027 is a holiday; the exit of its round falls on an open Monday.
    check(
        &league(&[weekly(Weekday::Monday)]),
        "2027-01-15T00:00:00Z",
        "2027-01-25T00:00:00Z",
        &[[
            "HOUSE-2027-01-19-1W",
            "2027-01-19T12:55:00Z",
            "2027-01-19T14:25:00Z",
            "2027-01-19",
            "2027-01-26",
        ]],
    );
    // Good Friday moves a round of Friday to Monday, and Saturday never has a session.
    let friday = rounds(
        &league(&[weekly(Weekday::Friday)]),
        "2027-03-20T00:00:00Z",
        "2027-04-03T00:00:00Z",
    );
    let ids: Vec<&str> = friday.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(ids, ["HOUSE-2027-03-29-1W", "HOUSE-2027-04-02-1W"]);
    assert_eq!(friday[1][2], "2027-04-02T13:25:00Z");
    let saturday = rounds(
        &league(&[weekly(Weekday::Saturday)]),
        "2026-12-10T00:00:00Z",
        "2026-12-16T00:00:00Z",
    );
    assert_eq!(saturday[0][0], "HOUSE-2026-12-14-1W");
}

#[test]
fn a_monthly_round_is_decided_before_the_first_session_of_the_month() {
    check(
        &league(&[MONTHLY]),
        "2026-12-15T00:00:00Z",
        "2027-03-01T23:00:00Z",
        &[
            [
                "HOUSE-2027-01-04-1M",
                "2027-01-04T12:55:00Z",
                "2027-01-04T14:25:00Z",
                "2027-01-04",
                "2027-02-04",
            ],
            [
                "HOUSE-2027-02-01-1M",
                "2027-02-01T12:55:00Z",
                "2027-02-01T14:25:00Z",
                "2027-02-01",
                "2027-03-01",
            ],
            [
                "HOUSE-2027-03-01-1M",
                "2027-03-01T12:55:00Z",
                "2027-03-01T14:25:00Z",
                "2027-03-01",
                "2027-04-01",
            ],
        ],
    );
}

#[test]
fn two_tracks_may_decide_on_one_day_and_the_end_of_the_span_counts() {
    let both = league(&[MONTHLY, weekly(Weekday::Monday)]);
    let found = both.rounds_between(at("2027-02-01T00:00:00Z"), at("2027-02-01T14:25:00Z"));
    let ids: Vec<&str> = found.iter().map(|own| own.round_id.as_str()).collect();
    assert_eq!(ids, ["HOUSE-2027-02-01-1W", "HOUSE-2027-02-01-1M"]);
    let none = both.rounds_between(at("2027-02-01T14:25:00Z"), at("2027-02-01T14:25:00Z"));
    assert!(none.is_empty());
}

#[test]
fn the_next_round_of_a_track_is_the_first_whose_deadline_has_not_come() {
    let both = league(&[weekly(Weekday::Monday), MONTHLY]);
    let next = |now: &str| -> Vec<String> {
        let rounds = both.next_rounds(at(now));
        rounds.iter().map(|own| own.round_id.to_string()).collect()
    };
    assert_eq!(
        next("2026-12-07T14:24:59Z"),
        ["HOUSE-2026-12-07-1W", "HOUSE-2027-01-04-1M"]
    );
    assert_eq!(
        next("2026-12-07T14:25:00Z"),
        ["HOUSE-2026-12-14-1W", "HOUSE-2027-01-04-1M"]
    );
    assert_eq!(
        next("2026-12-31T00:00:00Z"),
        ["HOUSE-2027-01-04-1W", "HOUSE-2027-01-04-1M"]
    );
}

#[test]
fn a_round_id_tells_its_track_only_in_the_form_of_this_league() {
    let league = league(&[MONTHLY]);
    for (id, expected) in [
        ("HOUSE-2026-12-07-1W", Some(Track::Weekly)),
        ("HOUSE-2026-12-07-1M", Some(Track::Monthly)),
        ("HOUSE-2026-12-07-1D", None),
        ("HOUSE-2026-12-37-1W", None),
        ("HOUSEHOLD-2026-12-07-1W", None),
        ("OTHER-2026-12-07-1W", None),
        ("HOUSE", None),
    ] {
        assert_eq!(league.track_of(id), expected, "{id}");
    }
}

#[test]
fn a_market_table_shows_the_last_session_whose_rows_are_final() {
    for (now, expected) in [
        ("2026-12-07T12:55:00Z", date(2026, 12, 4)),
        ("2026-12-08T01:14:59Z", date(2026, 12, 4)),
        ("2026-12-08T01:15:00Z", date(2026, 12, 7)),
        ("2026-12-27T12:00:00Z", date(2026, 12, 24)),
    ] {
        assert_eq!(
            Market::default().last_final_session(at(now)),
            Some::<Date>(expected),
            "{now}"
        );
    }
}

#[test]
fn a_month_begins_and_ends_at_midnight_in_utc() {
    let (first, next) = month_of(at("2026-12-31T23:59:59Z")).expect("a month");
    assert_eq!(first, at("2026-12-01T00:00:00Z"));
    assert_eq!(next, at("2027-01-01T00:00:00Z"));
}
