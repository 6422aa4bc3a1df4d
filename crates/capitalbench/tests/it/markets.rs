//! Rounds of other markets than New York, from `init-round` to `verify`.

use std::fs;

use crate::harness::{Ran, Test};

const GERMAN: &str = "market: XETR
options:
- {id: CASH, name: Cash, is_cash: true, asset_class: cash, risk_bucket: cash}
- {id: STOXX600, name: STOXX Europe 600, symbol: EXSA, tiingo_symbol: EXSA.DE, is_benchmark: true}
- {id: DAX, name: DAX, symbol: EXS1, tiingo_symbol: EXS1.DE}
";

const INDIAN: &str = "market: XNSE
options:
- {id: CASH, name: Cash, is_cash: true, asset_class: cash, risk_bucket: cash}
- {id: NIFTY50, name: Nifty 50, symbol: NIFTYBEES, tiingo_symbol: NIFTYBEES.NS, is_benchmark: true}
- {id: GOLD, name: Gold, symbol: GOLDBEES, tiingo_symbol: GOLDBEES.NS}
";

const OSLO: &str = "own_market:
  market: XOSL
  name: Oslo Exchange
  city: Oslo
  zone: Europe/Oslo
  currency: NOK
  granularity: daily
  rows_final: \"20:00\"
  known_from: 2026-01-01
  known_to: 2026-12-31
  weekend: [Saturday, Sunday]
  hours:
  - 2026-01-01 09:00-16:20
  closed:
  - 2026-12-24..2026-12-25 Christmas
options:
- {id: CASH, name: Cash, is_cash: true, asset_class: cash, risk_bucket: cash}
- {id: OBX, name: OBX, symbol: OBXD, tiingo_symbol: OBXD.OL, is_benchmark: true}
- {id: SHIPS, name: Ships, symbol: SHIP, tiingo_symbol: SHIP.OL}
";

const OWN: &str = "portfolio-v1.2";
const NOW: &str = "2026-11-17T10:00:00Z";

fn with(universe: &str) -> Test {
    let test = Test::operator("rounds/HOUSE-1W");
    fs::write(test.path("universe.yaml"), universe).expect("a folder of the test");
    test
}

fn init(test: &Test, name: &str, more: &[&str]) -> Ran {
    let arguments = [
        "init-round",
        "--now",
        NOW,
        "--round-id",
        name,
        "--horizon",
        "one week",
        "--universe",
        "universe.yaml",
        "--synthetic",
    ];
    test.run(&[&arguments[..], more].concat())
}

fn init_new(test: &Test, deadline: &[&str]) -> Ran {
    let more = [&["--methodology", OWN], deadline].concat();
    init(test, "HOUSE-1W", &more)
}

#[test]
fn a_close_that_was_printed_before_the_deadline_is_never_the_entry() {
    // Frankfurt closed at 16:30 UTC; New York was still open at 18:00.
    let deadline = ["--decision-deadline", "2026-11-18T18:00:00Z"];
    let german = with(GERMAN);
    init_new(&german, &deadline).code(0);
    let manifest = german.read("manifest.yaml");
    for line in [
        "market: XETR",
        "entry_date: '2026-11-19'",
        "exit_date: '2026-11-26'",
    ] {
        assert!(manifest.contains(line), "{line}: {manifest}");
    }
    assert!(manifest.contains("2026-11-19T16:30:00Z"), "{manifest}");
    assert!(german.codes().is_empty(), "{:?}", german.codes());
    let early = german.replace("manifest.yaml", "'2026-11-19'", "'2026-11-18'");
    assert_eq!(early.codes(), ["window-differs"]);
}

#[test]
fn the_usual_deadline_is_a_little_before_the_market_opens() {
    for (universe, deadline) in [
        (GERMAN, "2026-11-18T07:55:00Z"),
        (INDIAN, "2026-11-18T03:40:00Z"),
        (OSLO, "2026-11-18T07:55:00Z"),
        // Without a close there is no opening: everybody decides before midnight in UTC.
        (&GERMAN.replace("XETR", "24/7"), "2026-11-17T23:55:00Z"),
    ] {
        let test = with(universe);
        init_new(&test, &[]).code(0);
        let manifest = test.read("manifest.yaml");
        let line = format!("decision_deadline: '{deadline}'");
        assert!(manifest.contains(&line), "{manifest}");
        assert!(test.codes().is_empty(), "{:?}", test.codes());
    }
}

#[test]
fn a_round_of_an_own_market_carries_it_in_its_manifest() {
    let test = with(OSLO);
    init_new(&test, &[]).code(0);
    let manifest = test.read("manifest.yaml");
    assert!(
        manifest.contains("own_market:\n  market: XOSL\n"),
        "{manifest}"
    );
    let other = test.replace("manifest.yaml", "Oslo Exchange", "Bergen Exchange");
    let findings = other.findings();
    assert_eq!(findings[0]["code"], "unreadable-file");
    let detail = findings[0]["detail"].as_str().unwrap();
    assert!(
        detail.contains("the options of the round are of Oslo Exchange"),
        "{detail}"
    );
}

#[test]
fn other_markets_need_rules_that_speak_of_them() {
    let test = with(GERMAN);
    init(&test, "HOUSE-1W", &[])
        .fails()
        .complains("its rounds are of New York, and this one of Xetra (XETR)")
        .complains("--methodology portfolio-v1.2");
    init_new(&test, &[]).code(0);
    let older = test.replace("manifest.yaml", OWN, "portfolio-v1.1");
    let detail = older.findings()[0]["detail"].as_str().unwrap().to_owned();
    assert!(
        detail.contains("a round of Xetra (XETR) needs portfolio-v1.2"),
        "{detail}"
    );
}

#[test]
fn one_folder_has_the_rounds_of_one_market() {
    let test = with(GERMAN);
    init_new(&test, &[]).code(0);
    fs::write(test.path("universe.yaml"), INDIAN).unwrap();
    init(&test, "OTHER-1W", &["--methodology", OWN])
        .fails()
        .complains("holds HOUSE-1W of Xetra (XETR)")
        .complains("another folder for each market");
    // Made elsewhere and moved in, it is a finding of both.
    let indian = with(INDIAN);
    init_new(&indian, &[]).code(0);
    let name = "OTHER-1W";
    let manifest = indian.read("manifest.yaml").replace("HOUSE-1W", name);
    let test = test
        .write(&format!("../{name}/manifest.yaml"), manifest)
        .write(&format!("../{name}/options.yaml"), INDIAN);
    let report = test.run(&["verify", "rounds", "--json"]).code(1).json();
    for round in report["rounds"].as_array().unwrap() {
        let findings = round["findings"].as_array().unwrap();
        assert!(
            findings
                .iter()
                .any(|found| found["code"] == "markets-mixed"),
            "{round}"
        );
    }
}

#[test]
fn what_the_calendar_of_a_market_does_not_know_is_not_planned() {
    let test = with(INDIAN);
    init_new(&test, &["--decision-deadline", "2026-12-28T03:00:00Z"])
        .fails()
        .complains("the calendar of National Stock Exchange of India (XNSE) is known from")
        .complains("2027-01-04 is not between them");
    let unknown = with(&GERMAN.replace("XETR", "XFRA"));
    init_new(&unknown, &[])
        .fails()
        .complains("\"XFRA\" is not shipped; the shipped markets are XNYS, XLON, XETR");
    let mixed = GERMAN.replace("name: DAX,", "name: DAX, currency: USD,");
    init_new(&with(&mixed), &[])
        .fails()
        .complains("option DAX is quoted in USD and the reference in EUR");
}

#[test]
fn rows_are_final_by_the_clocks_of_the_market() {
    let test = with(GERMAN);
    init_new(&test, &["--decision-deadline", "2026-11-18T07:00:00Z"]).code(0);
    let fetch = |now: &str| {
        let arguments = [
            "fetch-prices",
            "--now",
            now,
            "--round",
            "rounds/HOUSE-1W",
            "--side",
            "entry",
            "--full-universe",
            "--source",
            "csv",
            "--histories",
            "histories",
        ];
        test.run(&arguments).fails()
    };
    fetch("2026-11-18T20:29:59Z")
        .complains("the entry rows of 2026-11-18 are not final before 2026-11-18T20:30:00Z")
        .complains("until 21:30 in Frankfurt");
}
