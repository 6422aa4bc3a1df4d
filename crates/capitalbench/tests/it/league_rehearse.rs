//! `league rehearse`: what it plays is what the single commands do, and killed passes change nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{Ran, command, program};

/// A league of both tracks.
fn house() -> TempDir {
    let place = tempfile::tempdir().expect("a folder");
    ran(&place, &["league", "new", "house"]).code(0);
    let file = place.path().join("house/league.yaml");
    let text = fs::read_to_string(&file).expect("the league file");
    let line = "  # monthly: first session";
    assert!(text.contains(line), "{text}");
    let both = text.replacen(line, "  monthly: first session", 1);
    fs::write(file, both).expect("the changed file");
    place
}

fn ran(place: &TempDir, arguments: &[&str]) -> Ran {
    let output = command(arguments).current_dir(place.path()).output();
    Ran::new(&arguments.join(" "), output.expect("the program runs"))
}

/// Every file with its bytes, by its path below a folder.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("below").to_owned();
                found.insert(name, fs::read(&path).expect("a file"));
            }
        }
    }
    found
}

/// State that one machine keeps for itself, and leases, which live by the machine's own clock.
fn is_own(path: &Path) -> bool {
    let text = path.display().to_string();
    text.contains(".capitalbench/") || text.contains("/automation/lease-")
}

/// Copies of files from one league to another.
fn copy(from: &Path, to: &Path, files: &[&str]) {
    for file in files {
        let place = to.join(file);
        fs::create_dir_all(place.parent().expect("a folder")).expect("a new folder");
        fs::copy(from.join(file), place).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one transcript, from top to bottom")]
fn the_single_commands_make_the_same_files() {
    let place = house();
    let arguments = [
        "league",
        "rehearse",
        "--league",
        "house",
        "--days",
        "9",
        "--from",
        "2026-11-16",
        "--seed",
        "3",
        "--fault",
        "split=XLK,2026-11-18,4",
        "--fault",
        "renamed=QQQ,QQQN,2026-11-19",
        "--keep",
        "kept",
        "--json",
    ];
    let told: Value = ran(&place, &arguments).code(0).json();
    let played = place.path().join("kept/played");
    let typed = place.path().join("typed");
    copy(
        &played,
        &typed,
        &[
            "league.yaml",
            "models.yaml",
            "universe-qqq.yaml",
            "rehearsal/invented_market.json",
            "rehearsal/rounds/.capitalbench/keys/log.key",
            "rehearsal/rounds/log/vkey",
        ],
    );
    let steps = told["steps"].as_array().expect("steps");
    assert!(steps.len() > 20, "{told}");
    for step in steps {
        let word = |name: &str| step[name].as_str().expect("a text").to_owned();
        if word("step") == "keyed" {
            continue;
        }
        let line = word("command").replacen("capitalbench", program(), 1);
        let output = Command::new("sh")
            .args(["-c", &format!("{line} --now {}", word("at_utc"))])
            .current_dir(&typed)
            .env("CAPITALBENCH_CLOCK", "still")
            .output()
            .expect("a shell");
        assert!(output.status.success(), "{}", Ran::new(&line, output));
    }
    for part in [
        "rehearsal/rounds",
        "rehearsal/market_data",
        "rehearsal/boards",
    ] {
        let (mine, theirs) = (tree(&played.join(part)), tree(&typed.join(part)));
        let shared: BTreeSet<&PathBuf> = mine.keys().chain(theirs.keys()).collect();
        for path in shared.into_iter().filter(|path| !is_own(path)) {
            let text = |tree: &BTreeMap<PathBuf, Vec<u8>>| {
                let bytes = tree.get(path).map(|bytes| String::from_utf8_lossy(bytes));
                bytes.map(std::borrow::Cow::into_owned)
            };
            assert_eq!(text(&mine), text(&theirs), "{part}/{}", path.display());
        }
    }
}

#[test]
fn killed_passes_change_no_pick_no_price_and_no_result() {
    let place = house();
    let arguments = [
        "league",
        "rehearse",
        "--league",
        "house",
        "--days",
        "9",
        "--from",
        "2026-11-16",
        "--kills",
        "40",
        "--json",
    ];
    let told: Value = ran(&place, &arguments).code(0).json();
    let killed = &told["killed"];
    assert_eq!(killed["differs"], Value::Array(Vec::new()), "{killed}");
    assert!(killed["kills"].as_u64() > Some(30), "{killed}");
    assert_eq!(killed["summary"]["errors"], 0, "{killed}");
    assert_eq!(killed["summary"]["rounds"], told["summary"]["rounds"]);
}

#[test]
fn a_rehearsal_leaves_the_league_as_it_was_and_says_what_became_of_its_rounds() {
    let place = house();
    let before = tree(&place.path().join("house"));
    let arguments = [
        "league",
        "rehearse",
        "--league",
        "house",
        "--days",
        "3",
        "--from",
        "2026-11-16",
        "--fault",
        "model-retired=grok-4-6,2026-11-01",
    ];
    ran(&place, &arguments)
        .code(0)
        .says("house rehearsed from 2026-11-16 to 2026-11-19, seed 1")
        .says("model-retired=grok-4-6,2026-11-01")
        .says("asked 6 models: 1 failed, 5 valid")
        .says("verify: 0 errors");
    assert_eq!(tree(&place.path().join("house")), before);
    let wrong = [
        "league", "rehearse", "--league", "house", "--fault", "storm=1",
    ];
    ran(&place, &wrong)
        .code(2)
        .complains("is not a fault such as");
}
