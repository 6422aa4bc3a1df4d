//! `void-round`: a signed tombstone in place of a deleted folder, and explanations of a record.

use std::fs;

use serde_json::Value;

use crate::harness::{Ran, Test, codes_of};
use crate::operator::{ARGUMENTS, NAME, NOW, ROUND, frozen, init};

const VOID: [&str; 6] = [
    "void-round",
    ROUND,
    "--reason",
    "a wrong briefing",
    "--now",
    NOW,
];

fn sign(test: &Test) {
    let keys = "keys init --rounds-dir rounds --name log.example";
    let keys: Vec<&str> = keys.split_whitespace().collect();
    test.run(&keys).code(0);
    test.run(&["hash-round", "--round", ROUND, "--now", NOW])
        .code(0);
}

fn findings(test: &Test, severities: &[&str]) -> Vec<String> {
    let report = test.run(&["verify", ROUND, "--json", "--now", NOW]).json();
    let found = report["rounds"][0]["findings"]
        .as_array()
        .expect("findings");
    codes_of(found, severities)
}

fn errors(test: &Test) -> Vec<String> {
    findings(test, &["error"])
}

#[test]
fn a_voided_round_says_when_and_why_and_nothing_goes_on() {
    let test = frozen();
    sign(&test);
    test.run(&VOID)
        .code(0)
        .says("LEAGUE-2026-12-07-1W was voided at 2026-12-06T10:00:00Z: a wrong briefing");
    let stone: Value = serde_json::from_str(&test.read("tombstone.json")).expect("JSON");
    assert_eq!(stone["ending"], "voided");
    assert_eq!(stone["round_id"], NAME);
    // The same again changes nothing, whatever the reason is now.
    let before = test.tree();
    let again = [
        "void-round",
        "--round",
        ROUND,
        "--reason",
        "another",
        "--now",
        NOW,
    ];
    test.run(&again).code(0).says("a wrong briefing");
    // A process that was killed before it wrote the salts: the next one writes them.
    let salts = test.path(&format!("rounds/log/salts/{NAME}.json"));
    fs::remove_file(salts).expect("the salts");
    assert_eq!(errors(&test), ["salt-missing"]);
    test.run(&again).code(0);
    assert_eq!(test.tree(), before);
    assert_eq!(findings(&test, &["error", "warning"]), [""; 0]);
    assert!(findings(&test, &["note"]).contains(&"round-ended".to_owned()));
    let closed = "was voided at 2026-12-06T10:00:00Z: a wrong briefing";
    let ask = "run-round --models models.yaml --mock --run-type retrospective --round";
    let fetch = "fetch-prices --source csv --histories histories --full-universe --round";
    let table = "fetch-universe-performance --as-of-date 2026-12-04 --source csv --histories \
                 histories --overwrite-performance --round";
    let accept = "accept-run --run-id r --round";
    for words in [
        ask,
        fetch,
        table,
        accept,
        "hash-round --round",
        "score-round --round",
    ] {
        let words: Vec<&str> = words.split_whitespace().chain([ROUND]).collect();
        test.run_without_trace(&words).code(2).complains(closed);
    }
    let status = test.run(&["status", "--json", "--now", NOW]).code(0).json();
    assert_eq!(status["rounds"][0]["state"], "voided", "{status}");
    test.run(&[
        "build-site",
        "--rounds-dir",
        "rounds",
        "--as-of",
        "2026-12-08",
    ])
    .code(0);
    let page = fs::read_to_string(test.path(&format!("site/rounds/{NAME}/index.html")));
    assert!(page.expect("a page").contains("a wrong briefing"));
    let data = fs::read_to_string(test.path("site/data/rounds.csv")).expect("a table");
    assert!(
        data.contains(",voided,") && data.contains("a wrong briefing"),
        "{data}"
    );
}

#[test]
fn a_tombstone_that_was_changed_removed_or_made_by_hand_is_found() {
    let test = frozen();
    sign(&test);
    test.run(&VOID).code(0);
    let changed = test
        .again()
        .replace("tombstone.json", "a wrong briefing", "bad luck");
    assert!(errors(&changed).contains(&"logged-file-differs".to_owned()));
    let removed = test.again().remove("tombstone.json");
    assert!(errors(&removed).contains(&"logged-file-missing".to_owned()));
    let foreign = test.again().replace("tombstone.json", NAME, "OTHER-1W");
    assert!(errors(&foreign).contains(&"ending-differs".to_owned()));
    // The folder is deleted and made again under its old id.
    fs::remove_dir_all(test.path(ROUND)).expect("a removed round");
    init(&test, &ARGUMENTS).code(0);
    let import = crate::operator::import("briefing.md", "2026-12-06T09:00:00Z");
    test.run(&import).code(0);
    test.run(&crate::operator::FETCH_CSV).code(0);
    let freeze = ["hash-round", "--round", ROUND, "--now", NOW];
    test.run(&freeze)
        .code(2)
        .complains("tombstone.json was fixed by leaf")
        .complains("nothing was signed");
}

#[test]
fn a_round_that_is_made_again_before_anybody_is_asked_is_named() {
    let test = frozen();
    sign(&test);
    assert!(!findings(&test, &["note"]).contains(&"frozen-again".to_owned()));
    fs::remove_dir_all(test.path(ROUND)).expect("a removed round");
    init(&test, &ARGUMENTS).code(0);
    let import = crate::operator::import("briefing.md", "2026-12-06T09:30:00Z");
    test.run(&import).code(0);
    test.run(&crate::operator::FETCH_CSV).code(0);
    test.run(&["hash-round", "--round", ROUND, "--now", NOW])
        .code(0);
    assert_eq!(errors(&test), [""; 0]);
    assert!(findings(&test, &["note"]).contains(&"frozen-again".to_owned()));
}

fn explain(test: &Test, folder: &str, reason: &str) -> Ran {
    let words = ["void-round", folder, "--exception", "--reason", reason];
    test.run(&words)
}

#[test]
fn a_record_is_never_voided_and_can_be_explained() {
    let test = crate::accept_run::unmarked();
    let folder = crate::harness::WEEKLY;
    explain(&test, folder, "too early")
        .code(2)
        .complains("has no record that could be explained");
    let accept = ["accept-run", "--round", folder, "--run-id", "official-1"];
    test.run(&[&accept[..], &["--now", "2026-03-02T18:30:00Z"]].concat())
        .code(0);
    let void = ["void-round", folder, "--reason", "a bad result"];
    test.run_without_trace(&void)
        .code(2)
        .complains("official-1 was accepted, so the round cannot be voided")
        .complains("--exception --reason TEXT");
    assert!(!test.file("tombstone.json").exists());
    let board = test.read("runs/official-1/results/leaderboard.csv");
    explain(&test, folder, "one answer came twice")
        .code(0)
        .says("picks and result stay and count");
    explain(&test, folder, "one answer came twice").code(0);
    explain(&test, folder, "and once more").code(0);
    assert!(
        test.read("exceptions/001.json")
            .contains("one answer came twice")
    );
    assert!(test.read("exceptions/002.json").contains("and once more"));
    assert!(!test.file("exceptions/003.json").exists());
    assert_eq!(board, test.read("runs/official-1/results/leaderboard.csv"));
    assert_eq!(test.codes(), [""; 0]);
    let notes = codes_of(&test.findings(), &["note"]);
    assert!(notes.contains(&"round-explained".to_owned()));
    // A tombstone that somebody puts beside the record is found.
    let stone = format!(
        "{{\"round_id\": \"{folder}\", \"ending\": \"voided\", \"ended_at_utc\": \
         \"2026-03-03T00:00:00Z\", \"reason\": \"a bad result\"}}\n"
    );
    let test = test.write("tombstone.json", stone);
    assert!(test.codes().contains(&"ending-differs".to_owned()));
}
