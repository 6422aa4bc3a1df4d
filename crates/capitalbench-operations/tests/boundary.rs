//! Operations neither print nor read flags nor read the environment: the program does.

use std::fs;
use std::path::{Path, PathBuf};

/// What the program does in their place.
const FORBIDDEN: [&str; 13] = [
    "println!",
    "eprintln!",
    "print!(",
    "dbg!",
    "stdout()",
    "stderr()",
    "stdin()",
    "std::env",
    "env::var",
    "env::args",
    "clap",
    "indicatif",
    "anstream",
];

/// Crates that print, parse flags, or depend on these operations.
const FORBIDDEN_CRATES: [&str; 8] = [
    "anstream",
    "anstyle",
    "capitalbench",
    "capitalbench-site",
    "clap",
    "comfy-table",
    "hyper",
    "indicatif",
];

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable source") {
        let path = entry.expect("a readable source").path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn no_source_file_prints_or_reads_flags_or_the_environment() {
    let mut files = Vec::new();
    rust_files(&root().join("src"), &mut files);
    assert!(files.len() > 30, "the sources were not found");
    for file in files {
        let text = fs::read_to_string(&file).expect("a readable source");
        let code = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        for (number, line) in (1..).zip(code) {
            for word in FORBIDDEN {
                assert!(!line.contains(word), "{}:{number}: {word}", file.display());
            }
        }
    }
}

#[test]
fn no_dependency_prints_or_parses_flags() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("a readable source");
    let dependencies = manifest
        .split("[dependencies]")
        .nth(1)
        .expect("a readable source");
    let dependencies = dependencies.split("\n[").next().expect("a readable source");
    let names = dependencies.lines().filter_map(|line| {
        let end = line.find(['.', ' ', '='])?;
        Some(&line[..end])
    });
    for name in names {
        assert!(!FORBIDDEN_CRATES.contains(&name), "{name}");
    }
}

#[test]
fn at_most_twelve_rooms() {
    let entries = fs::read_dir(root().join("src"))
        .expect("a readable source")
        .count();
    assert!(entries <= 12, "{entries} entries");
}
