//! Before exit prices exist nothing tells a result: every file and every output of an open round.

use std::collections::BTreeMap;
use std::fs;

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
        let text = fs::read_to_string(test.path(&path)).expect("a result");
        let cells = text.split([',', '\n', ' ', '"', '[', ']', '{', '}']);
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

#[test]
fn an_open_round_tells_no_result_in_any_file_or_output() {
    let secrets = would_be();
    assert!(secrets.len() > 25, "{secrets:?}");
    let test = due_rounds(1);
    let before: BTreeMap<String, String> = test.tree();
    let server = serve(market());
    let round = ["--round", ROUND];
    let now = ["--now", OPEN];
    let day = ["--snapshot-date", "2026-03-05", "--track", "all"];
    let entry_day = ["--snapshot-date", "2026-03-02", "--track", "all"];
    let commands: Vec<(bool, Vec<&str>)> = vec![
        (true, [&["status"], &now[..]].concat()),
        (
            true,
            [
                &["fetch-prices", "--side", "entry"],
                &round[..],
                &now[..],
                &["--full-universe"],
            ]
            .concat(),
        ),
        (
            false,
            [&["fetch-prices", "--full-universe"], &round[..], &now[..]].concat(),
        ),
        (false, [&["score-round"], &round[..], &now[..]].concat()),
        (
            false,
            [
                &["score-round", "--dry-run", "--json"],
                &round[..],
                &now[..],
            ]
            .concat(),
        ),
        (
            true,
            [&["update-interim-performance"], &entry_day[..], &now[..]].concat(),
        ),
        (
            true,
            [&["update-interim-performance"], &day[..], &now[..]].concat(),
        ),
        (true, [&["resolve-due"], &now[..]].concat()),
        (
            true,
            [&["resolve-due", "--dry-run", "--json"], &now[..]].concat(),
        ),
        (true, [&["publish-report"], &round[..], &now[..]].concat()),
        (true, [&["automation-status", "--json"], &now[..]].concat()),
        (true, [&["status", "--json"], &now[..]].concat()),
        (true, [&["list-runs"], &round[..]].concat()),
        (false, [&["verify", ROUND, "--json"], &now[..]].concat()),
        (false, [&["audit-round"], &round[..], &now[..]].concat()),
        (true, [&["show-controls"], &round[..]].concat()),
    ];
    for (holds, command) in commands {
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
        if file.ends_with(".md") || file.ends_with(".csv") {
            let lower = text.to_lowercase();
            for word in WORDS {
                assert!(!lower.contains(word), "{file} says {word}");
            }
        }
    }
}
