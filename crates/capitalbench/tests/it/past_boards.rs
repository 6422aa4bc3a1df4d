//! Any past board, rebuilt from a checkpoint of the signed log.

use std::fs;

use serde_json::Value;

use crate::harness::{Ran, Test};
use crate::signed_round::{NAME, SignedRound};

const ROUND: &str = "signed/SIGNED-2026-09-14-1W";
const ACCEPTED: &str = "2026-09-14T12:30:00Z";
const RESOLVED: &str = "2026-09-22T00:15:00Z";
const CORRECTED: &str = "2026-09-23T01:00:00Z";

fn board(test: &Test, more: &[&str]) -> Ran {
    let show = ["leaderboard", "--rounds-dir", "signed", "--json"];
    test.run(&[&show[..], more].concat())
}

/// The size of the present checkpoint, and the whole board of this instant.
fn printed(round: &SignedRound, as_of: &str) -> (String, Value) {
    let note = fs::read_to_string(round.rounds().join("log/checkpoint")).expect("a checkpoint");
    let size = note.lines().nth(1).expect("a size").to_owned();
    let shown = board(round.test(), &["--as-of", as_of]).code(0).json();
    (size, shown)
}

#[track_caller]
fn same(test: &Test, checkpoint: &str, (size, then): &(String, Value)) {
    let as_of = then["as_of"].as_str().expect("an instant");
    let shown = board(test, &["--at", checkpoint, "--as-of", as_of]).code(0);
    let mut shown = shown.json();
    let told = shown["checkpoint"].take();
    assert_eq!(told["size"].to_string(), *size);
    shown
        .as_object_mut()
        .expect("an object")
        .remove("checkpoint");
    assert_eq!(shown, *then, "at {checkpoint}");
}

/// Another close of one option that a model holds, as the vendor says it now.
fn correct_a_close(test: &Test) {
    let history = fs::read_to_string(test.path("histories/AGG.csv")).expect("a history");
    let changed: Vec<String> = history
        .lines()
        .map(|line| match line.strip_prefix("2026-09-21,") {
            Some(_) => "2026-09-21,300,298.95,3300,0,1".to_owned(),
            None => line.to_owned(),
        })
        .collect();
    fs::write(test.path("histories/AGG.csv"), changed.join("\n") + "\n").expect("a history");
    let fetch = "fetch-prices --full-universe --source csv --histories histories \
                 --overwrite-prices --correct vendor --now 2026-09-23T00:30:00Z --round";
    let mut fetch: Vec<&str> = fetch.split_whitespace().collect();
    fetch.push(ROUND);
    test.run(&fetch).code(0);
    let reason = "the vendor corrected a close";
    let score = ["score-round", "--now", CORRECTED, "--round", ROUND];
    test.run(&[&score[..], &["--correct", reason]].concat())
        .code(0)
        .says("results/superseded/0001");
}

#[test]
fn every_board_that_was_printed_can_be_reproduced() {
    let round = SignedRound::accepted();
    let test = round.test();
    let accepted = printed(&round, ACCEPTED);
    round.resolve();
    let resolved = printed(&round, RESOLVED);
    let seen = fs::read(test.path("signed/log/checkpoint")).expect("a checkpoint");
    fs::write(test.path("seen"), &seen).expect("a kept checkpoint");
    correct_a_close(test);
    let corrected = printed(&round, CORRECTED);
    assert_ne!(
        resolved.1["comparison_sets"],
        corrected.1["comparison_sets"]
    );
    let root = String::from_utf8_lossy(&seen);
    let root = root.lines().nth(2).expect("a root").to_owned();
    let before = test.tree();
    // The owner's key opens everything; strangers have the salts of what is public.
    for _ in 0..2 {
        same(test, &accepted.0, &accepted);
        for checkpoint in [resolved.0.as_str(), "seen", &root] {
            same(test, checkpoint, &resolved);
        }
        same(test, &corrected.0, &corrected);
        let keys = round.rounds().join(".capitalbench/keys");
        if keys.exists() {
            assert_eq!(before, test.tree());
            fs::remove_dir_all(keys).expect("no key");
        }
    }
    let show = ["leaderboard", "--rounds-dir", "signed", "--at"];
    test.run(&[&show[..], &[&resolved.0]].concat())
        .code(0)
        .says(&format!("Checkpoint {} of log.example", resolved.0))
        .says(&format!("root {root} · signed"));
    test.run(&[&show[..], &[&resolved.0, "--round", NAME]].concat())
        .code(0)
        .says("last event 2026-09-22T00:15:0");
    let reason = "Corrected 2026-09-23T01:00:00Z: the vendor corrected a close";
    let one = test.run(&[&show[..], &[&resolved.0, "--round", NAME]].concat());
    assert!(!one.code(0).stdout().contains("Corrected"));
    test.run(&[&show[..3], &["--round", NAME]].concat())
        .code(0)
        .says(reason)
        .says("portfolio return");
    test.run(&[&show[..], &["1000"]].concat())
        .code(2)
        .complains("no checkpoint was signed at the size 1000; the nearest sizes: ");
    test.run(&[&show[..], &["nowhere"]].concat())
        .code(2)
        .complains(
            "nowhere: must be the size or the root of a checkpoint, or a file that holds one",
        );
    let forged = String::from_utf8_lossy(&seen).replace(&resolved.0, &corrected.0);
    fs::write(test.path("forged"), forged).expect("a forged checkpoint");
    test.run(&[&show[..], &["forged"]].concat())
        .code(2)
        .complains("forged: ");
    nothing_is_guessed(test, &resolved.0);
}

/// Old prices that are changed or gone are named; a board is never made from others.
fn nothing_is_guessed(test: &Test, size: &str) {
    let kept = test
        .path(ROUND)
        .join("prices/replaced/0001/exit_prices.csv");
    let show = ["leaderboard", "--rounds-dir", "signed", "--at", size];
    let bytes = fs::read_to_string(&kept).expect("the old prices");
    fs::write(&kept, bytes.replacen('1', "2", 1)).expect("other prices");
    test.run(&show)
        .code(2)
        .complains("prices/exit_prices.csv: its bytes at this checkpoint are not here and not");
    fs::remove_file(&kept).expect("no old prices");
    test.run(&show)
        .code(2)
        .complains("prices/exit_prices.csv: its bytes at this checkpoint");
    let leaves = test.path("signed/log/tile/entries");
    fs::remove_dir_all(leaves).expect("no leaves");
    test.run(&show).code(2).complains("the log does not hold");
}

#[test]
fn an_unsigned_folder_has_no_checkpoints() {
    let test = Test::weekly();
    test.run_without_trace(&["leaderboard", "--rounds-dir", ".", "--at", "3"])
        .code(2)
        .complains("there is no signed log here");
}
