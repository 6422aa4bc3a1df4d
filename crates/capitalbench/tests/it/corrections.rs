//! Results that are there are changed only with a reason, and what they were is kept.

use serde_json::Value;

use crate::harness::{RUN, Test, WEEKLY};

const SCORE: [&str; 7] = [
    "score-round",
    "--accept-unproved-prices",
    "invented for tests",
    "--round",
    WEEKLY,
    "--now",
    "2026-03-11T00:00:00Z",
];

fn corrected_price() -> Test {
    Test::weekly().replace("prices/exit_prices.csv", "82.9,82.9", "83.9,83.9")
}

#[test]
fn changed_prices_do_not_silently_change_a_result() {
    let test = corrected_price();
    test.run(&SCORE)
        .code(2)
        .complains("run official-1 already has other results")
        .complains("results/leaderboard.csv")
        .complains("--correct REASON");
    let blank = [&SCORE[..], &["--correct", " "]].concat();
    test.run_without_trace(&blank)
        .code(2)
        .complains("--correct needs a reason");
}

#[test]
fn a_correction_is_recorded_and_keeps_the_old_results() {
    let test = corrected_price();
    let old = test.read(&format!("{RUN}/results/leaderboard.csv"));
    let correct = [&SCORE[..], &["--correct", "the vendor corrected gold"]].concat();
    test.run(&correct).code(0).says("results/superseded/0001");
    let kept = format!("{RUN}/results/superseded/0001/leaderboard.csv");
    assert_eq!(test.read(&kept), old);
    assert_ne!(test.read(&format!("{RUN}/results/leaderboard.csv")), old);
    let log = test.read(&format!("{RUN}/corrections.jsonl"));
    let line: Value = serde_json::from_str(log.trim()).unwrap();
    assert_eq!(line["reason"], "the vendor corrected gold");
    assert!(
        line["corrected_at_utc"]
            .as_str()
            .unwrap()
            .starts_with("2026-03-11T00:00:00")
    );
    let pair = &line["prices"];
    assert_eq!(
        pair["old"]["entry_prices_sha256"],
        pair["new"]["entry_prices_sha256"]
    );
    assert_ne!(
        pair["old"]["exit_prices_sha256"],
        pair["new"]["exit_prices_sha256"]
    );
    let values = line["values"].as_array().unwrap();
    assert!(
        values
            .iter()
            .any(|change| change["figure"] == "portfolio_return")
    );
    assert!(values.iter().all(|change| change["old"] != change["new"]));
    assert_eq!(test.codes(), [""; 0]);
    let before = test.tree();
    test.run(&correct).code(0);
    assert_eq!(before, test.tree());
    let test = test.replace("prices/exit_prices.csv", "83.9,83.9", "82.9,82.9");
    test.run(&correct).code(0).says("results/superseded/0002");
    assert_eq!(
        test.read(&format!("{RUN}/corrections.jsonl"))
            .lines()
            .count(),
        2
    );
    assert_eq!(test.read(&format!("{RUN}/results/leaderboard.csv")), old);
}

#[test]
fn outcomes_must_follow_from_the_prices() {
    let outcomes = format!("{RUN}/results/outcomes.json");
    let test = Test::weekly().replace(&outcomes, "\"rank\"", "\"place\"");
    assert_eq!(test.codes(), ["result-differs"]);
    let test = Test::weekly().remove(&outcomes);
    assert_eq!(test.codes(), ["result-incomplete"]);
    test.run(&SCORE).code(0);
    assert_eq!(test.codes(), [""; 0]);
}
