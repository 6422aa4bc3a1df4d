//! Control entrants beside a run: recorded, scored and verified apart from the models.

use serde_json::Value;

use crate::fake_models::{FAR, ROUND, V1_1, frozen_with};
use crate::harness::{PENDING, Ran, Test, WEEKLY};

const MODELS: &str = "models:\n\
    - {model_id: m0, provider: mock, api_model_name: m0}\n\
    - {model_id: m1, provider: mock, api_model_name: m1}\n";

fn run(test: &Test, line: &str) -> Ran {
    let arguments: Vec<&str> = line.split_whitespace().collect();
    test.run(&arguments)
}

/// A rehearsal of a frozen round.
fn rehearsed(more: &str) -> Test {
    let test = frozen_with(MODELS, FAR, V1_1);
    run(&test, &asking("first", more)).code(0);
    test
}

fn asking(run_id: &str, more: &str) -> String {
    format!("run-round --round {ROUND} --models models.yaml --mock --run-id {run_id} {more}")
}

fn control(test: &Test, run_id: &str, name: &str) -> Value {
    let path = format!("{ROUND}/runs/{run_id}/controls/{name}.json");
    let written = std::fs::read_to_string(test.folder().join(path)).expect("a control");
    serde_json::from_str(&written).expect("JSON")
}

fn codes(test: &Test) -> Vec<String> {
    codes_at(test, "")
}

fn codes_at(test: &Test, more: &str) -> Vec<String> {
    let report = run(test, &format!("verify {ROUND} --json {more}")).json();
    let findings = report["rounds"][0]["findings"]
        .as_array()
        .expect("findings");
    let errors = findings.iter().filter(|one| one["severity"] == "error");
    errors
        .map(|one| one["code"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn ten_controls_stand_beside_the_models_and_never_count_as_models() {
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
    let written = std::fs::read_to_string(&file).expect("a control");
    std::fs::write(
        &file,
        written.replace("\"cost_usd\": 0.0", "\"cost_usd\": 1.0"),
    )
    .expect("spoiled");
    assert_eq!(codes(&test), ["control-differs"]);
    std::fs::write(&file, &written).expect("restored");
    assert_eq!(codes(&test), [""; 0]);
    std::fs::remove_file(&file).expect("removed");
    std::fs::write(test.folder().join(path("control-mine")), written).expect("added");
    assert_eq!(codes(&test), ["control-differs", "control-differs"]);
    let folder = test.folder().join(format!("{ROUND}/runs/first/controls"));
    std::fs::remove_dir_all(folder).expect("removed");
    assert_eq!(codes(&test).len(), 10);
}

#[test]
fn controls_are_scored_by_the_same_rule_and_never_ranked() {
    let test = rehearsed("");
    let folder = test.folder().join(ROUND);
    let manifest = std::fs::read_to_string(folder.join("manifest.yaml")).expect("a manifest");
    let options = std::fs::read_to_string(folder.join("options.yaml")).expect("options");
    let ids: Vec<&str> = options
        .lines()
        .filter_map(|line| line.strip_prefix("- id: "))
        .collect();
    std::fs::create_dir_all(folder.join("prices")).expect("a folder");
    for (side, step) in [("entry", 0.0), ("exit", 1.5)] {
        let label = format!("{side}_date:");
        let day = manifest.lines().find_map(|line| line.strip_prefix(&label));
        let day = day.expect("a day").trim().trim_matches(['\'', '"']);
        let header = "option_id,symbol,date,close,adj_close,source\n".to_owned();
        let rows = (0_u32..).zip(&ids).map(|(index, id)| {
            let price = match *id {
                "CASH" => 1.0,
                _ => 100.0 + step * f64::from(index),
            };
            format!("{id},,{day},{price:?},{price:?},made\n")
        });
        let sheet = header + &rows.collect::<Vec<_>>().concat();
        let file = folder.join(format!("prices/{side}_prices.csv"));
        std::fs::write(file, sheet).expect("a sheet");
    }
    let later = "--now 2031-01-01T00:00:00Z";
    let score =
        format!("score-round --round {ROUND} --run-id first {later} --accept-unproved-prices made");
    let report = run(&test, &format!("{score} --json")).code(0).json();
    assert_eq!(report["outcomes"].as_array().expect("outcomes").len(), 2);
    let controls = report["controls"].as_array().expect("controls");
    assert_eq!(controls.len(), 10);
    let of = |name: &str| controls.iter().find(|one| one["control_id"] == name);
    let reference = of("control-reference").expect("the reference");
    assert_eq!(reference["return"], report["sp500_return"]);
    assert_eq!(reference["alpha_vs_sp500"], 0.0);
    assert_eq!(of("control-cash").expect("cash")["return"], 0.0);
    run(&test, &score).code(0).says("control, not ranked");
    let results = folder.join("runs/first/results");
    let read = |name: &str| std::fs::read_to_string(results.join(name)).expect("a table");
    assert!(!read("leaderboard.csv").contains("control"));
    assert!(read("controls.csv").contains("control-reference,control,"));
    let codes = || codes_at(&test, later);
    assert_eq!(codes(), [""; 0]);
    let spoiled = read("controls.csv").replace("control-cash", "control-gold");
    std::fs::write(results.join("controls.csv"), spoiled).expect("spoiled");
    assert_eq!(codes(), ["result-differs"]);
}

#[test]
fn controls_can_be_left_out_and_another_seed_moves_only_the_models() {
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

#[test]
fn the_best_option_before_is_kept_with_the_round_that_names_it() {
    let test = Test::all_rounds();
    let exit = "exit_date: '2026-03-0";
    let test = test.replace("manifest.yaml", &format!("{exit}9"), &format!("{exit}6"));
    let manifest = std::fs::read_to_string(test.path(PENDING).join("manifest.yaml"));
    let manifest = manifest.expect("a manifest");
    let roster = manifest.split_once("expected_model_ids:\n");
    let ids = roster.expect("a roster").1.lines();
    let models: Vec<String> = ids
        .map_while(|line| line.strip_prefix("- "))
        .map(|id| format!("- {{model_id: {id}, provider: p, api_model_name: {id}}}\n"))
        .collect();
    let models = format!("models:\n{}", models.concat());
    std::fs::write(test.folder().join("models.yaml"), models).expect("a written file");
    let ask = format!("run-round --round {PENDING} --models models.yaml --mock --run-id later");
    run(&test, &ask).code(0);
    let path = format!("{PENDING}/runs/later/controls/control-last-best.json");
    let kept = std::fs::read_to_string(test.folder().join(path)).expect("a control");
    let kept: Value = serde_json::from_str(&kept).expect("JSON");
    assert_eq!(kept["metadata"]["best_of_round"], WEEKLY);
    assert_eq!(kept["portfolio"][0]["option_id"], "GOLD");
    let differs = |test: &Test| {
        let report = run(test, &format!("verify {PENDING} --json")).json();
        report.to_string().contains("control-differs")
    };
    assert!(!differs(&test));
    // Another best option beside it contradicts what was kept; without that round nothing does.
    let sheet = test.read("prices/exit_prices.csv");
    let gold = sheet
        .lines()
        .find(|line| line.starts_with("GOLD,"))
        .expect("a row");
    let mut cells: Vec<&str> = gold.split(',').collect();
    (cells[3], cells[4]) = ("1.0", "1.0");
    let row = cells.join(",");
    let test = test.replace("prices/exit_prices.csv", gold, &row);
    assert!(differs(&test));
    std::fs::remove_dir_all(test.path(WEEKLY)).expect("removed");
    assert!(!differs(&test));
}
