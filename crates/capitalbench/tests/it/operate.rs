//! The transcript of `docs/operate.md`, command by command.

use std::path::Path;
use std::process::Command;

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

#[test]
fn the_transcript_of_the_operators_page_is_what_happens() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/operate.md")).expect("the page is there");
    let steps = steps(&page);
    assert!(steps.len() >= 9, "{} steps", steps.len());
    let folder = tempfile::tempdir().expect("a temporary folder");
    copy_tree(&root.join("fixtures/operate"), folder.path());
    let programs = Path::new(program())
        .parent()
        .expect("the program lies in a folder")
        .to_owned();
    for step in steps {
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", programs.display());
        let output = Command::new("bash")
            .args(["-c", &step.command])
            .env("PATH", path)
            .current_dir(folder.path())
            .output()
            .expect("bash runs");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).expect("the output is text");
        assert_eq!(said, step.expected, "$ {}", step.command);
    }
}
