//! `run-round`: every attempt stays on disk, nothing answered is asked again, and a run that was
//! killed at any moment can be finished.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{Ran, command, copy_tree, fixtures};

const NOW: &str = "2026-12-06T12:00:00Z";
const MODELS: usize = 4;

/// A frozen round with a roster of mock models, made by the program itself.
struct Frozen(TempDir);

impl Frozen {
    /// `metadata` is the mock script of every model.
    fn new(metadata: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        copy_tree(&fixtures().join("operate"), folder.path());
        let test = Self(folder);
        let models: Vec<String> = (0..MODELS)
            .map(|index| {
                format!(
                    "- model_id: m{index}\n  provider: p{}\n  api_model_name: m{index}-1\n  \
                     metadata: {metadata}\n",
                    index % 2
                )
            })
            .collect();
        let models = format!("models:\n{}", models.concat());
        fs::write(test.path("models.yaml"), models).expect("a written file");
        let init = "init-round --round-id L --submission-format portfolio --universe options.yaml \
                    --models models.yaml --decision-deadline 2026-12-07T14:25:00Z \
                    --now 2026-12-06T10:00:00Z";
        let research = "import-research --round rounds/L --market-fact-report facts.md \
                        --audit-report audit.md --final-briefing briefing.md \
                        --research-cutoff-utc 2026-12-06T09:00:00Z";
        let table = "fetch-universe-performance --round rounds/L --as-of-date 2026-12-04 \
                     --source csv --histories histories --now 2026-12-06T11:00:00Z";
        for command in [init, research, table, "hash-round --round rounds/L"] {
            test.run(command).code(0);
        }
        test
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.0.path().join(relative)
    }

    fn command(&self, text: &str) -> Command {
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut command = command(&words);
        command.current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    fn run(&self, text: &str) -> Ran {
        let output = self.command(text).output().expect("the program starts");
        Ran::new(text, output)
    }

    fn ask(&self, more: &str) -> Ran {
        self.run(&asking(more))
    }

    fn attempts(&self, run: &str) -> Vec<String> {
        names(&self.path(&format!("rounds/L/runs/{run}/attempts")))
    }

    fn verify(&self) {
        let report = self.run("verify rounds --strict --now 2026-12-06T13:00:00Z");
        report.code(0).says("0 errors, 0 warnings");
    }
}

fn asking(more: &str) -> String {
    format!("run-round --round rounds/L --models models.yaml --mock --run-id r --now {NOW} {more}")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

fn count(names: &[String], ending: &str) -> usize {
    names.iter().filter(|name| name.ends_with(ending)).count()
}

#[test]
fn a_rehearsal_verifies_and_is_never_repeated() {
    let test = Frozen::new("{}");
    test.ask("").code(0).says("r: 4 valid, 0 invalid");
    test.verify();
    let before = test.attempts("r");
    assert_eq!(before.len(), MODELS * 4);
    test.ask("").code(2).complains("is there already");
    test.ask("--resume").code(0).says("no model is asked again");
    assert_eq!(test.attempts("r"), before);
}

#[test]
fn nothing_leaves_the_machine_without_permission() {
    let test = Frozen::new("{}");
    test.run(&format!(
        "run-round --round rounds/L --models models.yaml --now {NOW}"
    ))
    .code(2)
    .complains("--allow-real-api-calls");
    test.ask("--dry-run").code(0);
    test.ask("--max-cost-usd 1")
        .code(2)
        .complains("no price of p0");
    assert_eq!(names(&test.path("rounds/L/runs")), [""; 0]);
    fs::write(test.path("rounds/L/briefing.md"), "other").expect("a spoiled file");
    test.ask("")
        .code(2)
        .complains("is frozen and 1 of its inputs changed");
}

#[test]
fn every_fault_has_its_word_and_only_some_are_repeated() {
    let faults = "[transport, truncated, invalid_json, invalid_decision, rate_limit, server]";
    let test = Frozen::new(&format!("{{mock: {{faults: {faults}}}}}"));
    let json = test.ask("--max-retries 6 --json").code(0).json();
    let attempts = json["slots"][0]["attempts"].as_array().expect("attempts");
    let said: Vec<&Value> = attempts.iter().map(|attempt| &attempt["reason"]).collect();
    let expected = [
        "transport",
        "truncated",
        "malformed",
        "schema",
        "rate_limit",
        "server",
    ];
    assert_eq!(said[..6], expected);
    assert_eq!(attempts[6]["status"], "valid");
    test.verify();
    for fault in ["key", "refusal"] {
        let test = Frozen::new(&format!("{{mock: {{faults: [{fault}]}}}}"));
        let json = test.ask("--json").code(1).json();
        assert_eq!(
            json["slots"][0]["attempts"]
                .as_array()
                .expect("attempts")
                .len(),
            1
        );
        test.verify();
    }
}

#[test]
fn a_stability_run_numbers_its_replicates() {
    let test = Frozen::new("{mock: {faults: [invalid_json]}}");
    test.ask("--run-type stability --replicates 3")
        .code(0)
        .says("12 valid");
    assert_eq!(
        count(&test.attempts("r"), ".begun.json"),
        MODELS * 3 + MODELS
    );
    assert!(
        test.path("rounds/L/runs/r/submissions/parsed/m0__replicate_003.json")
            .is_file()
    );
    test.verify();
    for count in [1, 101] {
        let more = format!("--run-type stability --replicates {count}");
        test.run(&asking(&more).replace("--run-id r", "--run-id s"))
            .code(2)
            .complains(&format!(
                "--replicates {count}: a stability run has 2 to 100"
            ));
    }
}

#[test]
fn an_official_run_stops_at_the_deadline() {
    let test = Frozen::new("{mock: {delay_ms: 60000}}");
    let began = Instant::now();
    let late = asking("--run-type official").replace(NOW, "2026-12-07T14:24:59Z");
    let json = test.run(&format!("{late} --json")).code(1).json();
    assert!(began.elapsed() < Duration::from_secs(20));
    assert_eq!(json["slots"][0]["attempts"][0]["reason"], "deadline");
    assert_eq!(json["invalid"], MODELS);
    let after = asking("--run-type official").replace(NOW, "2026-12-07T14:25:00Z");
    test.run(&after.replace("--run-id r", "--run-id s"))
        .code(2)
        .complains("the decision deadline has passed");
}

#[test]
fn the_cap_holds_and_a_higher_one_finishes() {
    let test = Frozen::new("{}");
    let price = "{input_per_1m_tokens_usd: 1, output_per_1m_tokens_usd: 100}";
    let card = format!(
        "pricing:\n  p0: {{m0-1: {price}, m2-1: {price}}}\n  p1: {{m1-1: {price}, m3-1: {price}}}\n"
    );
    fs::write(test.path("prices.yaml"), card).expect("a written file");
    let json = test
        .ask("--pricing prices.yaml --max-cost-usd 0.4 --json")
        .code(1)
        .json();
    assert_eq!(json["complete"], false);
    assert!(json["cost_usd"].as_f64().expect("a cost") <= 0.4, "{json}");
    test.ask("--pricing prices.yaml --max-cost-usd 9 --resume")
        .code(0)
        .says("4 valid");
    assert_eq!(count(&test.attempts("r"), ".begun.json"), MODELS);
    test.verify();
}

/// Start and end of every call of a provider, in milliseconds.
fn calls(test: &Frozen, provider: &str) -> Vec<(i64, i64)> {
    let log = fs::read_to_string(test.path("rounds/L/runs/r/run_log.jsonl")).expect("a log");
    let lines = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a line"));
    lines
        .filter(|line| line["provider"] == provider)
        .map(|line| {
            let at = |name: &str| {
                let instant = line[name].as_str().expect("an instant");
                instant
                    .parse::<jiff::Timestamp>()
                    .expect("an instant")
                    .as_millisecond()
            };
            (at("started_at_utc"), at("completed_at_utc"))
        })
        .collect()
}

#[test]
fn all_models_are_asked_at_once_and_within_the_limit() {
    let test = Frozen::new("{mock: {delay_ms: 1500}}");
    test.ask("--run-type stability --replicates 2").code(0);
    let all = [calls(&test, "p0"), calls(&test, "p1")].concat();
    assert_eq!(all.len(), 8);
    // The last call begins before the first one ends: all of them are under way together.
    let last_start = all.iter().map(|(start, _)| start).max();
    let first_end = all.iter().map(|(_, end)| end).min();
    assert!(last_start < first_end, "{all:?}");

    let test = Frozen::new("{mock: {delay_ms: 5, faults: [rate_limit]}}");
    test.ask("--run-type stability --replicates 20 --max-concurrent 3")
        .code(0);
    for provider in ["p0", "p1"] {
        let calls = calls(&test, provider);
        assert_eq!(calls.len(), 42);
        let at_once = |at: i64| {
            let inside = calls.iter().filter(|(start, end)| *start < at && at < *end);
            inside.count()
        };
        let most = calls.iter().map(|(start, _)| at_once(*start)).max();
        assert!(most.is_some_and(|most| most <= 3), "{most:?}");
    }
}

#[test]
fn a_second_process_keeps_out() {
    let test = Frozen::new("{mock: {delay_ms: 1500}}");
    let mut first = test
        .command(&asking(""))
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    let slots = test.path("rounds/L/runs/r/attempts/m0__001.begun.json");
    while !slots.is_file() {
        std::thread::sleep(Duration::from_millis(5));
    }
    test.ask("--resume").code(2).complains("another process");
    assert!(first.wait().expect("an ended process").success());
    assert_eq!(count(&test.attempts("r"), ".begun.json"), MODELS);
}

#[test]
fn an_attempt_whose_end_nobody_saw_is_unknown_and_counts() {
    let test = Frozen::new("{mock: {delay_ms: 30000}}");
    let mut first = test
        .command(&asking("--max-retries 0"))
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    while !test.path("rounds/L/runs/r/attempts").is_dir()
        || count(&test.attempts("r"), ".begun.json") < MODELS
    {
        std::thread::sleep(Duration::from_millis(5));
    }
    first.kill().expect("a killed process");
    first.wait().expect("an ended process");
    let json = test.ask("--resume --json").code(1).json();
    assert_eq!(json["slots"][0]["state"], "unknown");
    assert_eq!(json["invalid"], MODELS);
    assert_eq!(count(&test.attempts("r"), ".begun.json"), MODELS);
    test.verify();
}
