//! `run-round`: every attempt stays on disk, nothing answered is asked again, and a run that was
//! killed at any moment can be finished.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::fake_models::{Answer, AskedRound, FakeModels, Wire};
use crate::faulty_layer::still_clock;
use crate::harness::{Ran, command, copy_tree, fixtures};
use crate::waiting::{PATIENCE, Speaking};

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
                    "- model_id: m{index}\n  provider: {}\n  api_model_name: m{index}-1\n  \
                     metadata: {metadata}\n",
                    ["vllm", "llama_cpp"][index % 2]
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
    test.ask("").code(2).complains("already exists");
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
        .complains("no price of vllm");
    assert_eq!(names(&test.path("rounds/L/runs")), [""; 0]);
    fs::write(test.path("rounds/L/briefing.md"), "other").expect("a spoiled file");
    test.ask("")
        .code(2)
        .complains("is frozen and 1 of its inputs changed");
}

#[test]
fn every_fault_has_its_reason_and_only_some_are_retried() {
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
    // The clock stands one second before the deadline, so no call has more than this second.
    let late = asking("--run-type official --json").replace(&format!("--now {NOW}"), "");
    let clock = still_clock("2026-12-07T14:24:59Z".parse().expect("an instant"));
    let output = test.command(&late).envs(clock).output();
    let ran = Ran::new(&late, output.expect("the program starts"));
    let json = ran.code(1).json();
    assert_eq!(json["slots"][0]["attempts"][0]["reason"], "deadline");
    assert_eq!(json["invalid"], MODELS);
    let after = asking("--run-type official").replace(NOW, "2026-12-07T14:25:00Z");
    test.run(&after.replace("--run-id r", "--run-id s"))
        .code(2)
        .complains("the decision deadline has passed");
}

#[test]
fn the_cost_cap_stops_a_run_and_a_higher_one_finishes_it() {
    let test = Frozen::new("{}");
    let price = "{input_per_1m_tokens_usd: 1, output_per_1m_tokens_usd: 100}";
    let card = format!(
        "pricing:\n  vllm: {{m0-1: {price}, m2-1: {price}}}\n  \
         llama_cpp: {{m1-1: {price}, m3-1: {price}}}\n"
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

const TWO_PROVIDERS: [(Wire, &str, &str); 4] = [
    (Wire::OpenAi, "a", ""),
    (Wire::OpenAi, "b", ""),
    (Wire::Anthropic, "a", ""),
    (Wire::Anthropic, "b", ""),
];

#[test]
fn all_replicates_of_all_models_are_asked_at_once() {
    // No answer leaves before the eighth question has come.
    let server = FakeModels::start(|call| Answer::decision(call).once_heard(8, PATIENCE));
    let round = AskedRound::new(&server, &TWO_PROVIDERS);
    round
        .ask("r", "--run-type stability --replicates 2")
        .code(0)
        .says("8 valid");
    assert_eq!((server.calls().len(), server.most_in_all()), (8, 8));
}

#[test]
fn a_refused_provider_stays_within_its_limit_of_concurrent_calls() {
    let server = FakeModels::start(|call| match call.before {
        0 => {
            let wait = "Content-Type: application/json\r\nretry-after-ms: 5\r\n";
            let body = call.wire.error(429).to_string();
            Answer::new(call, "429 Too Many Requests", wait, body.as_bytes())
        }
        _ => Answer::decision(call),
    });
    let round = AskedRound::new(&server, &TWO_PROVIDERS);
    round
        .ask(
            "r",
            "--run-type stability --replicates 20 --max-concurrent 3",
        )
        .code(0)
        .says("80 valid");
    assert_eq!(server.calls().len(), 84);
    for provider in [Wire::OpenAi, Wire::Anthropic] {
        let most = server.most_at_once(provider);
        assert!(most <= 3, "{most}");
    }
}

#[test]
fn a_second_process_cannot_join_a_run_under_way() {
    let server = FakeModels::start(|call| Answer::decision(call).until_released());
    let round = AskedRound::new(&server, &TWO_PROVIDERS);
    let first = Speaking::new(round.begin("r", "--run-type retrospective"));
    server.wait_for(4);
    round
        .ask("r", "--resume")
        .code(2)
        .complains("another process");
    server.release();
    first.ended().code(0).says("4 valid");
    assert_eq!(server.calls().len(), 4);
}

#[test]
fn an_attempt_without_a_recorded_end_is_unknown_and_counts() {
    let test = Frozen::new("{mock: {delay_ms: 30000}}");
    let child = test
        .command(&asking("--max-retries 0"))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut first = Speaking::new(child);
    first.until(MODELS, "\"attempt_begun\"");
    first.child().kill().expect("a killed process");
    assert!(first.ended().was_killed());
    let json = test.ask("--resume --json").code(1).json();
    assert_eq!(json["slots"][0]["state"], "unknown");
    assert_eq!(json["invalid"], MODELS);
    assert_eq!(count(&test.attempts("r"), ".begun.json"), MODELS);
    test.verify();
}
