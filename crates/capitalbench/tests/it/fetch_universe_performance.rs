//! `fetch-universe-performance`: the table from files and from Tiingo, and every known fault.

use std::fs;

use serde_json::Value;

use crate::fake_tiingo::{FakeTiingo, KEY, Script, assert_hidden, json, reply, tree_without_state};
use crate::harness::{Ran, Test};
use crate::operator::{FETCH_CSV, NOW, draft, frozen, researched};

const CSV: &str = "market_data/universe_trailing_returns.csv";
const MARKDOWN: &str = "market_data/universe_trailing_returns.md";
const JSON: &str = "market_data/universe_trailing_returns.json";
const HOURLY: &str = r#"{"detail":"Error: You have run over your hourly request allocation."}"#;
const MANY: &str = "429 Too Many Requests";

fn fetch(more: &[&'static str]) -> Vec<&'static str> {
    [&FETCH_CSV[..5], &["--now", NOW], more].concat()
}

/// The rows of the CSV as columns and cells; the fixtures quote nothing.
fn table(test: &Test) -> (Vec<String>, Vec<Vec<String>>) {
    let csv = test.read(CSV);
    let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    let mut lines = csv.lines().map(cells);
    let header = lines.next().expect("a header");
    (header, lines.collect())
}

fn column(header: &[String], name: &str) -> usize {
    let found = header.iter().position(|found| found == name);
    found.unwrap_or_else(|| panic!("no column {name}"))
}

#[test]
fn the_three_files_agree_and_follow_the_rules() {
    let test = researched();
    test.run(&FETCH_CSV).code(0);
    let (header, rows) = table(&test);
    let document: Value = serde_json::from_str(&test.read(JSON)).expect("JSON");
    let markdown = test.read(MARKDOWN);
    let lines: Vec<&str> = markdown
        .lines()
        .filter(|line| line.starts_with("| "))
        .collect();
    let shown: Vec<&str> = lines[0]
        .trim_matches('|')
        .split('|')
        .map(str::trim)
        .collect();
    assert_eq!((rows.len(), lines.len()), (6, 8));
    for (index, row) in rows.iter().enumerate() {
        let stored = &document["rows"][index];
        for (name, cell) in header.iter().zip(row) {
            let same = match &stored[name] {
                Value::String(word) => word == cell,
                number => number.as_f64() == cell.parse().ok(),
            };
            assert!(same, "{name}: {cell} and {}", stored[name]);
        }
        let cells: Vec<&str> = lines[index + 2].split('|').map(str::trim).collect();
        for (name, cell) in shown.iter().zip(&cells[1..]) {
            let value = &row[column(&header, name)];
            let expected = match value.parse::<f64>() {
                Ok(value) if name.starts_with("beta") => format!("{value:.2}"),
                Ok(value) => format!("{:.2}%", value * 100.0),
                Err(_) => value.clone(),
            };
            assert_eq!(*cell, expected, "{name} of {}", row[0]);
        }
    }
    for window in ["7d", "30d", "6m", "1y"] {
        let value = column(&header, &format!("return_{window}"));
        let rank = column(&header, &format!("rank_{window}"));
        let mut order: Vec<(f64, &str, &str)> = rows
            .iter()
            .map(|row| (row[value].parse().expect("a return"), &*row[0], &*row[rank]))
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        let ranks: Vec<&str> = order.iter().map(|row| row.2).collect();
        assert_eq!(ranks, ["1", "2", "3", "4", "5", "6"], "{window}");
    }
}

#[test]
fn equal_returns_are_ranked_by_id() {
    let test = researched();
    // Gold moves exactly as the bills do.
    let from = test.path("histories/FXBIL.csv");
    fs::copy(from, test.path("histories/FXGLD.csv")).expect("a copied file");
    test.run(&FETCH_CSV).code(0);
    let (header, rows) = table(&test);
    for window in ["7d", "30d", "6m", "1y"] {
        let rank = column(&header, &format!("rank_{window}"));
        let of = |id: &str| {
            let row = rows.iter().find(|row| row[0] == id).expect("an option");
            row[rank].parse::<usize>().expect("a rank")
        };
        assert_eq!(of("BILLS") + 1, of("GOLD"), "{window}");
    }
}

#[test]
fn a_hidden_option_is_left_out_and_the_rows_stay_aligned() {
    let test = draft();
    let options = test.read("options.yaml");
    let (before, after) = options.split_once("- id: SP500").expect("the reference");
    let (bills, shown) = ("include_in_universe: true", "include_in_universe: false");
    let at = before.rfind(bills).expect("a listing");
    let before = before[..at].to_owned() + shown + &before[at + bills.len()..];
    let test = test.write("options.yaml", format!("{before}- id: SP500{after}"));
    test.run(&FETCH_CSV).code(0);
    let (header, rows) = table(&test);
    let ids: Vec<&str> = rows.iter().map(|row| &*row[0]).collect();
    assert_eq!(ids, ["CASH", "SP500", "FAR_SHARES", "LONG_BONDS", "GOLD"]);
    let year = column(&header, "return_vs_sp500_1y");
    assert_eq!(rows[1][year], "0.0");
}

#[test]
fn tiingo_and_files_give_the_same_table() {
    let (from_files, from_tiingo) = (researched(), researched());
    let csv = [&FETCH_CSV[..], &["--now", NOW]].concat();
    from_files.run(&csv).code(0);
    let server = FakeTiingo::start(|_| None);
    server
        .run(&from_tiingo, &fetch(&[]))
        .code(0)
        .says("trailing returns of 6 of 6 options");
    assert_eq!(from_tiingo.read(CSV), from_files.read(CSV));
    let label = |text: String| text.replace("tiingo_eod_adj_close", "csv_adj_close");
    for file in [MARKDOWN, JSON] {
        assert!(from_tiingo.read(file).contains("tiingo_eod_adj_close"));
        assert_eq!(label(from_tiingo.read(file)), from_files.read(file));
    }
    let questions = server.questions();
    assert_eq!(questions.len(), 5);
    for question in questions {
        let head = question.to_lowercase();
        assert!(
            head.contains(&format!("authorization: token {KEY}")),
            "{head}"
        );
        let address = head.lines().next().expect("a first line");
        assert!(!address.contains(KEY), "{address}");
        assert!(
            address.contains("startdate=2025-11-24&enddate=2026-12-04"),
            "{address}"
        );
    }
}

/// A fault of one symbol: the table is written and says so.
#[track_caller]
fn one_fails(script: Script, message: &str) {
    let test = researched();
    let server = FakeTiingo::start(script);
    server
        .run(&test, &fetch(&[]))
        .code(1)
        .says(&format!("failed GOLD: {message}"))
        .says("trailing returns of 5 of 6 options");
    let (header, rows) = table(&test);
    let (status, year) = (column(&header, "status"), column(&header, "return_1y"));
    assert_eq!((&*rows[5][status], &*rows[5][year]), ("fail", ""));
    let document: Value = serde_json::from_str(&test.read(JSON)).expect("JSON");
    assert_eq!(document["failed_options"], serde_json::json!(["GOLD"]));
    let said = document["rows"][5]["message"].as_str().expect("a message");
    assert!(said.starts_with(message), "{said}");
    assert!(test.read(MARKDOWN).contains("- Failed options: 1\n"));
}

/// Only gold gets this answer.
macro_rules! gold {
    ($answer:expr) => {
        |symbol| (symbol == "FXGLD").then(|| $answer)
    };
}

#[test]
fn a_fault_of_one_symbol_fails_that_option_only() {
    let unknown = "tiingo does not know the symbol FXGLD";
    one_fails(
        gold!(reply(
            "404 Not Found",
            "application/json",
            "",
            r#"{"detail":"Not found."}"#
        )),
        unknown,
    );
    one_fails(
        gold!(json("[]")),
        "tiingo has no rows for FXGLD from 2025-11-24 to 2026-12-04",
    );
    one_fails(
        gold!(reply("200 OK", "text/plain", "", "The service is busy.")),
        "tiingo answered for FXGLD with a text in place of prices: \"The service is busy.\"",
    );
    one_fails(
        gold!(reply(
            "200 OK",
            "text/html",
            "",
            "<html><body>maintenance</body></html>"
        )),
        "tiingo answered for FXGLD with a web page (status 200)",
    );
    one_fails(
        gold!(json(r#"[{"date":"2026-12-04T00:00:00.000Z","close":5}]"#)),
        "tiingo, FXGLD, row 1: 2026-12-04 has no adjusted close",
    );
    one_fails(
        gold!(json(
            r#"[{"date":"2026-12-04T00:00:00.000Z","close":5,"adjClose":5},{"date":"2026-12-04T00:00:00.000Z","close":5,"adjClose":5}]"#
        )),
        "tiingo, FXGLD, row 2: 2026-12-04 appears a second time",
    );
    one_fails(
        gold!(json(
            r#"[{"date":"2026-12-04T00:00:00.000Z","close":5,"adjClose":5}]"#
        )),
        "",
    );
}

/// A fault that concerns every symbol: exit 2, and nothing is written.
#[track_caller]
fn all_fail(script: Script, message: &str) -> Ran {
    let test = researched();
    let before = test.tree();
    let ran = FakeTiingo::start(script).run(&test, &fetch(&[])).code(2);
    assert_eq!(before, tree_without_state(&test), "{ran}");
    ran.complains(message).complains("nothing was written")
}

#[test]
fn a_source_that_refuses_altogether_leaves_no_trace() {
    all_fail(
        |_| {
            Some(reply(
                "403 Forbidden",
                "application/json",
                "",
                r#"{"detail":"Invalid token."}"#,
            ))
        },
        "FXBIL: tiingo refused the API key; check that it is complete and still valid",
    );
    all_fail(
        gold!(reply(MANY, "application/json", "", HOURLY)),
        "the plan of tiingo is used up after 4 of 5 options",
    )
    .complains("run it again at 2026-12-06T11:00:00");
    all_fail(
        |_| {
            Some(reply(
                MANY,
                "application/json",
                "Retry-After: 1800\r\n",
                HOURLY,
            ))
        },
        "the plan of tiingo is used up after 0 of 5 options",
    )
    .complains("run it again at 2026-12-06T10:30:00");
}

#[test]
fn the_key_is_hidden_even_from_a_server_that_repeats_it() {
    let echoes: [Script; 4] = [
        |_| {
            Some(reply(
                "200 OK",
                "text/plain",
                "",
                &format!("Token {KEY} is unknown"),
            ))
        },
        |_| {
            Some(reply(
                "403 Forbidden",
                "application/json",
                "",
                &format!(r#"{{"detail":"{KEY}"}}"#),
            ))
        },
        |_| {
            Some(reply(
                "400 Bad Request",
                KEY,
                &format!("Location: /{KEY}\r\n"),
                KEY,
            ))
        },
        |_| {
            Some(json(&format!(
                r#"[{{"date":"{KEY}","close":1,"adjClose":1}}]"#
            )))
        },
    ];
    let test = researched();
    for script in echoes {
        let server = FakeTiingo::start(script);
        let again = "--overwrite-performance";
        server.run(&test, &fetch(&[again])).fails();
        server.run(&test, &fetch(&[again, "--json"])).fails();
    }
}

#[test]
fn a_missing_key_names_the_variable_and_the_other_source() {
    let test = researched();
    let ran = test.run_without_trace(&fetch(&[])).code(2);
    ran.complains("TIINGO_API_KEY is not set")
        .complains("or use --source csv --histories DIR");
    let ran = test
        .run_with(&[("TIINGO_API_KEY", "two words")], &fetch(&[]))
        .code(2);
    assert!(!ran.stderr().contains("two words"), "{ran}");
    ran.complains("TIINGO_API_KEY is not a key");
    let variables = [("TIINGO_API_KEY", KEY), ("TIINGO_BASE_URL", "nowhere")];
    let ran = test.run_with(&variables, &fetch(&[])).code(2);
    assert_hidden(&test, &ran);
    ran.complains("TIINGO_BASE_URL");
}

#[test]
fn a_file_supplies_the_key_and_the_environment_wins() {
    let server = FakeTiingo::start(|_| None);
    let test = researched();
    fs::write(test.path(".env"), "TIINGO_API_KEY=from-the-file\n").expect("a written file");
    let base = server.run(&test, &fetch(&[])).code(0);
    drop(base);
    assert!(server.questions()[0].contains(KEY));
    let test = researched();
    let url = server.url();
    let file = format!("# key\nexport TIINGO_API_KEY=\"{KEY}\"\nTIINGO_BASE_URL={url}\n");
    fs::write(test.path(".env"), file).expect("a written file");
    let ran = test.run(&fetch(&[])).code(0);
    assert_hidden(&test, &ran);
    assert!(server.questions()[9].contains(KEY));
}

#[test]
fn a_table_is_replaced_only_when_asked() {
    let test = researched();
    test.run(&FETCH_CSV).code(0);
    let ran = test.run_without_trace(&FETCH_CSV).code(2);
    ran.complains("has a table already")
        .complains("--overwrite-performance");
    let mut again = FETCH_CSV.to_vec();
    again[4] = "2026-12-03";
    again.push("--overwrite-performance");
    test.run(&again).code(0);
    assert!(
        test.read(MARKDOWN)
            .contains("- As-of date requested: 2026-12-03\n")
    );
}

#[test]
fn no_close_after_the_deadline_is_shown() {
    let test = researched();
    // A session, a weekend and a day long after: all would show what nobody could know.
    for day in ["2026-12-07", "2026-12-12", "2026-12-30"] {
        let mut late = FETCH_CSV;
        late[4] = day;
        test.run_without_trace(&late)
            .code(2)
            .complains(&format!(
                "--as-of-date {day}: its close is after the deadline"
            ))
            .complains("the last session before the deadline is 2026-12-04");
    }
    let mut sunday = FETCH_CSV;
    sunday[4] = "2026-12-06";
    test.run(&sunday).code(0);
    let (header, rows) = table(&test);
    assert_eq!(rows[1][column(&header, "as_of_price_date")], "2026-12-04");
}

#[test]
fn a_frozen_round_and_wrong_paths_are_refused() {
    let test = frozen();
    let again = [&FETCH_CSV[..], &["--overwrite-performance"]].concat();
    let ran = test.run_without_trace(&again).code(2);
    ran.complains("is frozen: its inputs must not change any more");
    let test = researched();
    for (at, wrong, message) in [
        (
            2,
            "rounds/LEAGUE-2026-12-07-1X",
            "did you mean LEAGUE-2026-12-07-1W?",
        ),
        (4, "2026-02-30", "use a day like 2026-12-04"),
        (
            6,
            "stooq",
            "[possible values: tiingo, csv, yahoo, alphavantage, invented]",
        ),
        (8, "history", "--histories history: there is no such folder"),
    ] {
        let mut arguments = FETCH_CSV;
        arguments[at] = wrong;
        test.run_without_trace(&arguments)
            .code(2)
            .complains(message);
    }
}
