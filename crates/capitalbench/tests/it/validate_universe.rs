//! `validate-universe`: does the price source know every option?

use std::fs;

use serde_json::{Value, json};

use crate::fake_tiingo::{FakeTiingo, reply, tree_without_state};
use crate::harness::Test;
use crate::operator::{ROUND, draft, frozen};

const REPORT: &str = "universe_validation_report.json";

const RANGE: [&str; 4] = ["--start-date", "2025-12-04", "--end-date", "2026-12-04"];
const FILES: [&str; 4] = ["--source", "csv", "--histories", "histories"];

fn validate(what: [&'static str; 2], source: &[&'static str]) -> Vec<&'static str> {
    [&["validate-universe"][..], &what, &RANGE, source].concat()
}

fn report(test: &Test) -> Value {
    serde_json::from_str(&test.read(REPORT)).expect("JSON")
}

#[test]
fn a_known_universe_passes_and_cash_is_skipped() {
    let test = draft();
    test.run(&validate(["--round", ROUND], &FILES))
        .code(0)
        .says("6 of 6 options are known");
    let report = report(&test);
    assert_eq!(report["total_options"], 6);
    assert_eq!(report["cash_options"], 1);
    assert_eq!(
        report["validated_tickers"],
        json!(["FXBIL", "FXSPX", "FXFAR", "FXLNG", "FXGLD"])
    );
    assert_eq!(report["failed_tickers"], json!([]));
    let rows = report["results"].as_array().expect("results");
    assert_eq!(
        (&rows[0]["status"], &rows[0]["rows_returned"]),
        (&json!("skipped_cash"), &json!(0))
    );
    let bills = &rows[1];
    assert_eq!(bills["status"], "pass");
    assert_eq!(bills["first_date"], "2025-12-04");
    assert_eq!(bills["last_date"], "2026-12-04");
    assert_eq!(bills["null_adj_close_count"], 0);
    let markdown = test.read("universe_validation_report.md");
    assert!(
        markdown.contains("| CASH |  | skipped_cash | 0 |"),
        "{markdown}"
    );
    assert_eq!(markdown.matches(" | pass | ").count(), 5, "{markdown}");
}

#[test]
fn tiingo_is_asked_the_same() {
    let (from_files, from_tiingo) = (draft(), draft());
    from_files
        .run(&validate(["--round", ROUND], &FILES))
        .code(0);
    let server = FakeTiingo::start(|_| None);
    server
        .run(&from_tiingo, &validate(["--round", ROUND], &[]))
        .code(0);
    assert_eq!(report(&from_tiingo)["source"], "tiingo");
    assert_eq!(
        report(&from_tiingo)["results"],
        report(&from_files)["results"]
    );
}

#[test]
fn an_unknown_ticker_is_named_in_the_report() {
    let test = draft();
    let server = FakeTiingo::start(|symbol| match symbol {
        "FXGLD" => Some(reply(
            "404 Not Found",
            "application/json",
            "",
            r#"{"detail":"Not found."}"#,
        )),
        _ => None,
    });
    server
        .run(&test, &validate(["--round", ROUND], &[]))
        .code(1)
        .says("failed GOLD: tiingo does not know the symbol FXGLD")
        .says("5 of 6 options are known");
    let report = report(&test);
    assert_eq!(report["failed_tickers"], json!(["FXGLD"]));
    assert_eq!(report["results"][5]["status"], "fail");
}

#[test]
fn a_source_that_refuses_leaves_no_report() {
    let test = draft();
    let before = test.tree();
    let server = FakeTiingo::start(|_| {
        Some(reply(
            "403 Forbidden",
            "application/json",
            "",
            r#"{"detail":"Invalid token."}"#,
        ))
    });
    server
        .run(&test, &validate(["--round", ROUND], &[]))
        .code(2)
        .complains("FXBIL: tiingo refused the API key")
        .complains("nothing was written");
    assert_eq!(before, tree_without_state(&test));
}

#[test]
fn a_used_up_plan_stops_the_validation_and_received_answers_are_kept() {
    let test = draft();
    let server = FakeTiingo::start(|_| None);
    let command = validate(["--round", ROUND], &[]);
    server
        .run_with_plan(&test, "3/1000/500", &command)
        .code(2)
        .complains("the plan of tiingo allows 3 of 5 symbols at once; all of them take 1 h")
        .complains("the same command then goes on")
        .complains("the plan of tiingo is used up after 3 of 5 options")
        .complains("run it again at");
    assert_eq!(server.questions().len(), 3);
    let later = [&command[..], &["--now", "2030-01-01T00:00:00Z"]].concat();
    let rest = server.run_with_plan(&test, "3/1000/500", &later).code(0);
    assert!(!rest.stderr().contains("at once"), "two of three: {rest}");
    assert_eq!(server.questions().len(), 5);
    let table = [
        "fetch-universe-performance",
        "--round",
        ROUND,
        "--as-of-date",
        "2026-12-04",
        "--now",
        "2030-01-01T00:00:30Z",
    ];
    // The allowance is one for all commands: one question of three is left in this hour.
    server
        .run_with_plan(&test, "3/1000/500", &table)
        .code(2)
        .complains("used up after 1 of 5 options");
    assert_eq!(server.questions().len(), 6);
}

#[test]
fn a_universe_file_gets_its_report_beside_it() {
    let test = Test::operator(ROUND);
    test.run(&validate(["--options", "options.yaml"], &FILES))
        .code(0);
    let stored = fs::read_to_string(test.path("options_validation_report.json")).expect("a report");
    let report: Value = serde_json::from_str(&stored).expect("JSON");
    assert_eq!(report["total_options"], 6);
    assert!(test.path("options_validation_report.md").is_file());
}

#[test]
fn the_report_is_no_input_of_a_frozen_round() {
    let test = frozen();
    test.run(&validate(["--round", ROUND], &FILES)).code(0);
    test.run(&["hash-round", "--round", ROUND, "--check"])
        .code(0);
}

#[test]
fn missing_files_and_wrong_flags_are_named() {
    let test = draft();
    fs::remove_file(test.path("histories/FXGLD.csv")).expect("a removed file");
    test.run(&validate(["--round", ROUND], &FILES))
        .code(1)
        .says("failed GOLD: ")
        .says("FXGLD");
    let no_key = test.run(&validate(["--round", ROUND], &[])).code(2);
    no_key.complains("TIINGO_API_KEY is not set");
    let missing = test.run(&validate(["--options", "option.yaml"], &FILES));
    missing.code(2).complains("option.yaml");
    let neither = [&["validate-universe"][..], &RANGE, &FILES].concat();
    test.run(&neither).code(2).complains("--round");
    let turned = ["--start-date", "2026-12-04", "--end-date", "2025-12-04"];
    let turned = [
        &["validate-universe", "--round", ROUND][..],
        &turned,
        &FILES,
    ]
    .concat();
    let ran = test.run_without_trace(&turned);
    ran.code(2)
        .complains("--start-date 2026-12-04 is after --end-date 2025-12-04");
}
