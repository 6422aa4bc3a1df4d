use super::*;
use capitalbench_archive::public::public_record::publication;
use std::path::Path;

fn at(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

#[test]
fn the_site_changes_at_the_next_close_and_waits_for_nothing_long() {
    let rounds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/rounds");
    let next = |now: &str| {
        let found = publication(&rounds, at(now), &|| ()).expect("a publication");
        next_change(&found)
    };
    // The exit close of the weekly fixture: four in the afternoon in New York.
    assert_eq!(next("2026-03-09T19:55:00Z"), at("2026-03-09T20:00:00Z"));
    assert_eq!(next("2026-03-09T20:00:00Z"), at("2026-03-09T20:10:00Z"));
    assert_eq!(next("2026-03-09T23:56:00Z"), at("2026-03-10T00:00:00Z"));
    // A day later a round without a result is overdue.
    assert_eq!(next("2026-03-10T19:56:00Z"), at("2026-03-10T20:00:00Z"));
}
