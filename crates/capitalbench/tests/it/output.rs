//! What reaches people and pipes: help, colours, closed pipes, JSON and suggestions.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use crate::harness::{MONTHLY, Test, WEEKLY, program};

const VERBS: [&str; 10] = [
    "fetch-prices",
    "verify",
    "audit-round",
    "hash-round",
    "list-runs",
    "validate-submissions",
    "score-round",
    "accept-run",
    "compare-runs",
    "show-controls",
];

/// One call of every verb, on all good rounds.
const CALLS: [&[&str]; 10] = [
    &["verify", "."],
    &["verify", "--codes"],
    &["audit-round", "--round", WEEKLY],
    &["hash-round", "--round", WEEKLY],
    &["hash-round", "--round", WEEKLY, "--check"],
    &["list-runs", "--round", MONTHLY],
    &["validate-submissions", "--round", WEEKLY],
    &["score-round", "--rounds-dir", "."],
    &["show-controls", "--round", WEEKLY],
    &[
        "compare-runs",
        "--round",
        MONTHLY,
        "official-1",
        "stability-1",
    ],
];

#[test]
fn every_command_explains_itself_with_an_example() {
    let test = Test::weekly();
    let overview = test.run(&["--help"]).code(0).stdout();
    for verb in VERBS {
        assert!(overview.contains(&format!("\n  {verb} ")), "{overview}");
        let help = test.run(&[verb, "--help"]).code(0);
        let help = help
            .says("Example")
            .says(&format!("\n  capitalbench {verb} "));
        help.says("--json");
    }
    test.run(&[])
        .code(2)
        .complains("Usage: capitalbench <COMMAND>");
    test.run(&["verfy"]).code(2).complains("verify");
    test.run(&["--version"]).code(0).says("capitalbench ");
}

#[test]
fn examples_of_the_help_are_commands_that_parse() {
    let test = Test::weekly();
    for verb in VERBS {
        let help = test.run(&[verb, "--help"]).stdout();
        let examples = help
            .lines()
            .filter(|line| line.starts_with("  capitalbench "));
        for example in examples {
            // Two spaces part the command from what it does.
            let command = example.trim_start().split("  ").next().unwrap();
            let words: Vec<&str> = command.split_whitespace().skip(1).collect();
            let ran = test.run(&words);
            // The rounds they name are not here; that must be the only complaint.
            assert!(!ran.stderr().contains("Usage:"), "{ran}");
        }
    }
}

#[test]
fn pipes_get_no_escape_codes() {
    let test = Test::all_rounds().replace("prompt.md", "Answer", "Reply");
    let broken: [&[&str]; 3] = [
        &["verify", WEEKLY],
        &["score-round", "--round", "nowhere"],
        &["score-round"],
    ];
    for arguments in CALLS.iter().chain(&broken) {
        let ran = test.run(arguments);
        let printed = ran.stdout() + &ran.stderr();
        assert!(!printed.contains('\u{1b}'), "{ran}");
    }
}

/// What commands that change the record say where no database is named.
const NOT_SYNCED: &str = "not synced: neither SUPABASE_URL with SUPABASE_SERVICE_ROLE_KEY nor \
                          DATABASE_URL is set\n";

#[test]
fn every_command_has_json_that_parses() {
    let test = Test::all_rounds();
    for arguments in CALLS {
        let ran = test.run(&[arguments, &["--json"]].concat()).code(0);
        assert!(ran.json().is_object(), "{ran}");
        assert_eq!(ran.stderr().replace(NOT_SYNCED, ""), "", "{ran}");
        assert!(ran.stdout().ends_with("}\n"), "{ran}");
    }
}

#[test]
fn a_closed_output_pipe_is_not_an_error() {
    let test = Test::all_rounds();
    for arguments in CALLS {
        for lines in 0..2 {
            let mut child = Command::new(program())
                .args(arguments)
                .env_remove("DATABASE_URL")
                .env_remove("SUPABASE_URL")
                .current_dir(test.folder())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            // Reads no line or one, then closes its end, as `head` does.
            let mut reader = BufReader::with_capacity(1, child.stdout.take().unwrap());
            for _ in 0..lines {
                reader.read_line(&mut String::new()).unwrap();
            }
            drop(reader);
            let output = child.wait_with_output().unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(errors.replace(NOT_SYNCED, ""), "", "{arguments:?}");
            assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        }
    }
}

#[test]
fn a_wrong_path_is_answered_with_the_right_one() {
    let test = Test::all_rounds();
    let suggestion = "weekly-portfolio-resolvd: there is no such folder; \
                      did you mean weekly-portfolio-resolved?";
    for verb in VERBS {
        let arguments: &[&str] = match verb {
            "verify" => &["verify", "weekly-portfolio-resolvd"],
            "accept-run" => &[verb, "--round", "weekly-portfolio-resolvd", "--run-id", "a"],
            "compare-runs" => &[verb, "--round", "weekly-portfolio-resolvd", "a", "b"],
            _ => &[verb, "--round", "weekly-portfolio-resolvd"],
        };
        test.run(arguments).code(2).complains(suggestion);
    }
    let absolute = test.path("weekly-portfolio-resolvd");
    test.run(&["verify", absolute.to_str().unwrap()])
        .code(2)
        .complains(suggestion);
    test.run(&["verify", "nothing-like-it"])
        .code(2)
        .complains("error: nothing-like-it: there is no such folder\n");
    test.run(&["verify", "weekly-portfolio-resolved/manifest.yaml"])
        .code(2)
        .complains("manifest.yaml: is not a folder");
    test.run(&["list-runs", "--round", "."])
        .code(2)
        .complains("is not a round: it has no manifest.yaml");
    test.run(&["verify", "weekly-portfolio-resolved/runs"])
        .code(2)
        .complains("holds no round: no folder in it has a manifest.yaml");
}
