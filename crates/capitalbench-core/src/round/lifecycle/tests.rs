use super::*;
use crate::market::calendar::Market;

#[test]
fn a_round_moves_through_its_stages() {
    let instant = |text: &str| text.parse::<Timestamp>().unwrap();
    let blank = Facts {
        frozen: false,
        runs: 0,
        record: RecordState::Missing,
        ending: None,
        entry_close: Some(instant("2026-06-01T20:00:00Z")),
        exit_close: Some(instant("2026-06-08T20:00:00Z")),
    };
    let check = |change: fn(&mut Facts), now: &str, expected: Stage| {
        let mut facts = blank;
        change(&mut facts);
        assert_eq!(stage(&facts, instant(now)), expected, "{now}");
    };
    let record: fn(&mut Facts) = |facts| (facts.runs, facts.record) = (1, RecordState::Chosen);
    check(|_| (), "2026-06-01T12:00:00Z", Stage::Draft);
    check(|f| f.frozen = true, "2026-06-01T12:00:00Z", Stage::Frozen);
    check(|f| f.runs = 1, "2026-06-01T12:00:00Z", Stage::Run);
    check(record, "2026-06-01T19:59:59Z", Stage::Accepted);
    check(record, "2026-06-01T20:00:00Z", Stage::Pending);
    check(record, "2026-06-08T20:00:00Z", Stage::Due);
    check(record, "2026-06-09T19:59:59Z", Stage::Due);
    check(record, "2026-06-09T20:00:00Z", Stage::Overdue);
    check(
        |f| f.record = RecordState::Scored,
        "2026-06-09T20:00:01Z",
        Stage::Resolved,
    );
}

#[test]
fn a_round_is_overdue_at_the_same_instant_for_everybody() {
    let day = |text: &str| text.parse().unwrap();
    let window = Window {
        entry: day("2026-06-01"),
        exit: day("2026-06-08"),
        market: Market::default(),
    };
    for (now, overdue) in [
        ("2026-06-08T20:00:00Z", false),
        ("2026-06-09T00:00:00Z", false),
        ("2026-06-09T19:59:59Z", false),
        ("2026-06-09T20:00:00Z", true),
    ] {
        let now = now.parse().unwrap();
        let facts = Facts {
            frozen: true,
            runs: 1,
            record: RecordState::Chosen,
            ending: None,
            entry_close: window.entry_close(),
            exit_close: window.exit_close(),
        };
        assert_eq!(due(Some(window), now) == Due::Overdue, overdue, "{now}");
        assert_eq!(stage(&facts, now) == Stage::Overdue, overdue, "{now}");
    }
    assert_eq!(due(None, Timestamp::MAX), Due::NotYet);
}

#[test]
fn a_round_that_ended_without_a_record_says_how() {
    for (ending, expected) in [
        (Ending::Voided, Stage::Voided),
        (Ending::Abandoned, Stage::Abandoned),
    ] {
        let facts = Facts {
            frozen: true,
            runs: 1,
            record: RecordState::Missing,
            ending: Some(ending),
            entry_close: None,
            exit_close: None,
        };
        assert_eq!(stage(&facts, Timestamp::UNIX_EPOCH), expected);
        assert_eq!(expected.as_str(), ending.as_str());
    }
}
