//! The real rounds: everything that can be derived is deleted, derived again and compared.
//!
//! The two example rounds have results of earlier formats and no official run, so their results
//! are left alone; their submissions are validated like all others.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{Ran, changes, copy_tree, program, tree_of};

/// The archive's folder; none, with a printed reason, when it is not on this machine.
pub(crate) fn archive() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/archive");
    let named = std::env::var("CAPITALBENCH_ARCHIVE").unwrap_or_else(|_| beside.to_owned());
    let rounds = PathBuf::from(named).join("rounds");
    if rounds.is_dir() {
        return Some(rounds.parent()?.to_owned());
    }
    let ci = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(
        !ci,
        "CI needs the archive: set CAPITALBENCH_ARCHIVE to its folder"
    );
    eprintln!("skipped: no archive; set CAPITALBENCH_ARCHIVE to its folder");
    None
}

fn run(folder: &Path, arguments: &[&str]) -> Ran {
    let output = Command::new(program())
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts");
    Ran::new(&arguments.join(" "), output)
}

/// The runs of a copied archive as round and run, and whether each is the record.
fn runs(rounds: &Path) -> Vec<(String, String, bool)> {
    let mut found = Vec::new();
    for round in names(rounds) {
        let listed = run(rounds, &["list-runs", "--round", &round, "--json"]).code(0);
        for run in listed.json()["runs"].as_array().expect("runs") {
            let id = run["run_id"].as_str().expect("a run id").to_owned();
            found.push((round.clone(), id, run["is_record"] == true));
        }
    }
    found
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a readable folder");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("text")
        })
        .collect();
    names.sort();
    names
}

/// Words of recorded errors may differ; verdicts and counts are compared by `verify`. The outcomes
/// are a file that the earlier project did not have.
fn without_error_texts(tree: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let words = [
        "/validation_summary.json",
        "/_validation_errors.json",
        "/outcomes.json",
    ];
    let kept = tree
        .iter()
        .filter(|(path, _)| !words.iter().any(|end| path.ends_with(end)));
    kept.map(|(path, bytes)| (path.clone(), bytes.clone()))
        .collect()
}

#[test]
fn deleted_files_come_back_to_the_last_byte() {
    let Some(archive) = archive() else { return };
    let copy = TempDir::new().unwrap();
    copy_tree(&archive.join("rounds"), copy.path());
    let rounds = copy.path();
    let before = without_error_texts(&tree_of(rounds));
    let (mut parsed, mut results) = (0, 0);
    let runs = runs(rounds);
    for (round, run_id, is_record) in &runs {
        let folder = rounds.join(round).join("runs").join(run_id);
        if folder.join("submissions/parsed").is_dir() {
            parsed += names(&folder.join("submissions/parsed")).len();
            fs::remove_dir_all(folder.join("submissions/parsed")).unwrap();
        }
        for file in ["returns.csv", "leaderboard.csv", "allocations.csv"] {
            let path = folder.join("results").join(file);
            if *is_record && path.exists() {
                fs::remove_file(path).unwrap();
                results += 1;
            }
        }
    }
    assert!(
        results >= 3 * 40 && parsed >= 400,
        "{results} results, {parsed} parsed"
    );
    runs.par_iter().for_each(|(round, run_id, _)| {
        let arguments = ["validate-submissions", "--round", round, "--run-id", run_id];
        let ran = run(rounds, &arguments);
        assert_eq!(ran.stderr(), "", "{ran}");
    });
    run(rounds, &["score-round", "--rounds-dir", "."])
        .code(0)
        .says(&format!("scored {} runs\n", results / 3));
    let after = without_error_texts(&tree_of(rounds));
    assert_eq!(changes(&before, &after), [""; 0]);
}

/// Findings of the whole archive as of an instant: round, code, severity.
fn findings(archive: &Path, now: &str) -> Vec<(String, String, String)> {
    let ran = run(archive, &["verify", "rounds", "--json", "--now", now]).code(1);
    let report = ran.json();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let mut found = Vec::new();
    for round in report["rounds"].as_array().expect("rounds") {
        let words = ["holds", "holds-with-warnings", "does-not-hold"];
        assert!(words.contains(&text(&round["verdict"]).as_str()));
        for finding in round["findings"].as_array().expect("findings") {
            assert!(!text(&finding["where"]).is_empty(), "{finding}");
            assert!(!text(&finding["detail"]).is_empty(), "{finding}");
            let parts = (&round["round_id"], &finding["code"], &finding["severity"]);
            found.push((text(parts.0), text(parts.1), text(parts.2)));
        }
    }
    let summary = &report["summary"];
    let count = |severity: &str| found.iter().filter(|found| found.2 == severity).count();
    assert_eq!(summary["errors"], count("error"));
    assert_eq!(summary["warnings"], count("warning"));
    assert_eq!(summary["notes"], count("note"));
    assert_eq!(summary["rounds"], names(&archive.join("rounds")).len());
    found
}

/// Rounds that have a finding of this code, each once.
fn rounds_with(found: &[(String, String, String)], code: &str) -> Vec<String> {
    let mut rounds: Vec<String> = found
        .iter()
        .filter(|(_, own, _)| own == code)
        .map(|(round, ..)| round.clone())
        .collect();
    rounds.dedup();
    rounds
}

#[test]
fn documented_defects_are_found() {
    let Some(archive) = archive() else { return };
    let found = findings(&archive, "2026-09-30T00:00:00Z");
    for (code, least, most) in [
        ("research-hash-mismatch", 1, 1),
        ("price-row-off-date", 1, 1),
        ("blank-close", 1, 1),
        ("missed-distribution", 3, usize::MAX),
        ("call-after-deadline", 1, usize::MAX),
        ("decision-after-entry-close", 1, usize::MAX),
        ("several-eligible-runs", 1, usize::MAX),
        ("overdue", 1, usize::MAX),
        ("resolution-cancelled", 1, usize::MAX),
        ("prompt-steers", 2, 2),
        ("asked-again", 1, usize::MAX),
        ("interim-from-ineligible-run", 1, usize::MAX),
        ("interim-basis-differs", 1, usize::MAX),
        ("pilot", 1, 1),
        ("roster-not-frozen", 1, usize::MAX),
    ] {
        let rounds = rounds_with(&found, code);
        assert!((least..=most).contains(&rounds.len()), "{code}: {rounds:?}");
    }
    assert_eq!(rounds_with(&found, "pending"), [""; 0]);
}

#[test]
fn rounds_wait_before_their_exit_close() {
    let Some(archive) = archive() else { return };
    let found = findings(&archive, "2026-08-20T00:00:00Z");
    assert!(!rounds_with(&found, "pending").is_empty());
}

#[test]
fn no_real_round_but_the_pilot_has_an_error() {
    let Some(archive) = archive() else { return };
    let found = findings(&archive, "2026-09-30T00:00:00Z");
    let pilot = rounds_with(&found, "pilot");
    let broken: Vec<&String> = found
        .iter()
        .filter(|(round, _, severity)| severity == "error" && !round.starts_with("example"))
        .map(|(round, ..)| round)
        .collect();
    assert_eq!(broken, pilot.iter().collect::<Vec<_>>());
}

/// An edited interim row is found; no fixture of ours is tracked.
#[test]
fn an_edited_interim_row_is_found() {
    let Some(archive) = archive() else { return };
    let rounds = names(&archive.join("rounds"));
    let tracked = rounds.iter().find_map(|round| {
        let runs = archive.join("rounds").join(round).join("runs");
        let run = names(&runs).into_iter().find(|run| {
            runs.join(run)
                .join("results/weekly_performance.csv")
                .exists()
        });
        run.map(|run| (round, run))
    });
    let (round, run_id) = tracked.expect("a tracked round");
    let copy = TempDir::new().unwrap();
    copy_tree(
        &archive.join("rounds").join(round),
        &copy.path().join(round),
    );
    let file = format!("{round}/runs/{run_id}/results/weekly_performance.csv");
    let file = copy.path().join(file);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen(",complete,", ",guessed,", 1)).unwrap();
    let ran = run(copy.path(), &["verify", round]).code(1);
    ran.says("error    interim-differs  ")
        .says("line 2, price_status is \"guessed\"; computed \"complete\"");
}
