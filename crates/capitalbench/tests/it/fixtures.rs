//! The fixtures themselves: what holds, what each broken one shows, and that a script made them.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::harness::{Test, changes, fixtures, program};

/// Each broken fixture, the codes it must give, and whether they are errors.
const BROKEN: [(&str, &[&str], i32); 10] = [
    ("changed-prompt", &["input-hash-mismatch"], 1),
    ("duplicate-yaml-key", &["unreadable-file"], 1),
    ("exit-price-off-date", &["price-rule-broken"], 1),
    (
        "late-decision",
        &["call-after-deadline", "decision-after-entry-close"],
        0,
    ),
    ("parsed-edited", &["parsed-submission-differs"], 1),
    (
        "portfolio-sums-to-95",
        &["verdict-differs", "run-counts-differ", "result-differs"],
        1,
    ),
    ("raw-edited", &["raw-submission-differs"], 1),
    ("reply-edited", &["reply-digest-mismatch"], 1),
    ("research-edited", &["research-hash-mismatch"], 1),
    ("score-edited", &["result-differs"], 1),
];

#[test]
fn good_rounds_hold_without_a_warning() {
    let test = Test::all_rounds();
    let report = test.run(&["verify", ".", "--strict", "--json"]).code(0);
    let summary = &report.json()["summary"];
    assert_eq!(summary["rounds"], 3);
    assert_eq!(summary["verdicts"]["holds"], 3);
}

#[test]
fn every_broken_round_gives_exactly_its_codes() {
    for (name, codes, exit_code) in BROKEN {
        let test = Test::broken(name);
        assert_eq!(test.codes(), codes, "{name}");
        test.run(&["verify", name]).code(exit_code);
        test.run(&["verify", name, "--strict"]).code(1);
    }
}

#[test]
fn every_broken_round_is_in_the_table() {
    let mut names: Vec<String> = fs::read_dir(fixtures().join("broken"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, BROKEN.map(|(name, ..)| name));
}

#[test]
fn the_script_makes_the_same_bytes_again() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/make-fixtures");
    let python = Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|output| output.status.success()) {
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "no python3");
        eprintln!("skipped: there is no python3 to run scripts/make-fixtures");
        return;
    }
    let made = TempDir::new().unwrap();
    let output = Command::new("python3")
        .arg(script)
        .arg("--output")
        .arg(made.path())
        .args(["--binary", program()])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let tree = crate::harness::tree_of(made.path());
    let mut kept = crate::harness::tree_of(&fixtures());
    // The answers of services are written by hand.
    kept.retain(|path, _| !path.starts_with("answers"));
    assert_eq!(changes(&kept, &tree), [""; 0]);
}
