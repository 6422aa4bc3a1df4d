//! A ledger that says something the program never writes: reading it stops with a sentence, and no
//! model is asked a second time.

use std::fs;
use std::path::PathBuf;

use crate::harness::{Ran, Test, tree_of};
use crate::operator::{NOW, ROUND, frozen};

const RUN: &str = "runs/r";

/// A file of the ledger, what is replaced in it, and what is said about that.
const WORDS: [(&str, &str, &str, &str); 12] = [
    (
        "ended.json",
        "\"cost_usd\": null",
        "\"billed_usd\": -1, \"cost_usd\": null",
        "billed_usd: is not an amount of money",
    ),
    (
        "ended.json",
        "\"cost_usd\": null",
        "\"card_usd\": 1, \"cost_usd\": 2",
        "cost_usd: is neither what was billed nor what the card says",
    ),
    (
        "begun.json",
        "\"attempt\": 1",
        "\"asked\": {\"api_model_name\": \"a\", \"schema_mode\": \"some\", \"temperature\": null, \
         \"reasoning\": null, \"max_output_tokens\": 1, \"time_limit_seconds\": 1, \
         \"service_tier\": null, \"body_sha256\": \
         \"0123456789012345678901234567890123456789012345678901234567890123\"}, \"attempt\": 1",
        "asked.schema_mode: must be full, json or none",
    ),
    (
        "begun.json",
        "\"attempt\": 1",
        "\"asked\": {\"api_model_name\": \"a\", \"schema_mode\": \"full\", \"temperature\": null, \
         \"reasoning\": null, \"max_output_tokens\": 1, \"time_limit_seconds\": 1, \
         \"service_tier\": null, \"body_sha256\": \"no\"}, \"attempt\": 1",
        "asked.body_sha256: is not a digest",
    ),
    (
        "ended.json",
        "\"status\": \"valid\"",
        "\"status\": \"Valid\"",
        "status: must be valid, invalid or failed, not \"Valid\"",
    ),
    (
        "ended.json",
        "\"status\": \"valid\"",
        "\"status\": \"failed\"",
        "reason: is missing",
    ),
    (
        "ended.json",
        "\"reason\": null",
        "\"reason\": \"server\"",
        "reason: must not be given",
    ),
    (
        "ended.json",
        "\"cost_usd\": null",
        "\"cost_usd\": -1",
        "cost_usd: is not an amount of money",
    ),
    (
        "ended.json",
        "\"status\": \"valid\"",
        "\"state\": 1, \"status\": \"valid\"",
        "unknown field `state`",
    ),
    (
        "begun.json",
        "\"attempt\": 1",
        "\"attempt\": 2",
        "attempt: does not match",
    ),
    (
        "begun.json",
        "\"attempt\": 1",
        "\"attempt\": 1, \"kind\": 1",
        "unknown field `kind`",
    ),
    (
        "head.json",
        "\"status\": 200",
        "\"calls\": 1, \"status\": 200",
        "unknown field `calls`",
    ),
];

/// A rehearsed run that looks as if it had been killed before its end.
fn interrupted() -> Test {
    let test = frozen();
    ask(&test, &[]).code(0);
    let manifest = format!("{RUN}/run_manifest.yaml");
    let stored = test.read(&manifest);
    let lines = stored.lines().map(|line| {
        if line.starts_with("completed_at_utc: ") {
            "completed_at_utc: null\n".to_owned()
        } else {
            format!("{line}\n")
        }
    });
    let open: String = lines.collect();
    test.write(&manifest, open)
}

fn ask(test: &Test, more: &[&str]) -> Ran {
    let usual = [
        "run-round",
        "--round",
        ROUND,
        "--models",
        "models.yaml",
        "--mock",
        "--run-id",
        "r",
        "--now",
        NOW,
    ];
    test.run(&[&usual, more].concat())
}

/// The first file of the ledger with this ending.
fn record(test: &Test, ending: &str) -> PathBuf {
    let folder = test.file(&format!("{RUN}/attempts"));
    let names = fs::read_dir(folder).expect("a folder");
    let mut found: Vec<PathBuf> = names.map(|name| name.expect("a name").path()).collect();
    found.retain(|path| path.to_string_lossy().ends_with(ending));
    found.sort();
    found.first().expect("such a file").clone()
}

fn edit(test: &Test, ending: &str, old: &str, new: &str) {
    let file = record(test, ending);
    let stored = fs::read_to_string(&file).expect("a record");
    assert!(stored.contains(old), "{stored}");
    fs::write(file, stored.replacen(old, new, 1)).expect("a spoiled record");
}

/// Checks that a resumed run asks nobody and says why.
#[track_caller]
fn stops(test: &Test, why: &str) {
    let before = tree_of(&test.file(RUN));
    ask(test, &["--resume"]).code(2).complains(why);
    let mut after = tree_of(&test.file(RUN));
    // The lock may be new; nothing else is.
    after.retain(|name, _| before.contains_key(name) || !name.starts_with(".lock"));
    assert_eq!(before, after);
}

#[test]
fn an_interrupted_run_is_finished_without_asking_again() {
    let test = interrupted();
    let before = tree_of(&test.file("runs/r/attempts"));
    ask(&test, &["--resume"]).code(0).says("0 invalid");
    assert_eq!(tree_of(&test.file("runs/r/attempts")), before);
}

#[test]
fn an_unknown_word_in_the_ledger_stops_instead_of_asking_again() {
    for (ending, old, new, text) in WORDS {
        let test = interrupted();
        edit(&test, ending, old, new);
        stops(&test, text);
        // Whoever verifies the run sees the same file named.
        if !text.starts_with("attempt:") {
            let place = format!(".{ending}");
            let found = test.findings();
            let told = found.iter().find(|finding| {
                let at = finding["where"].as_str().expect("a place");
                finding["code"] == "unreadable-file" && at.ends_with(&place)
            });
            assert!(told.is_some(), "{new}: {found:?}");
        }
    }
    let test = interrupted();
    edit(
        &test,
        "ended.json",
        "\"status\": \"valid\"",
        "\"status\": \"invalid\"",
    );
    edit(
        &test,
        "ended.json",
        "\"reason\": null",
        "\"reason\": \"mood\"",
    );
    stops(&test, "reason: is \"mood\"");
}

#[test]
fn a_ledger_with_a_gap_or_a_strange_file_stops() {
    let test = interrupted();
    fs::remove_file(record(&test, "begun.json")).expect("a removed record");
    stops(&test, "begun.json: is missing");
    let test = interrupted();
    fs::remove_file(record(&test, "head.json")).expect("a removed record");
    stops(&test, "head.json: is missing");
    let test = interrupted().write(&format!("{RUN}/attempts/nobody__001.begun.json"), "{}");
    stops(&test, "belongs to no slot of slots.json");
    let test = interrupted().write(&format!("{RUN}/repairs/002.json"), "{}");
    stops(&test, "is not the next repair, repairs/001.json");
    let test = interrupted().write(&format!("{RUN}/repairs/001.json"), "{\"number\": 1}");
    stops(
        &test,
        "repairs/001.json: line 1, column 13: missing field `model_id`",
    );
}

#[test]
fn a_plan_with_unknown_words_stops() {
    let cases = [
        (
            "\"mock\": true",
            "\"mock\": false,\n  \"kind\": 1",
            "unknown field `kind`",
        ),
        (
            "\"run_type\": \"mock\"",
            "\"run_type\": \"formal\"",
            "run_type: is not a kind of run",
        ),
        (
            "\"replicate_index\": 1",
            "\"replicate_index\": 2",
            "slots: name replicate 2",
        ),
    ];
    for (old, new, text) in cases {
        let test = interrupted().replace(&format!("{RUN}/slots.json"), old, new);
        stops(&test, text);
    }
    let test = interrupted()
        .replace("runs/r/slots.json", "\"mock\": true", "\"mock\": false")
        .replace(
            "runs/r/slots.json",
            "\"synthetic\": false",
            "\"synthetic\": true",
        );
    stops(&test, "synthetic: must not be true when mock is false");
}
