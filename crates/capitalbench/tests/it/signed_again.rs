//! A signed round whose folder holds what nobody expects, or returns to what it was.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use crate::harness::codes_of;
use crate::signed_round::{NAME, NOW, SignedRound};

const ROUND: &str = "signed/SIGNED-2026-09-14-1W";

fn errors(round: &SignedRound) -> Vec<String> {
    let report = round
        .test()
        .run(&["verify", "signed", "--json", "--now", NOW]);
    let report = report.json();
    let mut codes = codes_of(
        report["rounds"][0]["findings"]
            .as_array()
            .expect("findings"),
        &["error"],
    );
    codes.extend(codes_of(
        report["log"]["findings"].as_array().expect("findings"),
        &["error"],
    ));
    codes
}

#[test]
fn a_file_name_that_is_not_text_hides_no_file() {
    let round = SignedRound::accepted();
    let folder = round.rounds().join(NAME).join("research/more");
    fs::create_dir(&folder).expect("a folder");
    fs::write(folder.join(OsStr::from_bytes(b"\xff.md")), "one").expect("a file");
    fs::write(folder.join("beside.md"), "two").expect("a file");
    assert_eq!(errors(&round), ["unreadable-file"]);
    let test = round.test();
    for refused in [
        vec!["bundle", ROUND, "--output", "one.tar.zst"],
        vec!["hash-round", "--round", ROUND],
    ] {
        let ran = test.run_without_trace(&refused);
        ran.fails().complains("is not UTF-8");
    }
}

/// Fetches prices with another close of one option and scores with them.
fn score(round: &SignedRound, history: &str, hour: &str) {
    let test = round.test();
    fs::write(test.path("histories/AGG.csv"), history).expect("a history");
    let day = format!("2026-09-23T{hour}:30:00Z");
    let fetch = "fetch-prices --full-universe --source csv --histories histories \
                 --overwrite-prices --correct vendor --round";
    let fetch: Vec<&str> = fetch.split_whitespace().collect();
    test.run(&[&fetch[..], &[ROUND, "--now", &day]].concat())
        .code(0);
    let score = ["score-round", "--now", &day, "--round", ROUND];
    test.run(&[&score[..], &["--correct", "the vendor thought again"]].concat())
        .code(0);
}

#[test]
fn results_may_return_to_what_they_were() {
    let round = SignedRound::resolved();
    let test = round.test();
    let first = fs::read_to_string(test.path("histories/AGG.csv")).expect("a history");
    let results = test.path(ROUND).join("runs/official/results/outcomes.json");
    let before = fs::read(&results).expect("results");
    let other: Vec<&str> = first
        .lines()
        .map(|line| match line.strip_prefix("2026-09-21,") {
            Some(_) => "2026-09-21,300,298.95,3300,0,1",
            None => line,
        })
        .collect();
    score(&round, &(other.join("\n") + "\n"), "01");
    assert_ne!(fs::read(&results).expect("results"), before);
    score(&round, &first, "02");
    assert_eq!(fs::read(&results).expect("results"), before);
    assert_eq!(errors(&round), [""; 0]);
    let note = fs::read_to_string(test.path("signed/log/checkpoint")).expect("a checkpoint");
    let size = note.lines().nth(1).expect("a size");
    test.run(&["leaderboard", "--rounds-dir", "signed", "--at", size])
        .code(0);
    let log = fs::read(test.path("signed/log/checkpoint")).expect("a checkpoint");
    test.run(&["hash-round", "--round", ROUND]).code(0);
    let again = fs::read(test.path("signed/log/checkpoint")).expect("a checkpoint");
    assert_eq!(log, again, "nothing is said twice");
}

#[test]
fn other_answers_foreign_files_and_broken_signatures_are_told_apart() {
    let round = SignedRound::accepted();
    let test = round.test();
    fs::write(round.rounds().join("log/roots.txt"), "a note").expect("a file");
    fs::create_dir_all(round.rounds().join("log/roots")).expect("a folder");
    fs::write(round.rounds().join("log/roots/README"), "whose clocks").expect("a file");
    assert_eq!(errors(&round), [""; 0]);
    let audit = [
        "audit-round",
        "--now",
        "2026-09-14T13:00:00Z",
        "--round",
        ROUND,
    ];
    test.run(&audit).code(0).says("PASS           log");

    let attempts = test.path(ROUND).join("runs/official/attempts");
    let mut answers = fs::read_dir(&attempts).expect("attempts").flatten();
    let answer = answers.find(|file| file.path().extension().is_some_and(|own| own == "answer"));
    let answer = answer.expect("an answer").path();
    let before = fs::read(&answer).expect("an answer");
    fs::write(&answer, [&before[..], b" "].concat()).expect("another answer");
    let found = errors(&round);
    assert!(
        found.contains(&"reply-digest-mismatch".to_owned()),
        "{found:?}"
    );
    fs::write(&answer, before).expect("the answer");

    let checkpoint = round.rounds().join("log/checkpoint");
    let note = fs::read_to_string(&checkpoint).expect("a checkpoint");
    fs::write(&checkpoint, note.replacen("log.example", "log.exomple", 1)).expect("another");
    let one_run = [&audit[..], &["--run-id", "official"]].concat();
    for audit in [&audit[..], &one_run] {
        test.run(audit).code(1).says("FAIL           log");
    }
}
