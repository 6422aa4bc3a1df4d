//! `audit-round`: areas, next steps and exit codes.

use serde_json::Value;

use crate::harness::{MONTHLY, PENDING, RUN, Test, WEEKLY};

fn audit(test: &Test, round: &str) -> Vec<String> {
    let report = test.run(&["audit-round", "--round", round, "--json"]);
    let report = report.json();
    let word = |check: &Value, member: &str| check[member].as_str().expect("a word").to_owned();
    let checks = report["checks"].as_array().expect("checks").iter();
    checks
        .map(|check| format!("{} {}", word(check, "area"), word(check, "status")))
        .collect()
}

#[test]
fn a_resolved_round_passes_everywhere() {
    let test = Test::weekly();
    test.run(&["audit-round", "--round", WEEKLY])
        .code(0)
        .prints(
            "PASS           inputs
PASS           freeze
PASS           research
PASS           prices
PASS           runs
PASS           record
PASS           results
Audit status: PASS
",
        );
}

#[test]
fn steps_that_are_not_due_are_not_missing() {
    let test = Test::round(PENDING);
    let ran = test.run(&["audit-round", "--round", PENDING]).code(0);
    ran.says("NOT DUE        prices\n")
        .says("pending  runs/official-1/results: waits for the close of 2099-03-16\n")
        .says("Audit status: PASS\n");
    let later = [
        "audit-round",
        "--round",
        PENDING,
        "--now",
        "2099-04-01T00:00:00Z",
    ];
    test.run(&later)
        .code(1)
        .says("MISSING        prices\n")
        .says("next: capitalbench fetch-prices --round weekly-portfolio-pending --side entry\n")
        .says("next: capitalbench score-round --round weekly-portfolio-pending\n")
        .says("Audit status: FAIL\n");
}

#[test]
fn a_draft_names_the_next_step() {
    let test = Test::weekly()
        .remove("hashes.json")
        .remove("runs")
        .remove("automation");
    test.run(&["audit-round", "--round", WEEKLY])
        .code(1)
        .says("MISSING        freeze\n")
        .says("next: capitalbench hash-round --round weekly-portfolio-resolved\n");
}

#[test]
fn findings_belong_to_their_area_and_name_their_file() {
    let area = |test: &Test, round: &str, expected: &str| {
        let areas = audit(test, round);
        assert!(areas.iter().any(|area| area == expected), "{areas:?}");
        let passing = areas.iter().filter(|area| area.ends_with("PASS")).count();
        assert_eq!(passing, 6, "{areas:?}");
    };
    for (name, expected) in [
        ("changed-prompt", "freeze FAIL"),
        ("exit-price-off-date", "prices FAIL"),
        ("late-decision", "record WARN"),
        ("parsed-edited", "runs FAIL"),
        ("reply-edited", "runs FAIL"),
        ("research-edited", "research FAIL"),
        ("score-edited", "results FAIL"),
    ] {
        area(&Test::broken(name), name, expected);
    }
    area(&Test::weekly().remove("prompt.md"), WEEKLY, "inputs FAIL");
    let private = Test::weekly().remove(&format!("{RUN}/raw_responses"));
    area(&private, WEEKLY, "runs NOT PUBLISHED");
    let test = Test::broken("changed-prompt");
    test.run(&["audit-round", "--round", "changed-prompt"])
        .code(1)
        .says("input-hash-mismatch  prompt.md: its bytes changed after it was hashed\n");
}

#[test]
fn other_runs_can_be_left_out() {
    let test = Test::round(MONTHLY);
    let parsed = "runs/stability-1/submissions/parsed";
    let file = format!("{parsed}/openai-fixture-a__replicate_001.json");
    let test = test.replace(&file, "0.55", "0.65");
    test.run(&["audit-round", "--round", MONTHLY]).code(1);
    let one = ["audit-round", "--round", MONTHLY, "--run-id", "official-1"];
    test.run(&one).code(0);
    let other = ["audit-round", "--round", MONTHLY, "--run-id", "stability-1"];
    test.run(&other)
        .code(1)
        .says("parsed-submission-differs  runs/stability-1/");
}

#[test]
fn an_audit_writes_nothing() {
    let test = Test::broken("score-edited");
    test.run_without_trace(&["audit-round", "--round", "score-edited"])
        .code(1);
}
