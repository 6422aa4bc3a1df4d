//! Before exit prices exist nothing tells a result: every file and every output of an open round.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::due_rounds::{due_rounds, market};
use crate::harness::Test;
use crate::market::serve;

const ROUND: &str = "rounds/DUE-00";
const OPEN: &str = "2026-03-06T02:00:00Z";
const DONE: &str = "2026-03-10T01:00:00Z";

/// Digits of a figure that nobody could print by chance.
fn distinctive(text: &str) -> bool {
    text.len() > 9 && text.parse::<f64>().is_ok()
}

/// What the result would be: every figure of every file of the resolved round.
fn would_be() -> Vec<String> {
    let test = due_rounds(1);
    let resolve = ["resolve-due", "--now", DONE];
    serve(market())
        .run_with_plan(&test, "-/-/-", &resolve)
        .code(0);
    let mut found: Vec<String> = Vec::new();
    for file in [
        "leaderboard.csv",
        "returns.csv",
        "allocations.csv",
        "outcomes.json",
    ] {
        let path = format!("{ROUND}/runs/official-1/results/{file}");
        let stored = fs::read_to_string(test.path(&path)).expect("a result");
        let cells = stored.split([',', '\n', ' ', '"', '[', ']', '{', '}']);
        found.extend(cells.filter(|cell| distinctive(cell)).map(str::to_owned));
    }
    for rows in market().values() {
        let exit = rows.last().expect("an exit row");
        found.extend([exit.close, exit.adjusted].map(|price| format!("{price:?}")));
    }
    let entries = market();
    let entries: Vec<String> = entries
        .values()
        .flat_map(|rows| rows[..rows.len() - 1].iter())
        .flat_map(|row| [format!("{:?}", row.close), format!("{:?}", row.adjusted)])
        .collect();
    found.retain(|text| !entries.contains(text));
    found.sort_unstable();
    found.dedup();
    found
}

/// Words of a result, and files that hold one.
const WORDS: [&str; 6] = [
    "regret",
    "oracle",
    "best option",
    "leaderboard",
    "\"rank\"",
    "| rank",
];

#[track_caller]
fn tells_nothing(what: &str, text: &str, secrets: &[String]) {
    for secret in secrets {
        assert!(!text.contains(secret), "{what} tells {secret}: {text}");
    }
}

/// Every command that looks at an open round, and whether it must succeed.
fn commands() -> Vec<(bool, Vec<&'static str>)> {
    let lines = [
        (true, "status"),
        (true, "fetch-prices --side entry --round R --full-universe"),
        (false, "fetch-prices --full-universe --round R"),
        (false, "score-round --round R"),
        (false, "score-round --dry-run --json --round R"),
        (
            true,
            "update-interim-performance --snapshot-date 2026-03-02 --track all",
        ),
        (
            true,
            "update-interim-performance --snapshot-date 2026-03-05 --track all",
        ),
        (true, "resolve-due"),
        (true, "resolve-due --dry-run --json"),
        (true, "publish-report --round R"),
        (true, "automation-status --json"),
        (true, "status --json"),
        (false, "verify R --json"),
        (false, "audit-round --round R"),
    ];
    let words = |line: &'static str| -> Vec<&'static str> {
        let named = line
            .split(' ')
            .map(|word| if word == "R" { ROUND } else { word });
        named.chain(["--now", OPEN]).collect()
    };
    let mut all: Vec<_> = lines.map(|(holds, line)| (holds, words(line))).to_vec();
    all.push((true, vec!["list-runs", "--round", ROUND]));
    all.push((true, vec!["show-controls", "--round", ROUND]));
    all
}

#[test]
fn an_open_round_tells_no_result_in_any_file_or_output() {
    let secrets = would_be();
    assert!(secrets.len() > 25, "{secrets:?}");
    let test = due_rounds(1);
    let before: BTreeMap<String, String> = test.tree();
    let server = serve(market());
    for (holds, command) in commands() {
        let ran = server.run_with_plan(&test, "-/-/-", &command);
        let ran = if holds { ran.code(0) } else { ran };
        let said = ran.stdout() + &ran.stderr();
        let name = command.join(" ");
        tells_nothing(&name, &said, &secrets);
        let lower = said.to_lowercase();
        for word in WORDS {
            assert!(!lower.contains(word), "{name} says {word}: {said}");
        }
        look_at_files(&test, &before, &name, &secrets);
    }
    let report =
        fs::read_to_string(test.path(&format!("{ROUND}/runs/official-1/results/report.md")));
    let report = report.expect("a report");
    assert!(report.contains("**pending**"), "{report}");
    assert!(report.contains("The window is open until"), "{report}");
}

/// Every new or changed file, by name and by what it holds.
fn look_at_files(
    test: &Test,
    before: &BTreeMap<String, String>,
    command: &str,
    secrets: &[String],
) {
    for (file, text) in test.tree() {
        if before.get(&file) == Some(&text) {
            continue;
        }
        for name in [
            "leaderboard",
            "returns.csv",
            "allocations",
            "outcomes",
            "report.svg",
            "exit_prices",
        ] {
            assert!(!file.contains(name), "{command} wrote {file}");
        }
        // Kept answers hold what a server said, and no command reads them before the exit.
        tells_nothing(&format!("{file} after {command}"), &text, secrets);
        let ending = Path::new(&file).extension().unwrap_or_default();
        if ending == "md" || ending == "csv" {
            let lower = text.to_lowercase();
            for word in WORDS {
                assert!(!lower.contains(word), "{file} says {word}");
            }
        }
    }
}
