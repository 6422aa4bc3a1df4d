//! Help, completions and manual pages, all made from the same definitions.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::harness::Test;

/// Verbs that have verbs of their own.
const BELOW: &[(&str, &[&str])] = &[
    ("claim", &["register", "list", "show"]),
    ("db", &["check", "migrate"]),
    (
        "enter",
        &[
            "keys", "register", "seal", "open", "collect", "check", "ask", "test",
        ],
    ),
    ("keys", &["init", "show"]),
    ("league", &["check", "new", "plan", "rehearse", "run"]),
    (
        "store",
        &["prune", "publish", "pull", "push", "status", "verify"],
    ),
];

/// Verbs in the order in which the help lists them.
fn verbs(test: &Test) -> Vec<String> {
    let help = test.run(&["--help"]).code(0).stdout();
    let listed = help.split("\nOptions:").next().unwrap_or_default();
    let verb = |line: &str| Some(line.strip_prefix("  ")?.split(' ').next()?.to_owned());
    listed.lines().filter_map(verb).collect()
}

/// Everything that has a help of its own.
fn every_help(test: &Test) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = verbs(test).into_iter().map(|verb| vec![verb]).collect();
    for (verb, below) in BELOW {
        let below = below.iter();
        all.extend(below.map(|below| vec![(*verb).to_owned(), (*below).to_owned()]));
    }
    all.push(Vec::new());
    all
}

fn help_at(test: &Test, columns: &str, verb: &[String]) -> String {
    let mut words: Vec<&str> = verb.iter().map(String::as_str).collect();
    words.push("--help");
    test.run_with(&[("COLUMNS", columns)], &words)
        .code(0)
        .stdout()
}

/// Lines of a help after which it goes on although they hold one or two words only.
fn stumps(help: &str) -> Vec<&str> {
    let lines: Vec<&str> = help.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    // Values of a flag are a list in brackets, and examples are commands.
    let listed = |line: &str| line.contains('[') || line.contains(',') && !line.contains(". ");
    let command = |line: &str| line.contains("capitalbench ") || line.ends_with('\\');
    let mut found = Vec::new();
    let mut examples = false;
    for pair in lines.windows(2) {
        examples = match pair[0] {
            "Example:" | "Examples:" => true,
            "" => false,
            _ => examples,
        };
        let goes_on = !pair[1].trim().is_empty() && indent(pair[0]) == indent(pair[1]);
        let flag = pair[0].trim_start().starts_with('-') || pair[1].trim_start().starts_with('-');
        let few = (1..=2).contains(&pair[0].split_whitespace().count());
        if few && goes_on && !flag && !examples && !listed(pair[0]) && !command(pair[0]) {
            found.push(pair[0]);
        }
    }
    found
}

#[test]
fn every_help_breaks_cleanly_at_80_and_at_100_columns() {
    let test = Test::weekly();
    for verb in every_help(&test) {
        for columns in ["80", "100"] {
            let help = help_at(&test, columns, &verb);
            let width: usize = columns.parse().unwrap();
            for line in help.lines() {
                let long = line.chars().count() > width;
                assert!(!long, "{verb:?} at {columns}: {line}");
            }
            assert!(!help.contains("\\\""), "{verb:?}: {help}");
            assert_eq!(stumps(&help), [""; 0], "{verb:?} at {columns}\n{help}");
        }
    }
}

#[test]
fn stumps_are_found() {
    assert_eq!(stumps("A long line of words\nthat\nends here"), ["that"]);
    assert_eq!(stumps("A long line of words\nthat ends"), [""; 0]);
}

#[test]
fn examples_are_not_broken_by_a_narrow_terminal() {
    let test = Test::weekly();
    for verb in every_help(&test) {
        let examples = |columns: &str| {
            let help = help_at(&test, columns, &verb);
            let after = help
                .split_once("Example")
                .map(|(_, after)| after.to_owned());
            let after = after.unwrap_or_default();
            after.split("\n\n").next().unwrap_or_default().to_owned()
        };
        assert_eq!(examples("80"), examples("100"), "{verb:?}");
    }
}

#[test]
fn every_verb_of_a_store_has_an_example_and_its_exit_codes() {
    let test = Test::weekly();
    for verb in BELOW
        .iter()
        .find(|(verb, _)| *verb == "store")
        .expect("store")
        .1
    {
        let help = help_at(&test, "80", &["store".to_owned(), (*verb).to_owned()]);
        assert!(
            help.contains(&format!("  capitalbench store {verb} ")),
            "{help}"
        );
        assert!(help.contains("\nExit codes: 0 "), "{help}");
        let long = help.lines().find(|line| line.chars().count() > 80);
        assert_eq!(long, None, "{verb}");
    }
}

#[test]
fn every_verb_says_its_exit_codes_in_the_same_way() {
    let test = Test::weekly();
    for verb in verbs(&test) {
        let help = help_at(&test, "100", std::slice::from_ref(&verb));
        let last = help.trim_end().rsplit("\n\n").next().unwrap();
        let words = last.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.starts_with("Exit codes: 0 "), "{verb}: {words}");
        assert!(words.contains(", 2 could not run"), "{verb}: {words}");
    }
}

#[test]
fn the_help_lists_every_verb_once_in_groups_and_one_line_each() {
    let test = Test::weekly();
    let help = help_at(&test, "80", &[]);
    let groups = [
        "Start here",
        "Run a league",
        "Read results",
        "Take part",
        "Check",
        "Publish",
        "Maintain",
    ];
    let places: Vec<usize> = groups
        .iter()
        .map(|group| help.find(&format!("\n{group}:\n")).expect(group))
        .collect();
    assert!(places.is_sorted(), "{help}");
    let listed = verbs(&test);
    let once: BTreeSet<&String> = listed.iter().collect();
    assert_eq!(once.len(), listed.len(), "{listed:?}");
    // The program itself tells which verbs it has: every one has a page.
    test.run(&["man", "--output", "pages"]).code(0);
    let pages = std::fs::read_dir(test.path("pages")).unwrap();
    let pages = pages.map(|page| page.unwrap().file_name().into_string().unwrap());
    let has = |name: &str| {
        once.iter()
            .any(|verb| name == format!("capitalbench-{verb}.1"))
    };
    let other: BTreeSet<String> = pages.filter(|name| !has(name)).collect();
    let page = |(verb, below): &(&str, &[&str])| -> Vec<String> {
        let names = below.iter();
        names
            .map(|name| format!("capitalbench-{verb}-{name}.1"))
            .collect()
    };
    let below = BELOW.iter().flat_map(page);
    let expected: BTreeSet<String> = below.chain(["capitalbench.1".into()]).collect();
    assert_eq!(other, expected);
}

#[test]
fn short_and_long_help_are_the_same_and_no_verb_shows_the_first_ten() {
    let test = Test::weekly();
    for verb in [&["verify"][..], &["fetch-prices"], &[]] {
        let long = test.run(&[verb, &["--help"]].concat()).code(0).stdout();
        let short = test.run(&[verb, &["-h"]].concat()).code(0).stdout();
        assert_eq!(short, long);
    }
    let first = test.run(&[]).code(2).stderr();
    let verbs = first.lines().filter(|line| line.starts_with("  "));
    assert_eq!(verbs.count(), 10, "{first}");
    assert!(
        first.contains("Usage: capitalbench [OPTIONS] <VERB>"),
        "{first}"
    );
    assert!(first.contains("capitalbench --help"), "{first}");
}

/// Lets a shell read a script without running it; shells that are not installed are not asked.
fn accepts(shell: &str, script: &str) -> Option<bool> {
    let started = Command::new(shell)
        .arg("-n")
        .stdin(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn();
    let mut child = started.ok()?;
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(script.as_bytes()).expect("a reader");
    drop(stdin);
    Some(child.wait().expect("an end").success())
}

#[test]
fn completions_are_scripts_that_shells_accept() {
    let test = Test::weekly();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = test.run(&["completions", shell]).code(0).stdout();
        for word in ["leaderboard", "rounds-dir", "tiingo"] {
            assert!(script.contains(word), "{shell} does not complete {word}");
        }
        if matches!(shell, "bash" | "zsh" | "fish") {
            match accepts(shell, &script) {
                Some(accepted) => assert!(accepted, "{shell} refuses its script"),
                None => eprintln!("skipped: {shell} is not installed"),
            }
        }
    }
    test.run(&["completions", "tcsh"])
        .code(2)
        .complains("[possible values: bash, elvish, fish, powershell, zsh]");
}

#[test]
fn a_page_of_the_manual_is_printed_for_a_verb() {
    let test = Test::weekly();
    let page = test.run(&["man", "verify"]).code(0).stdout();
    assert!(page.contains(".TH capitalbench-verify 1"), "{page}");
    assert!(page.contains("Exit codes: 0 everything holds"), "{page}");
    test.run(&["man"]).code(0).says(".TH capitalbench 1");
    test.run(&["man", "verfy"])
        .code(2)
        .complains("there is no verb verfy")
        .complains("did you mean verify?");
}
