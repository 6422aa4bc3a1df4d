//! Control entrants beside a run: recorded, scored and verified apart from the models.

use serde_json::Value;

use crate::harness::{Ran, Test};
use crate::real_providers::{ROUND, frozen_with};

const MODELS: &str = "models:\n\
    - {model_id: m0, provider: mock, api_model_name: m0}\n\
    - {model_id: m1, provider: mock, api_model_name: m1}\n";

fn run(test: &Test, line: &str) -> Ran {
    let arguments: Vec<&str> = line.split_whitespace().collect();
    test.run(&arguments)
}

/// A rehearsal of a frozen round.
fn rehearsed(more: &str) -> Test {
    let test = frozen_with(MODELS);
    run(&test, &asking("first", more)).code(0);
    test
}

fn asking(run_id: &str, more: &str) -> String {
    format!("run-round --round {ROUND} --models models.yaml --mock --run-id {run_id} {more}")
}

fn control(test: &Test, run_id: &str, name: &str) -> Value {
    let path = format!("{ROUND}/runs/{run_id}/controls/{name}.json");
    let text = std::fs::read_to_string(test.folder().join(path)).expect("a control");
    serde_json::from_str(&text).expect("JSON")
}

fn codes(test: &Test) -> Vec<String> {
    let report = run(test, &format!("verify {ROUND} --json")).json();
    let findings = report["rounds"][0]["findings"]
        .as_array()
        .expect("findings");
    let errors = findings.iter().filter(|one| one["severity"] == "error");
    errors
        .map(|one| one["code"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn ten_controls_stand_beside_the_models_and_are_never_counted_as_one() {
    let test = rehearsed("");
    let cash = control(&test, "first", "control-cash");
    assert_eq!(cash["provider"], "control");
    assert_eq!(cash["metadata"]["control"], true);
    assert_eq!(cash["cost_usd"], 0.0);
    assert_eq!(cash["portfolio"][0]["option_id"], "CASH");
    let consensus = control(&test, "first", "control-consensus");
    assert!(consensus["portfolio"].is_array(), "{consensus}");
    let best = control(&test, "first", "control-last-best");
    assert!(best["unavailable"].is_string(), "{best}");
    let listed = run(&test, &format!("list-runs --round {ROUND} --json")).json();
    assert_eq!(listed["runs"][0]["control_entrants"], 10);
    assert_eq!(listed["runs"][0]["model_count"], 2);
    assert_eq!(codes(&test), [""; 0]);
}

#[test]
fn a_changed_missing_or_added_control_is_found() {
    let path = |name: &str| format!("{ROUND}/runs/first/controls/{name}.json");
    let test = rehearsed("");
    let file = test.folder().join(path("control-random"));
    let text = std::fs::read_to_string(&file).expect("a control");
    std::fs::write(
        &file,
        text.replace("\"cost_usd\": 0.0", "\"cost_usd\": 1.0"),
    )
    .expect("spoiled");
    assert_eq!(codes(&test), ["control-differs"]);
    std::fs::write(&file, &text).expect("restored");
    assert_eq!(codes(&test), [""; 0]);
    std::fs::remove_file(&file).expect("removed");
    std::fs::write(test.folder().join(path("control-mine")), text).expect("added");
    assert_eq!(codes(&test), ["control-differs", "control-differs"]);
    let folder = test.folder().join(format!("{ROUND}/runs/first/controls"));
    std::fs::remove_dir_all(folder).expect("removed");
    assert_eq!(codes(&test).len(), 10);
}

#[test]
fn they_can_be_left_out_and_another_seed_moves_only_what_models_say() {
    let test = rehearsed("--no-controls");
    assert!(
        !test
            .folder()
            .join(format!("{ROUND}/runs/first/controls"))
            .exists()
    );
    run(&test, &asking("second", ""))
        .code(0)
        .says("10 control entrants");
    run(&test, &asking("third", "--seed 7")).code(0);
    let compared = format!("compare-runs second third --round {ROUND} --json");
    let compared = run(&test, &compared).json();
    let controls = compared["controls"].as_array().expect("controls");
    let differing: Vec<&str> = controls
        .iter()
        .filter(|row| row["verdict"] == "differs")
        .filter_map(|row| row["model_id"].as_str())
        .collect();
    assert_eq!(differing, ["control-consensus"]);
    assert_eq!(compared["models"].as_array().expect("models").len(), 2);
    assert_eq!(codes(&test), [""; 0]);
}
