//! What is built into the program: licences, sources and banned crates, as `deny.toml` names them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Texts in quotes between a line that begins a list and the line that ends it.
fn list(file: &str, start: &str) -> BTreeSet<String> {
    let text = read(file);
    let inside = text.lines().skip_while(|line| *line != start).skip(1);
    let inside = inside.take_while(|line| *line != "]");
    let quoted = inside.filter_map(|line| line.split('"').nth(1));
    quoted.map(str::to_owned).collect()
}

/// The platform that builds this test.
fn host() -> Option<String> {
    let told = Command::new("rustc").arg("-vV").output().ok()?;
    let told = String::from_utf8(told.stdout).ok()?;
    let mut lines = told.lines();
    lines.find_map(|line| Some(line.strip_prefix("host: ")?.to_owned()))
}

/// Every package of the workspace and all it needs, where cargo can be asked.
fn packages() -> Option<Vec<Value>> {
    // What is built for other platforms may never have been fetched.
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--locked", "--format-version", "1"])
        .args(["--filter-platform", &host()?])
        .current_dir(root())
        .output()
        .ok()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let mut found: Value = serde_json::from_slice(&output.stdout).expect("the answer of cargo");
    serde_json::from_value(found["packages"].take()).ok()
}

/// Whether an expression can be met by licences of the list.
fn is_met(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let plain = expression.replace('/', " OR ");
    plain.split(" AND ").all(|part| {
        let part = part.trim().trim_start_matches('(').trim_end_matches(')');
        part.split(" OR ").any(|one| allowed.contains(one.trim()))
    })
}

#[test]
fn expressions_of_licences_are_understood() {
    let allowed = ["MIT", "ISC"].map(str::to_owned).into();
    for (text, met) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("Apache-2.0/MIT", true),
        ("MIT AND ISC", true),
        ("MIT AND GPL-3.0", false),
        ("(MIT OR GPL-3.0) AND ISC", true),
        ("(MIT OR ISC) AND GPL-3.0", false),
    ] {
        assert_eq!(is_met(text, &allowed), met, "{text}");
    }
}

#[test]
fn licences_and_sources_are_those_of_the_policy() {
    let allowed = list("deny.toml", "allow = [");
    assert!(allowed.contains("MIT"), "{allowed:?}");
    let Some(packages) = packages() else {
        eprintln!("skipped: there is no cargo to ask for the packages");
        return;
    };
    assert!(packages.len() > 50, "{} packages", packages.len());
    for package in packages {
        let name = package["name"].as_str().expect("a name");
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(
            is_met(licence, &allowed),
            "{name}: {licence:?} is not allowed"
        );
        let source = package["source"].as_str().unwrap_or("path");
        assert!(
            source == "path" || source.starts_with("registry+"),
            "{name} comes from {source}"
        );
    }
}

#[test]
fn locks_name_one_registry_with_a_checksum_for_every_crate() {
    let banned = list("deny.toml", "deny = [");
    assert!(banned.contains("openssl"), "{banned:?}");
    for file in ["Cargo.lock", "fuzz/Cargo.lock"] {
        let text = read(file);
        let sources = text.lines().filter(|line| line.starts_with("source = "));
        let kinds: BTreeSet<&str> = sources.collect();
        assert_eq!(kinds.len(), 1, "{file}: {kinds:?}");
        assert!(kinds.iter().all(|kind| kind.contains("\"registry+")));
        for package in text.split("[[package]]").skip(1) {
            let name = package.split('"').nth(1).expect("a name");
            assert!(!banned.contains(name), "{file}: {name} is banned");
            let whole = !package.contains("source = ") || package.contains("checksum = ");
            assert!(whole, "{file}: {name} has no checksum");
        }
    }
}

/// The whole policy is held against everything that is built by the tool it was written for.
#[test]
fn every_landing_is_checked_by_cargo_deny() {
    let run = read(".ci/run");
    assert!(run.lines().any(|line| line == "scripts/deny"), "{run}");
    let script = read("scripts/deny");
    for words in ["licenses bans sources", "advisories", "--locked"] {
        assert!(script.contains(words), "no {words} in scripts/deny");
    }
    assert!(script.starts_with("#!/usr/bin/env bash\n"));
    assert!(script.contains("set -euo pipefail"), "a failure must count");
}

#[test]
fn versions_are_named_and_code_of_ours_has_the_lints() {
    let workspace = read("Cargo.toml");
    assert!(workspace.contains("unsafe_code = \"forbid\""));
    for line in workspace.lines().chain(read("fuzz/Cargo.toml").lines()) {
        assert!(!line.contains("\"*\"") || line.starts_with('['), "{line}");
        assert!(!line.contains("git = "), "{line}");
    }
    for entry in fs::read_dir(root().join("crates")).expect("crates") {
        let name = entry.expect("an entry").file_name();
        let manifest = read(&format!("crates/{}/Cargo.toml", name.to_string_lossy()));
        assert!(
            manifest.contains("\n[lints]\nworkspace = true\n"),
            "{name:?}"
        );
        assert!(!manifest.contains("\"*\""), "{name:?}");
    }
}
