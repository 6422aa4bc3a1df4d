//! One byte of any frozen file: the next command refuses, whichever it is, and names the file.

use std::fs;

use crate::harness::Test;
use crate::operator::{FETCH_CSV, NOW, ROUND, frozen, import};

const FROZEN: [&str; 9] = [
    "manifest.yaml",
    "options.yaml",
    "prompt.md",
    "briefing.md",
    "submission_schema.json",
    "model_input.md",
    "market_data/universe_trailing_returns.csv",
    "market_data/universe_trailing_returns.md",
    "market_data/universe_trailing_returns.json",
];

/// Every command that reads or would alter a frozen input.
fn commands() -> Vec<Vec<&'static str>> {
    vec![
        vec!["hash-round", "--round", ROUND],
        vec!["hash-round", "--round", ROUND, "--check"],
        vec!["show-prompt", "--round", ROUND],
        vec!["validate-submissions", "--round", ROUND],
        import("briefing.md", "2026-12-06T09:00:00Z").to_vec(),
        [&FETCH_CSV[..], &["--overwrite-performance"]].concat(),
        vec!["audit-round", "--round", ROUND, "--now", NOW],
        vec!["verify", ROUND, "--now", NOW],
    ]
}

/// Runs every command; each must refuse, name the file and leave everything as it is.
#[track_caller]
fn all_refuse(test: &Test, file: &str) {
    for command in commands() {
        let ran = test.run_without_trace(&command);
        let said = ran.stdout() + &ran.stderr();
        assert!(said.contains(file), "{file} is not named: {ran}");
        let reports = ["audit-round", "verify"].contains(&command[0]);
        if reports || command.contains(&"--check") {
            drop(ran.fails());
        } else {
            drop(ran.code(2));
        }
    }
}

/// A sealed round with a run in it.
fn with_run() -> Test {
    let test = frozen();
    let run = "round_id: LEAGUE-2026-12-07-1W\nrun_id: trial\nrun_type: mock\n";
    test.write("runs/trial/run_manifest.yaml", run)
}

#[test]
fn the_list_of_this_test_is_what_is_frozen() {
    let hashes = frozen().read("hashes.json");
    let hashes: serde_json::Value = serde_json::from_str(&hashes).expect("JSON");
    let files = hashes["files"].as_object().expect("files");
    let mut expected = FROZEN;
    expected.sort_unstable();
    assert_eq!(files.keys().collect::<Vec<_>>(), expected);
}

#[test]
fn an_untouched_round_holds() {
    let test = frozen();
    let ran = test.run_without_trace(&["hash-round", "--round", ROUND]);
    ran.code(0).says("unchanged (9 files)");
    let ran = test.run_without_trace(&["hash-round", "--round", ROUND, "--check"]);
    ran.code(0).says("9 files hold");
    let ran = test.run_without_trace(&["verify", ROUND, "--now", NOW]);
    ran.code(0);
}

#[test]
fn one_changed_byte_stops_every_command() {
    let test = with_run();
    for file in FROZEN {
        let path = test.file(file);
        let good = fs::read(&path).expect("a frozen file");
        let mut bad = good.clone();
        // The last letter: the file stays readable, and says something else.
        let at = bad
            .iter()
            .rposition(u8::is_ascii_lowercase)
            .expect("a letter");
        bad[at] = if bad[at] == b'x' { b'y' } else { b'x' };
        fs::write(&path, bad).expect("a written file");
        all_refuse(&test, file);
        fs::write(&path, good).expect("a written file");
    }
}

#[test]
fn one_byte_more_or_less_stops_every_command() {
    let test = with_run();
    for file in ["manifest.yaml", "prompt.md", "model_input.md"] {
        let path = test.file(file);
        let good = fs::read(&path).expect("a frozen file");
        for bad in [[&good[..], b"\n"].concat(), good[..good.len() - 1].to_vec()] {
            fs::write(&path, bad).expect("a written file");
            all_refuse(&test, file);
        }
        fs::write(&path, good).expect("a written file");
    }
}

#[test]
fn a_removed_file_stops_every_command() {
    let test = with_run();
    for file in FROZEN {
        let path = test.file(file);
        let good = fs::read(&path).expect("a frozen file");
        fs::remove_file(&path).expect("a removed file");
        all_refuse(&test, file);
        fs::write(&path, good).expect("a written file");
    }
}

#[test]
fn an_added_input_stops_every_command() {
    for file in [
        "market_data/universe_decision_context.md",
        "market_data/universe_quality_evidence.json",
        "market_data/decision_context_source_history.json",
    ] {
        all_refuse(&with_run().write(file, "{}\n"), file);
    }
}

#[test]
fn spoiled_digests_stop_every_command() {
    let test = with_run().replace("hashes.json", "sha256", "sha1");
    all_refuse(&test, "hashes.json");
}
