//! Funds and fixed portfolios that an operator configures as controls.

use serde_json::Value;

use crate::harness::{Ran, Test};

const ROUND: &str = "rehearsal/rounds/HOUSE-2026-12-07-1W";
const CONTROLS: &str = "controls:\n\
    - {name: 60/40, hold: {SP500: 60, CASH: 40}}\n\
    - {name: Target 2050, symbol: VFIFX}\n\
    - {name: Nasdaq, symbol: QQQ}\n";

fn house(controls: &str) -> Test {
    let test = Test::operator("");
    let league = format!("name: House League\nuniverse: v1.5\n{controls}");
    std::fs::write(test.path("league.yaml"), league).expect("a league");
    let models = "models:\n- {model_id: amber, provider: mock, api_model_name: amber}\n\
                  - {model_id: dune, provider: mock, api_model_name: dune}\n";
    std::fs::write(test.path("models.yaml"), models).expect("models");
    test
}

fn run(test: &Test, line: &str) -> Ran {
    let words: Vec<&str> = line.split_whitespace().collect();
    test.run_as_typed(&[], &words)
}

fn resolved() -> Test {
    let test = house(CONTROLS);
    for at in [
        "2026-12-07T12:55:00Z",
        "2026-12-07T14:30:00Z",
        "2026-12-15T01:15:00Z",
    ] {
        run(&test, &format!("league run --now {at}")).code(0);
    }
    test
}

fn control<'a>(board: &'a Value, name: &str) -> &'a Value {
    let mut rows = board.as_array().expect("rows").iter();
    let found = rows.find(|row| row["model_id"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {board}"))
}

#[test]
fn configured_controls_are_frozen_priced_scored_shown_and_verified() {
    let test = resolved();
    let manifest = std::fs::read_to_string(test.path(&format!("{ROUND}/manifest.yaml")));
    let manifest = manifest.expect("a manifest");
    assert!(
        manifest.contains("- name: Target 2050\n  symbol: VFIFX\n"),
        "{manifest}"
    );
    let shown = run(&test, &format!("show-controls --round {ROUND} --json")).json();
    let names: Vec<&str> = shown["controls"]
        .as_array()
        .expect("controls")
        .iter()
        .filter_map(|own| own["name"].as_str())
        .collect();
    let own = ["control-60/40", "control-Target 2050", "control-Nasdaq"];
    assert_eq!(names[10..], own);
    run(&test, &format!("verify {ROUND} --now 2026-12-15T02:00:00Z"))
        .code(0)
        .says("0 errors, 0 warnings");
    run(
        &test,
        "export --rounds-dir rehearsal/rounds --output export --as-of 2026-12-15T02:00:00Z",
    )
    .code(0);
    let text = std::fs::read_to_string(test.path("export/publication.json")).expect("an export");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let result = &document["rounds"][0]["result"];
    let rows = &result["control_outcomes"];
    let (fund, mix) = (control(rows, own[1]), control(rows, own[0]));
    assert_eq!(fund["primary_option_id"], own[1]);
    let reference = control(rows, "control-reference")["return_fraction"].as_f64();
    let expected = 0.6 * reference.expect("a return");
    let got = mix["return_fraction"].as_f64().expect("a return");
    assert!((got - expected).abs() < 1e-12, "{got} {expected}");
    // The fund is no option: it is neither ranked nor the best one.
    let options = result["option_returns"].to_string();
    assert!(!options.contains(own[1]), "{options}");
    let page = test.path("rehearsal/site/rounds/HOUSE-2026-12-07-1W/index.html");
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(
        page.contains("Target 2050") && page.contains("60/40"),
        "{page}"
    );
}

#[test]
fn a_price_of_a_fund_that_was_changed_is_found() {
    let test = resolved();
    let file = test.path(&format!("{ROUND}/prices/exit_prices.csv"));
    let text = std::fs::read_to_string(&file).expect("prices");
    let row = text
        .lines()
        .find(|line| line.contains("VFIFX"))
        .expect("its row");
    let mut cells: Vec<&str> = row.split(',').collect();
    let last = cells.len() - 2;
    cells[last] = "99999";
    std::fs::write(&file, text.replace(row, &cells.join(","))).expect("spoiled");
    run(&test, &format!("verify {ROUND} --now 2026-12-15T02:00:00Z"))
        .code(1)
        .says("exit_prices.csv");
}

#[test]
fn a_control_that_cannot_stand_stops_the_round_before_it_is_opened() {
    let test = house("controls: [{name: x, hold: {NOWHERE: 100}}]\n");
    run(&test, "league run --now 2026-12-07T12:55:00Z")
        .code(1)
        .complains("NOWHERE");
    assert!(!test.path(ROUND).exists());
    let test = house("format: single_pick\ncontrols: [{name: x, hold: {SP500: 60, CASH: 40}}]\n");
    run(&test, "league run --now 2026-12-07T12:55:00Z")
        .code(1)
        .complains("the round is of single picks");
}
