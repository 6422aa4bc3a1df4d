//! A round of the operator's page, brought as far as a test needs it.

use crate::harness::{Ran, Test};

/// The round's folder.
pub(crate) const ROUND: &str = "rounds/LEAGUE-2026-12-07-1W";
/// The round's name.
pub(crate) const NAME: &str = "LEAGUE-2026-12-07-1W";
/// An instant before the deadline.
pub(crate) const NOW: &str = "2026-12-06T10:00:00Z";
/// The table from the histories on disk.
pub(crate) const FETCH_CSV: [&str; 9] = [
    "fetch-universe-performance",
    "--round",
    ROUND,
    "--as-of-date",
    "2026-12-04",
    "--source",
    "csv",
    "--histories",
    "histories",
];

/// Creation of the round, with more arguments or other ones.
pub(crate) fn init(test: &Test, more: &[&str]) -> Ran {
    test.run(&[&["init-round", "--now", NOW], more].concat())
}

/// What the round is created with.
pub(crate) const ARGUMENTS: [&str; 10] = [
    "--round-id",
    NAME,
    "--horizon",
    "one week",
    "--universe",
    "options.yaml",
    "--models",
    "models.yaml",
    "--decision-deadline",
    "2026-12-07T14:25:00Z",
];

/// A round that was just created.
pub(crate) fn draft() -> Test {
    let test = Test::operator(ROUND);
    init(&test, &ARGUMENTS).code(0);
    test
}

/// Import of a briefing, with the other two reports as they are.
pub(crate) fn import<'a>(briefing: &'a str, cutoff: &'a str) -> [&'a str; 11] {
    [
        "import-research",
        "--round",
        ROUND,
        "--market-fact-report",
        "facts.md",
        "--audit-report",
        "audit.md",
        "--final-briefing",
        briefing,
        "--research-cutoff-utc",
        cutoff,
    ]
}

/// A round with its research.
pub(crate) fn researched() -> Test {
    let test = draft();
    test.run(&import("briefing.md", "2026-12-06T09:00:00Z"))
        .code(0);
    test
}

/// A sealed round: research, market table and digests.
pub(crate) fn frozen() -> Test {
    let test = researched();
    test.run(&FETCH_CSV).code(0);
    test.run(&["hash-round", "--round", ROUND])
        .code(0)
        .says("frozen (9 files)");
    test
}
