//! A wall clock that leaps between any two looks.

use serde_json::Value;

use crate::faulty_layer::FaultyLayer;
use crate::signed_round::{NAME, SignedRound};

#[test]
fn a_given_time_does_not_follow_the_leaps_of_the_clock() {
    let layer = FaultyLayer::build().path().display().to_string();
    let resolve = "resolve-due --rounds-dir signed --source csv --histories histories \
                   --now 2026-09-22T00:15:00Z";
    let resolve: Vec<&str> = resolve.split_whitespace().collect();
    let round = SignedRound::accepted();
    for leap in ["86400", "-86400"] {
        let test = round.test().again();
        let told = [("LD_PRELOAD", layer.as_str()), ("CLOCK_LEAP", leap)];
        test.run_as_typed(&told, &resolve)
            .code(0)
            .says(&format!("{NAME}: resolved"));
        let status = ["automation-status", "--rounds-dir", "signed", "--json"];
        let said: Value = test.run(&status).json();
        let ended = said["jobs"][0]["completed_at_utc"].as_str();
        let ended = ended.expect("an instant");
        assert!(ended.starts_with("2026-09-22T00:1"), "{ended}");
    }
}

#[test]
fn a_clock_that_is_set_back_leaves_no_instants_that_run_backwards() {
    let layer = FaultyLayer::build().path().display().to_string();
    let told = [("LD_PRELOAD", layer.as_str()), ("CLOCK_LEAP", "-3600")];
    let round = SignedRound::resolved();
    let test = round.test();
    let report = format!("publish-report --round signed/{NAME}");
    let report: Vec<&str> = report.split_whitespace().collect();
    test.run_as_typed(&told, &report).code(0);
    test.run(&["verify", "signed"]).code(0);
}
