//! The transcript of `docs/operate.md`, command by command.

use std::path::Path;
use std::process::Command;

use capitalbench_archive::format::league::FIELDS;

use crate::harness::{copy_tree, program};

/// A command and what the page says it prints.
struct Step {
    command: String,
    expected: String,
}

/// Steps of every `console` block: `$ command`, continued by a backslash, then its output.
fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    let mut continued = false;
    for line in page.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
            continued = false;
        } else if !inside {
        } else if let Some(command) = line.strip_prefix("$ ") {
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

/// Runs the commands of a page one after the other; `cd` counts for those that follow.
fn play(page: &str, start: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join(page)).expect("the page is there");
    let steps = steps(&page);
    assert!(steps.len() >= 9, "{} steps", steps.len());
    let programs = Path::new(program())
        .parent()
        .expect("the program lies in a folder")
        .to_owned();
    let mut folder = start.to_owned();
    for step in steps {
        if let Some(next) = step.command.strip_prefix("cd ") {
            folder.push(next.trim());
            continue;
        }
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", programs.display());
        let output = Command::new("bash")
            .args(["-c", &step.command])
            .env("PATH", path)
            // The instants of a page stand, however slow the machine is.
            .env("CAPITALBENCH_CLOCK", "still")
            .current_dir(&folder)
            .output()
            .expect("bash runs");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).expect("the output is text");
        assert_eq!(said, step.expected, "$ {}", step.command);
    }
}

#[test]
fn the_transcript_of_the_operators_page_is_what_happens() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().expect("a temporary folder");
    copy_tree(&root.join("fixtures/operate"), folder.path());
    play("docs/operate.md", folder.path());
}

#[test]
fn the_transcript_of_the_league_page_is_what_happens() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    play("docs/league.md", folder.path());
}

#[test]
fn the_transcript_of_the_page_for_entrants_is_what_happens() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    play("docs/enter.md", folder.path());
}

#[test]
fn the_league_page_has_every_field() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/league.md")).expect("the page is there");
    for field in FIELDS {
        let is_shown = page.contains(&format!("`{field}`"));
        let has_fields = FIELDS
            .iter()
            .any(|other| other.starts_with(&format!("{field}.")));
        assert!(is_shown || has_fields, "{field}");
    }
}
