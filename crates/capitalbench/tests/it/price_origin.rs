//! Where prices and answers come from is frozen with a round; anything else is told.

use std::fs;

use crate::due_rounds::market;
use crate::fake_models::{Answer, AskedRound, FakeModels, Wire};
use crate::fetch_prices::{fetch, histories, unpriced};
use crate::harness::{Test, WEEKLY};
use crate::market::serve;

const SCORE: [&str; 3] = ["score-round", "--round", WEEKLY];
const CSV: [&str; 10] = [
    "fetch-prices",
    "--round",
    WEEKLY,
    "--full-universe",
    "--source",
    "csv",
    "--histories",
    "closes",
    "--now",
    "2026-03-10T00:15:00Z",
];

/// A round without prices whose manifest freezes their origin.
fn freezing(lines: &str) -> Test {
    let test = unpriced();
    histories(&test, "82.9");
    let manifest = test.read("manifest.yaml") + lines;
    test.write("manifest.yaml", manifest).freeze_again()
}

#[test]
fn another_source_needs_a_reason_that_everybody_sees() {
    let test = freezing("price_source: tiingo\n");
    test.run_without_trace(&CSV)
        .code(2)
        .complains("prices come from csv; the manifest froze tiingo")
        .complains("--other-source REASON");
    let other = [&CSV[..], &["--other-source", "the vendor is down"]].concat();
    test.run(&other).code(0);
    let unproved = [&SCORE[..], &["--accept-unproved-prices", "printed by it"]].concat();
    test.run(&unproved)
        .code(0)
        .complains("prices come from csv; the manifest froze tiingo: the vendor is down");
    let report = ["publish-report", "--round", WEEKLY];
    test.run(&report).code(0);
    let report = test.read("runs/official-1/results/report.md");
    assert!(report.contains("the vendor is down"), "{report}");
    assert_eq!(test.codes(), ["price-source-replaced"]);

    // Without the word, or with that of another departure, the prices are nobody's.
    let word = test.read("prices/source_exception.json");
    let test = test.remove("prices/source_exception.json");
    let refused = "but no reason for it is recorded";
    test.run(&SCORE).code(2).complains(refused);
    let found = test.run(&["verify", WEEKLY]).code(1);
    found.says("price-record-differs").says(refused);
    let test = test.write(
        "prices/source_exception.json",
        word.replace("from csv", "from yahoo"),
    );
    test.run(&SCORE).code(2).complains(refused);
}

#[test]
fn the_frozen_source_needs_no_reason() {
    let test = freezing("price_source: tiingo\n");
    let server = serve(market());
    fetch(&test, &server, &["--full-universe"]).code(0);
    assert!(!test.file("prices/source_exception.json").exists());
    test.run(&SCORE).code(0);
    assert_eq!(test.codes(), [""; 0]);
}

#[test]
fn files_of_the_operator_prove_nothing_in_a_real_round() {
    let test = freezing("price_source: csv\n");
    test.run(&CSV).code(0);
    test.run_without_trace(&SCORE)
        .code(2)
        .complains("the prices come from the operator's own files")
        .complains("--accept-unproved-prices REASON");
    assert!(test.codes().contains(&"price-rule-broken".to_owned()));
    let accept = [
        &SCORE[..],
        &["--accept-unproved-prices", "there is no vendor"],
    ]
    .concat();
    test.run(&accept).code(0);
    let outcomes = test.read("runs/official-1/results/outcomes.json");
    assert!(outcomes.contains("there is no vendor"), "{outcomes}");
    assert_eq!(test.codes(), [""; 0]);
    test.run(&SCORE).code(0);
}

#[test]
fn the_second_source_is_frozen_too() {
    let test = freezing("price_source: tiingo\nsecond_price_source: csv\n");
    let server = serve(market());
    fetch(&test, &server, &["--full-universe"])
        .code(2)
        .complains("they are compared with nothing; the manifest froze csv");
    assert_eq!(server.questions().len(), 0);
    let check = ["--cross-check", "csv", "--cross-check-histories", "closes"];
    let both = [&["--full-universe"], &check[..]].concat();
    fetch(&test, &server, &both).code(0);
    test.run(&SCORE).code(0);
    assert_eq!(test.codes(), [""; 0]);
}

#[test]
fn a_host_that_was_not_frozen_is_named() {
    let server = FakeModels::start(Answer::decision);
    let round = AskedRound::new(&server, &[(Wire::OpenAi, "test", "")]);
    let test = round.test();
    let base = server.base_url(Wire::OpenAi);
    let host = base.split('/').nth(2).expect("a host");
    let manifest = test.read("manifest.yaml");
    let frozen = format!("price_source: tiingo\nprovider_hosts:\n- {host}\n");
    assert!(manifest.replace('\'', "").contains(&frozen), "{manifest}");
    round.ask("first", "--run-type official").code(0);
    let begun = test.read("runs/first/attempts/openai-test__001.begun.json");
    assert!(
        begun.contains(&format!("\"base_url\": \"{base}\"")),
        "{begun}"
    );
    test.run(&[
        "accept-run",
        "--round",
        "rounds/OVER-HTTP-1W",
        "--run-id",
        "first",
    ])
    .code(0);
    round.verify();

    let elsewhere = FakeModels::start(Answer::decision);
    let models = fs::read_to_string(test.path("models.yaml")).expect("the models");
    let moved = elsewhere.base_url(Wire::OpenAi);
    fs::write(test.path("models.yaml"), models.replace(&base, &moved)).expect("a written file");
    round.ask("second", "--run-type official").code(0);
    let found = test.run(&["verify", "rounds/OVER-HTTP-1W"]).code(0);
    let other = moved.split('/').nth(2).expect("a host");
    found
        .says("provider-host-differs")
        .says(&format!("called {other}; the manifest froze {host}"));
    assert!(test.codes().contains(&"provider-host-differs".to_owned()));
}

#[test]
fn an_invented_market_prices_no_real_round() {
    let test = freezing("");
    let mut invented = CSV.to_vec();
    invented.splice(4..8, ["--source", "invented"]);
    test.run_without_trace(&invented)
        .code(2)
        .complains("the source `invented` makes its prices up");
    test.run(&CSV).code(0);
    let record = test.read("prices/provenance.json");
    let record = record.replace("\"source\": \"csv\"", "\"source\": \"invented\"");
    let test = test.write("prices/provenance.json", record);
    let found = test.run(&["verify", WEEKLY]).code(1);
    found.says("the prices of a real round come from an invented market");
}
