use std::fs;
use std::path::Path;

use capitalbench_archive::round::round_folder::RoundFolder;
use jiff::Timestamp;

use super::{Failed, Hints};
use crate::error::Error;

const NAME: &str = "HOUSE-2026-12-07-1W";

fn at(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

fn failed<'a>(error: &'a Error, last_try: Option<&str>) -> Failed<'a> {
    Failed {
        round: Some(NAME),
        error,
        last_try: last_try.map(at),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test that lays out its own round"
)]
fn round(folder: &Path) -> RoundFolder {
    let round = folder.join(NAME);
    fs::create_dir_all(round.join("automation")).expect("a folder");
    fs::write(round.join("manifest.yaml"), "").expect("a file");
    fs::write(round.join("automation/resolution_job.yaml"), "one").expect("a file");
    RoundFolder::open(&round).expect("a round")
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a test that changes a file behind the program's back"
)]
fn a_round_is_over_only_while_the_file_that_ended_it_is_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let round = round(folder.path());
    let mut hints = Hints::load(folder.path());
    assert!(!hints.is_over(&round));
    hints.set_done(&format!("accept {NAME}"));
    hints.set_over(&round);
    assert!(!hints.is_done(&format!("accept {NAME}")));
    hints.store().expect("a file");
    assert!(Hints::load(folder.path()).is_over(&round));
    let job = round.file("automation/resolution_job.yaml");
    fs::write(&job, "another").expect("a file");
    assert!(!Hints::load(folder.path()).is_over(&round));
    fs::write(folder.path().join("league.json"), "{spoiled").expect("a file");
    assert!(!Hints::load(folder.path()).is_over(&round));
}

#[test]
fn the_pause_doubles_ends_before_the_deadline_and_is_that_of_the_plan_where_one_is_used_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut hints = Hints::load(folder.path());
    let error = Error::new("the source is down").hint("wait");
    let now = at("2026-12-07T13:00:00Z");
    let until = |hints: &mut Hints, last: Option<&str>| {
        hints
            .hold("ask", failed(&error, last), now)
            .until
            .to_string()
    };
    assert_eq!(until(&mut hints, None), "2026-12-07T13:01:00Z");
    assert_eq!(until(&mut hints, None), "2026-12-07T13:02:00Z");
    assert_eq!(
        until(&mut hints, Some("2026-12-07T14:23:00Z")),
        "2026-12-07T13:04:00Z"
    );
    assert_eq!(
        until(&mut hints, Some("2026-12-07T13:03:00Z")),
        "2026-12-07T13:03:00Z"
    );
    assert_eq!(
        until(&mut hints, Some("2026-12-07T12:59:00Z")),
        "2026-12-07T13:10:00Z"
    );
    assert_eq!(hints.reason(NAME), Some("the source is down; wait"));
    hints.free("ask");
    assert_eq!(hints.reason(NAME), None);
    let waits = Error {
        waits_until: Some(at("2026-12-07T15:00:00Z")),
        ..error.clone()
    };
    let held = hints.hold("ask", failed(&waits, Some("2026-12-07T14:23:00Z")), now);
    assert!(held.waits_for_plan);
    assert_eq!(held.until, at("2026-12-07T15:00:00Z"));
}

#[test]
fn what_is_published_is_known_until_something_is_about_to_change() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut hints = Hints::load(folder.path());
    assert_eq!(hints.published(), None);
    let now = at("2026-12-07T13:00:00Z");
    hints.set_published(now);
    assert_eq!(hints.published(), Some(now));
    hints.set_unpublished().expect("a file");
    let mut later = Hints::load(folder.path());
    assert_eq!(later.published(), None);
    later.set_published(now);
    later.store().expect("a file");
    assert_eq!(Hints::load(folder.path()).published(), Some(now));
}
