//! Many invented rounds: every command works on them, with and without the cache.

use std::fs;
use std::path::Path;

use capitalbench_testing::bench_archive::{BenchPlan, make};

use crate::harness::{Test, tree_of};

const PLAN: BenchPlan = BenchPlan {
    rounds: 30,
    models: 4,
    seed: 3,
    track: None,
};
const SHOW: [&str; 6] = [
    "leaderboard",
    "--rounds-dir",
    "bench",
    "--as-of",
    "2026-11-01",
    "--json",
];

fn with_rounds() -> Test {
    let test = Test::operator("");
    assert_eq!(made(&test.path("bench"), PLAN), Ok(30));
    test
}

fn made(folder: &Path, plan: BenchPlan) -> Result<usize, String> {
    make(folder, plan, &|| ()).map_err(|error| error.to_string())
}

#[test]
fn the_rounds_verify_and_can_be_continued() {
    let test = with_rounds();
    test.run(&["verify", "bench"])
        .code(0)
        .says("30 rounds")
        .says("0 errors, 0 warnings");
    let bench = test.path("bench");
    let before = tree_of(&bench);
    assert_eq!(made(&bench, BenchPlan { rounds: 31, ..PLAN }), Ok(1));
    let after = tree_of(&bench);
    let kept = before
        .iter()
        .all(|(path, text)| after.get(path) == Some(text));
    assert!(
        kept && after.len() > before.len(),
        "earlier rounds stay as they are"
    );

    let refused = |folder: &str, plan| made(&test.path(folder), plan).expect_err("a refusal");
    assert!(refused("bench", BenchPlan { seed: 4, ..PLAN }).contains("another seed"));
    assert!(refused(".", PLAN).contains("is not empty"));
    let many = BenchPlan {
        rounds: 300_000,
        ..PLAN
    };
    assert!(refused("many", many).contains("has room for"));
}

#[test]
fn boards_are_the_same_with_and_without_the_cache() {
    let test = with_rounds();
    let uncached = [&SHOW[..], &["--no-cache"]].concat();
    let cache = [("CAPITALBENCH_NO_CACHE", "")];
    let expected = test.run_with(&cache, &uncached).code(0).json();
    assert_eq!(
        expected["comparison_sets"].as_array().map(Vec::len),
        Some(2)
    );
    let quiet = test.run_with(&[("CAPITALBENCH_NO_CACHE", "1")], &SHOW);
    assert_eq!(quiet.code(0).json(), expected);
    assert_eq!(test.run_with(&cache, &SHOW).code(0).json(), expected);
    assert!(!test.path("bench/.capitalbench").exists(), "few rounds");
    fs::create_dir(test.path("bench/.capitalbench")).expect("a folder");
    assert_eq!(test.run_with(&cache, &SHOW).code(0).json(), expected);
    assert!(test.path("bench/.capitalbench/cache").is_dir());
    assert_eq!(test.run_with(&cache, &SHOW).code(0).json(), expected);
    // The cache is nothing that rounds are judged by.
    test.run(&["verify", "bench"])
        .code(0)
        .says("0 errors, 0 warnings");
}

#[test]
fn the_secret_of_the_cache_is_of_this_machine_and_never_in_the_folder() {
    let test = with_rounds();
    fs::create_dir(test.path("bench/.capitalbench")).expect("a folder");
    let on = |home: &str| {
        let cache = [("CAPITALBENCH_NO_CACHE", ""), ("XDG_STATE_HOME", home)];
        test.run_with(&cache, &SHOW).code(0).json()
    };
    // A secret in the folder itself came along with it.
    let inside = test.path("bench/state");
    let expected = on(inside.to_str().expect("a path"));
    assert!(!inside.exists() && !test.path("bench/.capitalbench/cache").exists());
    // So did whatever a file of settings names.
    let named = format!("XDG_STATE_HOME={}\n", test.path("named").display());
    fs::write(test.path(".env"), named).expect("a file of settings");
    let home = test.path("home");
    let home = home.to_str().expect("a path");
    let unset = [
        ("CAPITALBENCH_NO_CACHE", ""),
        ("XDG_STATE_HOME", ""),
        ("HOME", home),
    ];
    assert_eq!(test.run_with(&unset, &SHOW).code(0).json(), expected);
    assert!(!test.path("named").exists());
    let key = test.path("home/.local/state/capitalbench/cache.key");
    let mode = fs::metadata(key).expect("a secret").permissions();
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777,
        0o600
    );
    assert!(test.path("bench/.capitalbench/cache").is_dir());
}
