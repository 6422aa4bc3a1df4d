//! Nothing is scored or published that does not follow from the answers, the prices and what was
//! accepted.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::{MONTHLY, RUN, Test, WEEKLY, changes};
use crate::signed_round::{NAME, NOW, SignedRound};

const OFFICIAL: &str = "signed/SIGNED-2026-09-14-1W/runs/official";

/// Commands that show or publish a folder of rounds.
fn publishing() -> Vec<Vec<&'static str>> {
    let all = [
        "leaderboard",
        "cumulative-status",
        "publish-latest --output out",
        "publish-cumulative --output out",
        "export --output out",
        "build-site --output out --base-url https://example.org",
        "serve --listen 127.0.0.1:0",
        "sync-web",
    ];
    let of_rounds = |words: &'static str| {
        let mut words: Vec<&str> = words.split_whitespace().collect();
        words.extend(["--rounds-dir", "signed"]);
        words
    };
    all.into_iter().map(of_rounds).collect()
}

/// No database stands there; nobody gets as far as asking it.
const DATABASE: [(&str, &str); 1] = [("DATABASE_URL", "postgresql://u:p@127.0.0.1:1/d")];

/// The first file of a folder of the run with this ending.
fn first(test: &Test, folder: &str, ending: &str) -> String {
    let folder = format!("{OFFICIAL}/{folder}");
    let entries = fs::read_dir(test.path(&folder)).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names
        .map(|name| name.into_string().expect("a name"))
        .filter(|name| name.ends_with(ending) && !name.starts_with('_'))
        .collect();
    names.sort();
    format!("{folder}/{}", names[0])
}

fn edit_json(file: &Path, change: impl Fn(&mut Value)) {
    let mut value: Value = serde_json::from_slice(&fs::read(file).expect("a file")).expect("JSON");
    change(&mut value);
    let text = serde_json::to_string_pretty(&value).expect("JSON") + "\n";
    fs::write(file, text).expect("a written file");
}

/// Gives a portfolio other weights of the same sum.
fn other_portfolio(object: &mut Value) {
    let holdings = object["portfolio"].as_array_mut().expect("holdings");
    let first = holdings[0]["option_id"].clone();
    holdings[0]["option_id"] = holdings[1]["option_id"].clone();
    holdings[1]["option_id"] = first;
}

/// Every way to change a run after it was asked, and the file that is named.
fn forgeries(test: &Test) -> Vec<(String, &'static str)> {
    let parsed = first(test, "submissions/parsed", ".json");
    let raw = first(test, "submissions/raw", ".json");
    let ended = first(test, "attempts", ".ended.json");
    vec![
        (parsed, "does not follow from the raw file"),
        (raw, "does not follow from the attempts in the ledger"),
        (ended, "has an object that is not the one in its reply"),
    ]
}

#[test]
fn a_run_that_does_not_follow_from_its_answers_is_not_scored() {
    let round = SignedRound::accepted();
    for (file, problem) in forgeries(round.test()) {
        let test = round.test().again();
        let target = test.path(&file);
        edit_json(&target, |value| {
            let object = if value["object"].is_object() {
                &mut value["object"]
            } else {
                value
            };
            other_portfolio(object);
        });
        let before = test.tree();
        let named = file.rsplit_once("/runs/").expect("a run").1;
        let named = format!("{NAME}: runs/{named} {problem}");
        let resolve = "resolve-due --rounds-dir signed --source csv --histories histories --now \
                       2026-09-22T00:15:00Z";
        let resolve: Vec<&str> = resolve.split_whitespace().collect();
        let ran = test.run(&resolve).fails();
        let said = ran.stdout() + &ran.stderr();
        // The log refuses to sign a raw file that is not the accepted one.
        let unsigned = format!("{file}: changed after it was accepted");
        assert!(said.contains(&named) || said.contains(&unsigned), "{ran}");
        let written = changes(&before, &test.tree());
        let prices = written.iter().filter(|path| path.contains("/prices/"));
        assert_eq!(prices.count(), 0, "{written:?}");
        let results = written.iter().filter(|path| path.contains("/results/"));
        assert_eq!(results.count(), 0, "{written:?}");
        for command in publishing() {
            let command = [&command[..], &["--as-of", "2026-09-16T12:00:00Z"]].concat();
            test.run_with(&DATABASE, &command).code(2).complains(&named);
        }
        let report =
            "publish-report --round signed/SIGNED-2026-09-14-1W --now 2026-09-16T12:00:00Z";
        let report: Vec<&str> = report.split_whitespace().collect();
        test.run(&report).code(2).complains(&named);
        test.run(&["verify", "signed", "--now", NOW])
            .code(1)
            .says(problem);
    }
}

#[test]
fn a_reply_that_is_not_in_its_answer_is_refused() {
    let round = SignedRound::resolved();
    let test = round.test();
    let ended = first(test, "attempts", ".ended.json");
    edit_json(&test.path(&ended), |ended| {
        other_portfolio(&mut ended["object"]);
        let reply = serde_json::to_string(&ended["object"]).expect("JSON");
        ended["text"] = Value::String(reply);
    });
    let score = [
        "score-round",
        "--round",
        "signed/SIGNED-2026-09-14-1W",
        "--now",
        NOW,
    ];
    test.run(&score)
        .code(2)
        .complains("ended.json has a reply that is not in the answer")
        .complains("restore the original file");
    for command in publishing() {
        test.run_with(&DATABASE, &command)
            .code(2)
            .complains("ended.json has a reply that is not in the answer");
    }
    test.run(&["verify", "signed", "--now", NOW])
        .code(1)
        .says("answer-differs");
    let answer = ended.replace("ended.json", "answer");
    fs::remove_file(test.path(&answer)).expect("a removed file");
    test.run(&score)
        .code(2)
        .complains("ended.json has a reply, but its answer is missing");
}

#[test]
fn an_unaccepted_run_is_not_scored() {
    let round = SignedRound::resolved();
    let test = round.test();
    let score = [
        "score-round",
        "--round",
        "signed/SIGNED-2026-09-14-1W",
        "--now",
        NOW,
    ];
    test.run(&score).code(0);
    let log = test.path(&format!("{OFFICIAL}/run_log.jsonl"));
    let longer = fs::read_to_string(&log).expect("a log") + "\n";
    fs::write(&log, longer).expect("a written file");
    test.run(&score)
        .code(2)
        .complains("run_log.jsonl changed after it was accepted");
}

#[test]
fn results_that_do_not_follow_are_not_published() {
    let round = SignedRound::resolved();
    for command in publishing()
        .iter()
        .filter(|words| !matches!(words[0], "serve" | "sync-web"))
    {
        round.test().again().run(command).code(0);
    }
    for name in ["leaderboard.csv", "outcomes.json", "returns.csv"] {
        let test = round.test().again();
        let file = test.path(&format!("{OFFICIAL}/results/{name}"));
        let stored = fs::read_to_string(&file).expect("a result");
        let at = stored.rfind(['1', '2', '3', '4']).expect("a figure");
        let other = format!("{}9{}", &stored[..at], &stored[at + 1..]);
        fs::write(&file, other).expect("a written file");
        for command in publishing() {
            test.run_with(&DATABASE, &command)
                .code(2)
                .complains(&format!(
                    "{NAME}: the stored result runs/official/results/{name} differs from the computed one"
                ));
            assert!(!test.path("out").exists(), "{command:?}");
        }
    }
}

#[test]
fn rounds_without_a_ledger_are_scored_as_before_and_edited_results_are_refused() {
    let test = Test::all_rounds();
    let publish = ["publish-latest", "--output", "out", "--rounds-dir", "."];
    test.run(&publish).code(0);
    let published = fs::read_to_string(test.path("out/latest_round_leaderboard.csv"));
    let path = format!("{MONTHLY}/{RUN}/results/leaderboard.csv");
    let weekly = format!("{WEEKLY}/{RUN}/results/leaderboard.csv");
    let stored = [path, weekly].map(|path| fs::read_to_string(test.path(&path)).expect("a table"));
    assert!(stored.contains(&published.expect("a leaderboard")));
    let file = format!("{RUN}/results/leaderboard.csv");
    let test = test.replace(&file, "anthropic-fixture-b", "anthropic-fixture-x");
    test.run(&publish).code(2).complains(
        "runs/official-1/results/leaderboard.csv differs from the computed one: line 2, ",
    );
}
