//! A wall clock that leaps between any two looks: a time that was given goes on evenly.

use crate::due_rounds::job;
use crate::faulty_layer::FaultyLayer;
use crate::killed_between::{MARCH, due};

#[test]
fn a_given_time_does_not_follow_the_leaps_of_the_clock() {
    let layer = FaultyLayer::build();
    let resolve = [&["resolve-due", "--rounds-dir", "rounds"], &MARCH[..]].concat();
    for leap in ["86400", "-86400"] {
        let test = due();
        layer
            .run(&test, &[("CLOCK_LEAP", leap)], &resolve)
            .code(0)
            .says("DUE-00: resolved");
        let job = job(&test, "DUE-00");
        let ended = &job["completed_at_utc"];
        assert!(ended.starts_with("2026-03-10T00:1"), "{ended}");
    }
}
