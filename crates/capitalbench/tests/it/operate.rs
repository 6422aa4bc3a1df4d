//! Every shell block of every page, run as a reader runs it; transcripts are compared.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use capitalbench_archive::format::league::FIELDS;

use crate::harness::{copy_tree, program};

/// Pages whose shell blocks are run here, in order, each with what must lie in the folder before.
const PLAYED: [(&str, Start); 8] = [
    ("README.md", Start::Fixtures),
    ("docs/start.md", Start::Empty),
    ("docs/operate.md", Start::Operator),
    ("docs/league.md", Start::Empty),
    ("docs/enter.md", Start::Empty),
    ("docs/deploy.md", Start::Fixtures),
    ("docs/statistics.md", Start::Fixtures),
    ("docs/data.md", Start::Fixtures),
];
/// Pages whose blocks another test runs, with their number.
const PLAYED_ELSEWHERE: [(&str, usize); 1] = [("docs/verify.md", 4)];
/// What stands on the line before a block that no test can run, followed by the reason.
const NOT_RUN: &str = "<!-- not run: ";
/// How many such blocks all pages have; a further one needs a reason that convinces a reviewer.
const NOT_RUN_BLOCKS: usize = 16;

/// What lies in the folder where a page begins.
#[derive(Clone, Copy)]
enum Start {
    Empty,
    /// What an operator starts from.
    Operator,
    /// The fixtures, and their good rounds as `rounds`.
    Fixtures,
}

impl Start {
    fn fill(self, folder: &Path) {
        let fixtures = root().join("fixtures");
        match self {
            Self::Empty => {}
            Self::Operator => copy_tree(&fixtures.join("operate"), folder),
            Self::Fixtures => {
                copy_tree(&fixtures.join("rounds"), &folder.join("rounds"));
                copy_tree(&fixtures.join("rounds"), &folder.join("fixtures/rounds"));
                copy_tree(&fixtures.join("broken"), &folder.join("fixtures/broken"));
            }
        }
    }
}

/// A block of commands.
enum Block {
    /// Commands with what the page says they print.
    Console(Vec<Step>),
    /// A script that must succeed.
    Script(String),
    /// A block that says why it is not run.
    NotRun(String),
}

/// A command and what the page says it prints.
struct Step {
    command: String,
    expected: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text_of(page: &str) -> String {
    std::fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// The shell blocks of a page.
fn blocks(page: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let (mut open, mut before): (Option<(bool, String)>, String) = (None, String::new());
    let mut reason = None;
    for line in page.lines() {
        if let Some((is_console, text)) = &mut open {
            if line != "```" {
                *text += &(line.to_owned() + "\n");
                continue;
            }
            found.push(match (reason.take(), &is_console) {
                (Some(reason), _) => Block::NotRun(reason),
                (None, true) => Block::Console(steps(text)),
                (None, false) => Block::Script(std::mem::take(text)),
            });
            open = None;
        } else if let Some(kind) = line.strip_prefix("```") {
            let marked = before.strip_prefix(NOT_RUN);
            reason = marked.map(|rest| rest.trim_end_matches(" -->").to_owned());
            let is_shell = ["console", "sh", "bash", "shell"].contains(&kind);
            open = is_shell.then(|| (kind == "console", String::new()));
        }
        line.clone_into(&mut before);
    }
    found
}

/// Steps of a transcript: `$ command`, continued by a backslash, then its output.
fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut continued = false;
    for line in text.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            continued = command.ends_with('\\');
            steps.push(Step {
                command: command.to_owned() + "\n",
                expected: String::new(),
            });
        } else if let Some(step) = steps.last_mut() {
            if continued {
                continued = line.ends_with('\\');
                step.command += &(line.to_owned() + "\n");
            } else {
                step.expected += &(line.to_owned() + "\n");
            }
        }
    }
    steps
}

fn bash(script: &str, folder: &Path) -> Output {
    let programs = Path::new(program()).parent().expect("a folder");
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", programs.display());
    Command::new("bash")
        .args(["-c", script])
        .env("PATH", path)
        // The instants of a page stand, however slow the machine is.
        .env("CAPITALBENCH_CLOCK", "still")
        .current_dir(folder)
        .output()
        .expect("bash runs")
}

fn said(output: Output) -> String {
    let said = [output.stdout, output.stderr].concat();
    String::from_utf8(said).expect("the output is text")
}

/// Runs the blocks of a page one after the other; `cd` in a transcript counts for those that follow.
fn play(page: &str) {
    let start = PLAYED.iter().find(|(own, _)| *own == page);
    let start = start.expect("the page is in the list").1;
    let scratch = tempfile::tempdir().expect("a temporary folder");
    start.fill(scratch.path());
    let mut folder = scratch.path().to_owned();
    for block in blocks(&text_of(page)) {
        match block {
            Block::NotRun(_) => {}
            Block::Script(script) => {
                let output = bash(&format!("set -euo pipefail\n{script}"), &folder);
                assert!(output.status.success(), "{page}: {script}{}", said(output));
            }
            Block::Console(steps) => {
                for step in steps {
                    if let Some(next) = step.command.strip_prefix("cd ") {
                        folder.push(next.trim());
                        continue;
                    }
                    let told = said(bash(&step.command, &folder));
                    assert_eq!(told, step.expected, "{page}: $ {}", step.command);
                }
            }
        }
    }
}

/// Every page that readers are given.
fn pages() -> Vec<String> {
    let read = |folder: &str| {
        let entries = std::fs::read_dir(root().join(folder)).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let names = names.filter_map(|name| name.into_string().ok());
        let pages = names.filter(|name| Path::new(name).extension().is_some_and(|end| end == "md"));
        let path = |name: String| {
            if folder == "." {
                name
            } else {
                format!("{folder}/{name}")
            }
        };
        pages.map(path).collect::<Vec<_>>()
    };
    let mut all = [read("."), read("docs")].concat();
    all.sort();
    all
}

#[test]
fn every_shell_block_of_every_page_is_run_or_says_why_not() {
    let mut not_run = 0;
    for page in pages() {
        let blocks = blocks(&text_of(&page));
        let silent = blocks
            .iter()
            .filter(|block| !matches!(block, Block::NotRun(_)))
            .count();
        not_run += blocks.len() - silent;
        for block in &blocks {
            if let Block::NotRun(reason) = block {
                assert!(
                    reason.split(' ').count() >= 3,
                    "{page}: {reason} is no reason"
                );
            }
        }
        let elsewhere = PLAYED_ELSEWHERE.iter().find(|(own, _)| *own == page);
        let expected = elsewhere.map_or(0, |(_, count)| *count);
        let is_played = PLAYED.iter().any(|(own, _)| *own == page);
        assert!(
            is_played || silent == expected,
            "{page} has {silent} blocks that no test runs"
        );
    }
    assert_eq!(
        not_run, NOT_RUN_BLOCKS,
        "blocks that say why they are not run"
    );
}

#[test]
fn the_index_names_every_page_once_and_every_page_says_for_whom_it_is() {
    let index = text_of("docs/README.md");
    for page in pages() {
        let text = text_of(&page);
        let first = text
            .lines()
            .skip(1)
            .find(|line| !line.is_empty())
            .unwrap_or_default();
        let for_whom = [
            "This page is for ",
            "This checklist is for ",
            "For ",
            "this page is for ",
        ];
        let is_told = for_whom
            .iter()
            .any(|words| text.starts_with(words) || first.contains(words));
        assert!(is_told, "{page} does not say for whom it is: {first}");
        let link = match page.strip_prefix("docs/") {
            Some("README.md") => continue,
            Some(name) => format!("]({name})"),
            None => format!("](../{page})"),
        };
        assert_eq!(index.matches(&link).count(), 1, "docs/README.md and {page}");
    }
}

#[test]
fn the_commands_of_the_first_page_are_what_happens() {
    play("README.md");
}

#[test]
fn a_league_in_ten_minutes_is_what_happens() {
    play("docs/start.md");
}

#[test]
fn the_transcript_of_the_operators_page_is_what_happens() {
    play("docs/operate.md");
}

#[test]
fn the_transcript_of_the_league_page_is_what_happens() {
    play("docs/league.md");
}

#[test]
fn the_commands_of_publishing_and_of_the_data_work() {
    for page in ["docs/deploy.md", "docs/statistics.md", "docs/data.md"] {
        play(page);
    }
}

#[test]
fn the_transcript_of_the_page_for_entrants_is_what_happens() {
    play("docs/enter.md");
}

#[test]
fn the_league_page_has_every_field() {
    let page = text_of("docs/league.md");
    for field in FIELDS {
        let is_shown = page.contains(&format!("`{field}`"));
        let has_fields = FIELDS
            .iter()
            .any(|other| other.starts_with(&format!("{field}.")));
        assert!(is_shown || has_fields, "{field}");
    }
}
