use super::Line::{
    AttemptsBeforePicks, AttemptsInOrder, EntryBeforeExit, ExitBeforeScore, FreezeBeforeAttempts,
    PicksBeforeEntry,
};
use super::*;

fn at(text: &str) -> Timestamp {
    format!("2026-12-{text}:00Z").parse().unwrap()
}

fn mark(first: u64, last: u64, own: &str, before: Option<&str>) -> Mark {
    Mark {
        first,
        last,
        at: at(own),
        before: before.map(at),
    }
}

/// A round without fault.
fn good() -> History {
    History {
        freeze: Some(mark(0, 1, "06T10:00", Some("06T10:01"))),
        first_attempt: Some(mark(3, 3, "06T10:02", Some("06T10:31"))),
        last_attempt: Some(mark(8, 8, "06T10:20", Some("06T10:31"))),
        picks: Some(mark(9, 12, "06T10:30", Some("06T10:31"))),
        entry: Some(at("07T21:00")),
        exit: Some(at("14T21:00")),
        score: Some(mark(20, 20, "15T01:00", Some("15T01:01"))),
    }
}

fn verdict(line: Line, change: impl FnOnce(&mut History)) -> Verdict {
    let mut history = good();
    change(&mut history);
    let judged = judge(&history).into_iter();
    let mut own = judged.filter(|judged| judged.line == line);
    own.next().unwrap().verdict
}

#[test]
fn a_good_round_is_proved_and_names_whose_word_it_rests_on() {
    let found = judge(&good()).map(|judged| judged.verdict);
    let expected = [
        RestsOn::OwnClock,
        RestsOn::OwnClock,
        RestsOn::OwnClock,
        RestsOn::OutsideClock,
        RestsOn::Rules,
        RestsOn::OutsideClock,
    ];
    assert_eq!(found, expected.map(Verdict::Proved));
    assert!(judge(&good()).iter().all(|judged| !judged.refuses()));
}

#[test]
fn steps_that_have_not_happened_are_open() {
    let drafts = History {
        entry: good().entry,
        exit: good().exit,
        ..History::default()
    };
    let found = judge(&drafts).map(|judged| judged.verdict);
    let open = || Verdict::Open;
    let rules = Verdict::Proved(RestsOn::Rules);
    assert_eq!(found, [open(), open(), open(), open(), rules, open()]);
    assert!(judge(&drafts).iter().all(|judged| !judged.refuses()));
}

type Case = (Line, fn(&mut History), &'static str);

const UNPROVED: [Case; 14] = [
    (
        FreezeBeforeAttempts,
        |h| h.freeze = None,
        "the freeze: not in the log",
    ),
    (
        FreezeBeforeAttempts,
        |h| h.freeze = Some(mark(0, 1, "06T10:00", None)),
        "the freeze: stamped by no outside clock",
    ),
    (
        FreezeBeforeAttempts,
        |h| h.freeze = Some(mark(0, 1, "06T10:00", Some("06T10:02"))),
        "the freeze: stamped only at 2026-12-06T10:02:00Z, which is not before \
             2026-12-06T10:02:00Z",
    ),
    (
        FreezeBeforeAttempts,
        |h| h.freeze = Some(mark(0, 1, "06T10:00", Some("09T00:00"))),
        "the freeze: stamped only at 2026-12-09T00:00:00Z, which is not before \
             2026-12-06T10:02:00Z",
    ),
    (
        AttemptsInOrder,
        |h| h.first_attempt = None,
        "the first request: not in the log",
    ),
    (
        AttemptsBeforePicks,
        |h| h.last_attempt = None,
        "the last answer: not in the log",
    ),
    (
        AttemptsBeforePicks,
        |h| h.picks = Some(mark(9, 12, "06T10:30", None)),
        "the picks: stamped by no outside clock",
    ),
    (
        PicksBeforeEntry,
        |h| h.picks = Some(mark(9, 12, "06T10:30", None)),
        "the picks: stamped by no outside clock",
    ),
    (
        PicksBeforeEntry,
        |h| h.picks = Some(mark(9, 12, "06T10:30", Some("07T21:00"))),
        "the picks: stamped only at 2026-12-07T21:00:00Z, which is not before \
             2026-12-07T21:00:00Z",
    ),
    (
        PicksBeforeEntry,
        |h| h.entry = None,
        "the rules name no entry and exit close",
    ),
    (
        EntryBeforeExit,
        |h| h.exit = None,
        "the rules name no entry and exit close",
    ),
    (
        ExitBeforeScore,
        |h| h.exit = None,
        "the rules name no entry and exit close",
    ),
    (
        ExitBeforeScore,
        |h| h.picks = None,
        "the picks: not in the log",
    ),
    (
        ExitBeforeScore,
        |h| h.score = Some(mark(20, 20, "15T01:00", None)),
        "the results: stamped by no outside clock",
    ),
];

#[test]
fn steps_without_evidence_are_not_proved() {
    for (line, change, expected) in UNPROVED {
        match verdict(line, change) {
            Verdict::NotProved(why) => assert_eq!(why.to_string(), expected, "{line:?}"),
            other => panic!("{line:?}: {other:?}, not {expected}"),
        }
    }
}

const BROKEN: [Case; 15] = [
    (
        FreezeBeforeAttempts,
        |h| h.first_attempt = Some(mark(1, 1, "06T10:02", None)),
        "the log has the first request before the freeze",
    ),
    (
        FreezeBeforeAttempts,
        |h| h.freeze = Some(mark(0, 1, "06T10:03", Some("06T10:01"))),
        "the freeze: the log says 2026-12-06T10:03:00Z, and an outside clock had seen it before \
             2026-12-06T10:01:00Z",
    ),
    (
        FreezeBeforeAttempts,
        |h| h.first_attempt = Some(mark(3, 3, "06T11:00", Some("06T10:31"))),
        "the first request: the log says 2026-12-06T11:00:00Z, and an outside clock had seen it \
             before 2026-12-06T10:31:00Z",
    ),
    (
        FreezeBeforeAttempts,
        |h| h.freeze = Some(mark(0, 1, "06T10:03", None)),
        "the freeze (2026-12-06T10:03:00Z) must come before the first request \
             (2026-12-06T10:02:00Z)",
    ),
    (
        AttemptsBeforePicks,
        |h| h.picks = Some(mark(9, 12, "06T10:10", None)),
        "the last answer (2026-12-06T10:20:00Z) must come before the picks \
             (2026-12-06T10:10:00Z)",
    ),
    (
        PicksBeforeEntry,
        |h| h.picks = Some(mark(9, 12, "07T21:00", None)),
        "the picks (2026-12-07T21:00:00Z) must come before the entry close \
             (2026-12-07T21:00:00Z)",
    ),
    (
        ExitBeforeScore,
        |h| h.score = Some(mark(20, 20, "14T20:59", None)),
        "the exit close (2026-12-14T21:00:00Z) must come before the results \
             (2026-12-14T20:59:00Z)",
    ),
    (
        AttemptsInOrder,
        |h| h.last_attempt = Some(mark(3, 3, "06T10:20", None)),
        "the log has the last answer before the first request",
    ),
    (
        AttemptsInOrder,
        |h| h.last_attempt = Some(mark(8, 8, "06T10:01", None)),
        "the first request (2026-12-06T10:02:00Z) must come before the last answer \
             (2026-12-06T10:01:00Z)",
    ),
    (
        AttemptsBeforePicks,
        |h| h.last_attempt = Some(mark(9, 9, "06T10:20", None)),
        "the log has the picks before the last answer",
    ),
    (
        AttemptsBeforePicks,
        |h| h.last_attempt = Some(mark(8, 8, "06T10:33", None)),
        "the last answer (2026-12-06T10:33:00Z) must come before the picks \
             (2026-12-06T10:31:00Z)",
    ),
    (
        EntryBeforeExit,
        |h| h.exit = h.entry,
        "the entry close (2026-12-07T21:00:00Z) must come before the exit close \
             (2026-12-07T21:00:00Z)",
    ),
    (
        ExitBeforeScore,
        |h| h.score = Some(mark(20, 20, "14T20:59", Some("14T20:59"))),
        "the exit close (2026-12-14T21:00:00Z) must come before the results \
             (2026-12-14T20:59:00Z)",
    ),
    (
        ExitBeforeScore,
        |h| h.score = Some(mark(12, 12, "15T01:00", None)),
        "the log has the results before the picks",
    ),
    (
        ExitBeforeScore,
        |h| h.score = Some(mark(20, 20, "15T01:03", Some("15T01:01"))),
        "the results: the log says 2026-12-15T01:03:00Z, and an outside clock had seen it before \
             2026-12-15T01:01:00Z",
    ),
];

#[test]
fn steps_that_log_or_clock_contradict_are_broken() {
    for (line, change, expected) in BROKEN {
        match verdict(line, change) {
            Verdict::Broken(why) => assert_eq!(why.to_string(), expected, "{line:?}"),
            other => panic!("{line:?}: {other:?}, not {expected}"),
        }
    }
}

#[test]
fn clocks_may_differ_by_a_minute_and_results_may_wait_for_their_stamp() {
    let line = Line::FreezeBeforeAttempts;
    let slow = |h: &mut History| {
        h.freeze = Some(mark(0, 1, "06T10:01", Some("06T10:00")));
    };
    let proved = Verdict::Proved(RestsOn::OwnClock);
    assert_eq!(verdict(line, slow), proved);
    let mut history = good();
    history.score = Some(mark(20, 20, "15T01:00", None));
    let judged = judge(&history);
    assert!(matches!(judged[5].verdict, Verdict::NotProved(_)));
    assert!(judged.iter().all(|judged| !judged.refuses()));
    history.picks = Some(mark(9, 12, "06T10:30", None));
    let codes: Vec<&str> = judge(&history)
        .iter()
        .filter(|judged| judged.refuses())
        .map(|judged| judged.line.code())
        .collect();
    assert_eq!(codes, ["attempts-before-picks", "picks-before-entry"]);
}
