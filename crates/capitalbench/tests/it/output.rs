//! What reaches people and pipes: help, colours, closed pipes, JSON and suggestions.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::harness::{MONTHLY, PENDING, Test, WEEKLY, program};

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
    test.run(&["verfy"])
        .code(2)
        .complains("a similar subcommand exists: 'verify'");
    test.run(&["--version"]).code(0).says("capitalbench ");
}

#[test]
fn examples_of_the_help_are_commands_that_parse() {
    let test = Test::weekly();
    for verb in VERBS {
        let help = test.run(&[verb, "--help"]).stdout();
        let help = help.replace("\\\n      ", "");
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

#[test]
fn errors_are_json_where_json_was_asked_for() {
    let test = Test::weekly();
    let error = |arguments: &[&str]| {
        let ran = test.run(arguments).code(2);
        assert_eq!(ran.stdout(), "", "{ran}");
        assert_eq!(ran.stderr().lines().count(), 1, "{ran}");
        let told: Value = serde_json::from_str(&ran.stderr()).expect("JSON");
        assert_eq!(told["error"]["code"], 2, "{ran}");
        told["error"].clone()
    };
    let missing = error(&["list-runs", "--round", "nowhere", "--json"]);
    assert_eq!(missing["message"], "nowhere: there is no such folder");
    assert_eq!(missing["hint"], Value::Null);
    let round = error(&["leaderboard", "--rounds-dir", ".", "--round", "x", "--json"]);
    assert_eq!(round["message"], "there is no public round x");
    let verb = error(&["verfy", "--json"]);
    assert_eq!(verb["message"], "unrecognized subcommand 'verfy'");
    assert_eq!(verb["hint"], "a similar subcommand exists: 'verify'");
    let flag = error(&["list-runs", "--json"]);
    let message = flag["message"].as_str().unwrap();
    assert!(message.contains("--round <DIR>"), "{message}");
}

#[test]
fn quiet_leaves_errors_and_documents() {
    let test = Test::all_rounds();
    for arguments in CALLS {
        let ran = test.run(&[arguments, &["--quiet"]].concat()).code(0);
        assert_eq!((ran.stdout() + &ran.stderr()).as_str(), "", "{ran}");
    }
    test.run(&["-q", "verify", ".", "--json"]).code(0).json();
    test.run(&["-q", "verify", "nothing-like-it"])
        .code(2)
        .complains("error: nothing-like-it: there is no such folder\n");
}

#[test]
fn verbose_tells_what_is_read_and_written_and_when() {
    let test = Test::weekly().remove("hashes.json");
    let ran = test.run(&["hash-round", "--round", WEEKLY, "-v"]).code(0);
    let told = ran.stderr();
    for words in [
        "s  read weekly-portfolio-resolved/manifest.yaml",
        "s  write ",
    ] {
        assert!(told.contains(words), "{ran}");
    }
    let seconds = told.split("s  read ").next().unwrap().trim();
    assert!(seconds.parse::<f64>().is_ok(), "{ran}");
    let silent = test.run(&["hash-round", "--round", WEEKLY, "--check"]);
    assert!(!silent.stderr().contains("s  read "), "{silent}");
}

#[test]
fn colours_can_be_forced_and_forbidden() {
    let test = Test::weekly();
    let coloured = |variables: &[(&str, &str)], flags: &[&str]| {
        let ran = test.run_with(variables, &[&["verify", WEEKLY], flags].concat());
        ran.code(0).stdout().contains('\u{1b}')
    };
    assert!(!coloured(&[], &[]));
    assert!(coloured(&[], &["--color", "always"]));
    assert!(!coloured(&[("NO_COLOR", "1")], &[]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "1")], &["--color=never"]));
    let help = |choice| test.run(&["--color", choice, "--help"]).stdout();
    assert!(help("always").contains('\u{1b}'));
    assert!(!help("never").contains('\u{1b}'));
}

/// Boards of the fixtures, with long names and negative numbers.
const BOARDS: [&[&str]; 11] = [
    &["leaderboard", "--rounds-dir", "."],
    &["leaderboard", "--rounds-dir", ".", "--round", WEEKLY],
    &["leaderboard", "--rounds-dir", ".", "--round", MONTHLY],
    &["leaderboard", "--rounds-dir", ".", "--round", PENDING],
    &["cumulative-status", "--rounds-dir", "."],
    &["explain", "openai-fixture-a", "--rounds-dir", "."],
    &[
        "compare",
        "openai-fixture-a",
        "google-fixture-c",
        "--rounds-dir",
        ".",
    ],
    &["list-runs", "--round", MONTHLY],
    &[
        "compare-runs",
        "--round",
        MONTHLY,
        "official-1",
        "stability-1",
    ],
    &["show-controls", "--round", WEEKLY],
    &["score-round", "--round", WEEKLY, "--dry-run"],
];

#[test]
fn boards_fit_80_columns_and_have_one_minus_sign() {
    let test = Test::all_rounds();
    for arguments in BOARDS {
        let ran = test.run_with(&[("COLUMNS", "80")], arguments);
        let shown = ran.stdout();
        assert!(!shown.is_empty(), "{ran}");
        for line in shown.lines() {
            assert!(line.chars().count() <= 80, "{arguments:?}: {line}\n{shown}");
        }
        for word in shown.split([' ', '\n', '(']) {
            let number = word.strip_prefix('-').unwrap_or_default();
            let hyphen = number.starts_with(|first: char| first.is_ascii_digit());
            assert!(!hyphen, "{arguments:?}: {word}\n{shown}");
        }
    }
    let narrow = [("COLUMNS", "80")];
    let ran = test.run_with(&narrow, &["list-runs", "--round", MONTHLY]);
    ran.code(0).says("Not shown in this width: replicates");
    // Without a width nothing is left out or wrapped, as scripts expect.
    let whole = test.run(&["list-runs", "--round", MONTHLY]).code(0);
    assert!(!whole.stdout().contains("Not shown"), "{whole}");
}
