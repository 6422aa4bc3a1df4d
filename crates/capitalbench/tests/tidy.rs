//! The house rules as tests: sizes, words, who may depend on whom, and documents that must agree
//! with the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Lines of a source file, its inline tests included.
const LONGEST_FILE: usize = 400;
/// Files that may be longer, each with its reason.
const LONGER_FILES: [(&str, &str); 0] = [];
/// All fixtures together, without the answers of services.
const FIXTURE_BYTES: u64 = 405_000;
/// The answers of services.
const ANSWER_BYTES: u64 = 600_000;
/// Words that name nothing.
const EMPTY_WORDS: [&str; 5] = ["manager", "helper", "util", "misc", "common"];
/// Phrases that readers had to guess at, each replaced by a plain sentence; they must not come back.
/// Add one when a review finds another riddle.
const RIDDLES: [&str; 24] = [
    "of whose allowances something remains",
    "Nobody goes in for so long",
    "another word of the file system",
    "without whose row an answer is none",
    "and nobody did",
    "is neither primary, pilot nor synthetic",
    "is neither single_pick nor portfolio",
    "is neither none, signed nor anchored",
    "leave the flag away",
    "the clock shows no instant",
    "What still lacks",
    "Nobody was asked in earnest",
    "told without its value",
    "signs_are_signs",
    "two_at_once_end_alike",
    "no limit but your own patience",
    "ranks nobody",
    "can shop for a lucky one",
    "it means that nobody can know yet",
    "a name that changes its mind",
    "the way from the answers is gone again",
    "became another one on the way",
    "where nothing is. It stands at any depth",
    "so nobody can say what",
];
/// Which crates of ours a crate may use; the binary may use all.
const MAY_USE: [(&str, &[&str]); 9] = [
    ("capitalbench-core", &[]),
    (
        "capitalbench-archive",
        &["capitalbench-core", "capitalbench-proof"],
    ),
    ("capitalbench-adapters", &["capitalbench-core"]),
    (
        "capitalbench-site",
        &["capitalbench-core", "capitalbench-export"],
    ),
    (
        "capitalbench-database",
        &["capitalbench-core", "capitalbench-export"],
    ),
    ("capitalbench-proof", &[]),
    ("capitalbench-export", &["capitalbench-core"]),
    (
        "capitalbench-testing",
        &[
            "capitalbench-archive",
            "capitalbench-core",
            "capitalbench-proof",
        ],
    ),
    (
        "capitalbench-operations",
        &[
            "capitalbench-adapters",
            "capitalbench-archive",
            "capitalbench-core",
            "capitalbench-database",
            "capitalbench-export",
            "capitalbench-proof",
        ],
    ),
];
/// What a crate without disk, network, clock and environment does not name.
const IMPURE: [&str; 8] = [
    "std::fs",
    "std::net",
    "std::env",
    "std::process",
    "SystemTime",
    "Instant::now",
    "Timestamp::now",
    "println!",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files below a folder of the workspace, as paths from its root; links are not followed.
fn files(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("a readable entry").path();
            if path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                let inside = path.strip_prefix(root()).expect("a path in the workspace");
                found.push(inside.display().to_string());
            }
        }
    }
    found.sort();
    found
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn sources() -> Vec<String> {
    let all = files("crates").into_iter().chain(files("fuzz/readers"));
    all.filter(|file| has_extension(file, "rs")).collect()
}

fn has_extension(file: &str, extension: &str) -> bool {
    Path::new(file)
        .extension()
        .is_some_and(|found| found == extension)
}

/// Whether a source file holds nothing but tests.
fn is_tests(file: &str) -> bool {
    file.ends_with("/tests.rs") || file.ends_with("_tests.rs")
}

fn crates() -> Vec<String> {
    let entries = fs::read_dir(root().join("crates")).expect("a folder of crates");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("text")
        })
        .collect();
    names.sort();
    names
}

/// Words of a name in any of its spellings, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if c.is_uppercase() || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(last) = words.last_mut()
        {
            last.extend(c.to_lowercase());
        }
    }
    words
}

fn is_empty_word(word: &str) -> bool {
    EMPTY_WORDS.contains(&word.trim_end_matches('s'))
}

#[test]
fn source_files_are_short() {
    let mut long = Vec::new();
    for file in sources().iter().filter(|file| file.contains("/src/")) {
        let excepted = LONGER_FILES.iter().any(|(name, _)| name == file);
        let lines = read(file).lines().count();
        if lines > LONGEST_FILE && !is_tests(file) && !excepted {
            long.push(format!("{file} has {lines} lines; split it by noun"));
        }
    }
    assert_eq!(long, [""; 0]);
}

#[test]
fn no_comment_holds_an_example_that_no_test_runs() {
    // `scripts/test` runs no examples of comments: drawings are marked as text.
    for file in sources() {
        let mut is_open = false;
        for (number, line) in read(&file).lines().enumerate() {
            let Some(comment) = line.trim_start().strip_prefix("//") else {
                continue;
            };
            let comment = comment.trim_start_matches(['/', '!']).trim();
            if let Some(kind) = comment.strip_prefix("```") {
                let is_text = is_open || kind == "text";
                assert!(is_text, "{file}:{}: mark it as text", number + 1);
                is_open = !is_open;
            }
        }
    }
}

#[test]
fn nothing_is_left_to_do_in_the_sources() {
    let marks = ["TODO", "FIXME", "XXX", "dbg!(", "todo!(", "unimplemented!("];
    let own = file!().rsplit('/').next().expect("a name");
    let scripts = files("scripts");
    let all = sources().into_iter().chain(scripts);
    for file in all.filter(|file| !file.ends_with(&format!("tests/{own}"))) {
        let text = read(&file);
        for mark in marks {
            assert!(!text.contains(mark), "{file} contains {mark}");
        }
    }
}

/// The text of a file on one line, without the marks of comments, so that a phrase may be wrapped.
fn unwrapped(text: &str) -> String {
    let lines = text.lines().map(|line| {
        line.trim()
            .trim_start_matches(['/', '!', '*', '#', '-', ' '])
    });
    lines.collect::<Vec<&str>>().join(" ").to_lowercase()
}

#[test]
fn riddles_do_not_come_back() {
    let folders = [
        "crates",
        "deploy",
        "docs",
        "fuzz/fuzz_targets",
        "migrations",
        "scripts",
        "tests",
    ];
    let pages = ["README", "ARCHITECTURE", "CONTRIBUTING", "SECURITY"].map(|p| format!("{p}.md"));
    let endings = ["rs", "md", "js", "html", "py", "sql", "toml", "yml", "c"];
    let all = folders.into_iter().flat_map(files).chain(pages);
    let mut found = Vec::new();
    for file in all.filter(|file| endings.iter().any(|end| has_extension(file, end))) {
        let text = unwrapped(&read(&file));
        let own = file.ends_with("capitalbench/tests/tidy.rs");
        let riddles = RIDDLES
            .iter()
            .filter(|riddle| !own && text.contains(&riddle.to_lowercase()));
        found.extend(riddles.map(|riddle| format!("{file}: {riddle}")));
    }
    assert_eq!(found, [""; 0]);
}

#[test]
fn riddles_are_found_across_lines() {
    let text = "    /// Nobody goes in\n    /// for so long; what was said before stays.\n";
    assert!(unwrapped(text).contains(&RIDDLES[1].to_lowercase()));
}

#[test]
fn names_say_what_they_name() {
    for file in sources() {
        let stem = Path::new(&file).file_stem().expect("a name");
        let named = words(&stem.to_string_lossy());
        assert!(!named.iter().any(|word| is_empty_word(word)), "{file}");
        for line in read(&file).lines() {
            let mut parts = line
                .split_whitespace()
                .skip_while(|part| part.starts_with("pub"));
            let kind = parts.next().unwrap_or_default();
            if ["struct", "enum", "trait", "type", "mod"].contains(&kind) {
                let name = parts.next().unwrap_or_default();
                let empty = words(name).iter().any(|word| is_empty_word(word));
                assert!(!empty, "{file}: {line}");
            }
        }
    }
}

#[test]
fn empty_words_are_recognised() {
    for name in ["RoundManager", "util", "price_helpers", "CommonRow", "misc"] {
        assert!(words(name).iter().any(|word| is_empty_word(word)), "{name}");
    }
    assert!(!words("Utility").iter().any(|word| is_empty_word(word)));
}

#[test]
fn crates_depend_in_one_direction() {
    for name in crates() {
        let manifest = read(&format!("crates/{name}/Cargo.toml"));
        let ours = manifest
            .lines()
            .skip_while(|line| *line != "[dependencies]")
            .skip(1)
            .take_while(|line| !line.starts_with('['))
            .filter(|line| line.starts_with("capitalbench"))
            .map(|line| line.split(['.', ' ', '=']).next().unwrap_or_default());
        let used: Vec<&str> = ours.collect();
        if name == "capitalbench" {
            continue;
        }
        let allowed = MAY_USE.iter().find(|(own, _)| *own == name);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("{name} is not in MAY_USE"));
        for other in used {
            assert!(allowed.contains(&other), "{name} must not use {other}");
        }
    }
}

#[test]
fn the_pure_crates_reach_nothing_outside() {
    let pure = [
        "crates/capitalbench-core/src/",
        "crates/capitalbench-proof/src/",
    ];
    for file in sources() {
        if pure.iter().any(|place| file.starts_with(place)) && !is_tests(&file) {
            let text = read(&file);
            for word in IMPURE {
                assert!(!text.contains(word), "{file} names {word}");
            }
        }
    }
}

/// With this feature every number becomes a text, and equal doubles are no longer equal.
#[test]
fn json_numbers_stay_doubles() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "-e", "features", "-i", "serde_json"])
        .current_dir(root())
        .output();
    let Ok(output) = output else {
        eprintln!("skipped: there is no cargo to ask for the features of serde_json");
        return;
    };
    let tree = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(tree.contains("feature \"float_roundtrip\""), "{tree}");
    assert!(!tree.contains("arbitrary_precision"), "{tree}");
}

fn program(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_capitalbench"))
        .args(arguments)
        .output()
        .expect("the program starts");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_page_of_findings_lists_exactly_the_codes() {
    let listed: Value = serde_json::from_str(&program(&["verify", "--codes", "--json"])).unwrap();
    let member = |code: &Value, name: &str| code[name].as_str().expect("a text").to_owned();
    let codes = listed["codes"].as_array().unwrap().iter();
    let expected: Vec<String> = codes
        .map(|code| {
            let (name, severity) = (member(code, "code"), member(code, "severity"));
            format!("| `{name}` | {severity} | {} |", member(code, "meaning"))
        })
        .collect();
    let page = read("docs/findings.md");
    let rows: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with("| `"))
        .collect();
    assert_eq!(rows, expected);
}

#[test]
fn commands_of_the_documents_exist() {
    let help = program(&["--help"]);
    let verbs: Vec<&str> = help
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next())
        .collect();
    assert!(verbs.contains(&"verify"), "{help}");
    let mut pages = files("docs");
    pages.retain(|page| has_extension(page, "md"));
    if root().join("README.md").exists() {
        pages.push("README.md".to_owned());
    } else {
        eprintln!("skipped: there is no README.md yet");
    }
    for page in pages {
        for (number, line) in (1..).zip(read(&page).lines()) {
            for verb in verbs_of(line) {
                assert!(verbs.contains(&verb), "{page}:{number}: no command {verb}");
            }
        }
    }
}

/// Verbs of the commands in a line: after `capitalbench` in code, or after `cargo run … --`.
fn verbs_of(line: &str) -> Vec<&str> {
    let command = line.trim_start().trim_start_matches("$ ");
    let mut after: Vec<&str> = line.split("`capitalbench ").skip(1).collect();
    after.extend(command.strip_prefix("capitalbench "));
    if let Some(rest) = command.split("cargo run").nth(1) {
        after.extend(rest.split_once(" -- ").map(|(_, words)| words));
    }
    let verb = |text: &'_ &str| !text.starts_with('-') && !text.is_empty();
    let first = |text| str::split(text, [' ', '`']).next().unwrap_or_default();
    after.into_iter().map(first).filter(verb).collect()
}

#[test]
fn verbs_are_found_in_documents() {
    assert_eq!(verbs_of("$ capitalbench verify rounds"), ["verify"]);
    assert_eq!(verbs_of("cargo run --release -- verify x"), ["verify"]);
    assert_eq!(
        verbs_of("use `capitalbench a` or `capitalbench b c`"),
        ["a", "b"]
    );
    assert_eq!(
        verbs_of("capitalbench --help, CapitalBench is a name"),
        [""; 0]
    );
}

#[test]
fn fixtures_are_small_and_ours() {
    let all = files("fixtures");
    let size = |file: &String| fs::metadata(root().join(file)).expect("a file").len();
    let is_answer = |file: &&String| file.starts_with("fixtures/answers/");
    let answers: u64 = all.iter().filter(is_answer).map(size).sum();
    assert!((1..ANSWER_BYTES).contains(&answers), "{answers} bytes");
    let others: u64 = all.iter().filter(|file| !is_answer(file)).map(size).sum();
    assert!((1..FIXTURE_BYTES).contains(&others), "{others} bytes");
    let archived = all.iter().find(|file| file.contains("/CB-20"));
    assert_eq!(archived, None, "real rounds are not ours to publish");
}

#[test]
fn no_file_names_a_folder_of_one_machine() {
    let places = [["/wo", "rk/"], ["/ro", "ot/"], ["/ho", "me/"]].map(|parts| parts.concat());
    let folders = ["crates", "docs", "fixtures", "scripts"];
    for file in folders.into_iter().flat_map(files) {
        let bytes = fs::read(root().join(&file)).expect("a file");
        let text = String::from_utf8_lossy(&bytes);
        for place in &places {
            assert!(!text.contains(place), "{file} names {place}");
        }
    }
}

/// The folder of a crate by the word that the document of limits calls it.
fn folder_of(word: &str) -> String {
    match word {
        "program" => "crates/capitalbench".to_owned(),
        other => format!("crates/capitalbench-{other}"),
    }
}

#[test]
fn every_limit_names_a_test_that_is_there() {
    let document = fs::read_to_string(root().join("docs/limits.md")).expect("the document");
    let rows = document.lines().filter(|line| line.starts_with("| "));
    let mut named = 0;
    for row in rows.filter(|row| !row.starts_with("| what |") && !row.starts_with("| --- |")) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let tests = cells.get(3).unwrap_or_else(|| panic!("no test in {row}"));
        let mut folder = String::new();
        for part in tests.split(',').map(str::trim) {
            let (word, name) = part.split_once('`').expect("a name in backticks");
            if !word.trim().is_empty() {
                folder = folder_of(word.trim());
            }
            let declared = format!("fn {}(", name.trim_end_matches('`'));
            let holds = |file: &String| {
                let rust = Path::new(file).extension().is_some_and(|end| end == "rs");
                rust && fs::read_to_string(root().join(file))
                    .is_ok_and(|text| text.contains(&declared))
            };
            assert!(
                files(&folder).iter().any(holds),
                "{folder}: no {declared}…) for {row}"
            );
            named += 1;
        }
    }
    assert!(named > 40, "{named}");
}
