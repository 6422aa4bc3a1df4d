//! A frozen round whose models answer at the fake server, and the program that asks them.

use std::fmt::Write as _;
use std::fs;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::{FakeModels, Wire};
use crate::harness::{Ran, Test, command};

/// The key that must never be seen anywhere.
pub(crate) const KEY: &str = "canary4key8that2nobody6may1see";
/// A deadline far ahead of any clock that runs the tests.
pub(crate) const FAR: &str = "2028-06-05T13:25:00Z";
pub(crate) const ROUND: &str = "rounds/OVER-HTTP-1W";

pub(crate) const V1_1: &str = "portfolio-v1.1";
pub(crate) const V1_2: &str = "portfolio-v1.2";

/// A frozen round with the models of this file.
pub(crate) fn frozen_with(models: &str, deadline: &str, label: &str) -> Test {
    let test = Test::operator(ROUND);
    fs::write(test.path("models.yaml"), models).expect("a written file");
    let init = format!(
        "init-round --now 2026-01-05T10:00:00Z --round-id OVER-HTTP-1W --universe options.yaml \
         --models models.yaml --decision-deadline {deadline} --methodology {label}"
    );
    let mut init: Vec<&str> = init.split_whitespace().collect();
    init.extend(["--horizon", "one week"]);
    test.run(&init).code(0);
    let research = "import-research --round rounds/OVER-HTTP-1W --market-fact-report facts.md \
                    --audit-report audit.md --final-briefing briefing.md \
                    --research-cutoff-utc 2026-01-05T09:00:00Z";
    let research: Vec<&str> = research.split_whitespace().collect();
    test.run(&research).code(0);
    let table = "fetch-universe-performance --round rounds/OVER-HTTP-1W --as-of-date 2026-12-04 \
                 --source csv --histories histories";
    let table: Vec<&str> = table.split_whitespace().collect();
    test.run(&table).code(0);
    test.run(&["hash-round", "--round", ROUND]).code(0);
    test
}

/// The round, its models and its prices.
pub(crate) struct AskedRound(Test);

impl AskedRound {
    /// Models of these providers and names; `further` are more lines of each one's settings.
    pub(crate) fn new(server: &FakeModels, models: &[(Wire, &str, &str)]) -> Self {
        Self::under(V1_1, server, models)
    }

    /// The same under other rules.
    pub(crate) fn under(label: &str, server: &FakeModels, models: &[(Wire, &str, &str)]) -> Self {
        let mut settings = "models:\n".to_owned();
        let mut prices = "pricing:\n".to_owned();
        for wire in Wire::ALL {
            let provider = wire.provider();
            if models.iter().any(|model| model.0 == wire) {
                let _ = writeln!(prices, "  {provider}:");
            }
            for (_, name, further) in models.iter().filter(|model| model.0 == wire) {
                let base = server.base_url(wire);
                let _ = write!(
                    settings,
                    "- model_id: {provider}-{name}\n  provider: {provider}\n  api_model_name: {name}\n  \
                     base_url: {base}\n  api_key_env: CANARY_KEY\n{further}"
                );
                let _ = writeln!(
                    prices,
                    "    {name}: {{input_per_1m_tokens_usd: 1, output_per_1m_tokens_usd: 10}}"
                );
            }
        }
        let test = frozen_with(&settings, FAR, label);
        fs::write(test.path("prices.yaml"), prices).expect("a written file");
        Self(test)
    }

    /// The folder and everything else that tests do with one.
    pub(crate) fn test(&self) -> &Test {
        &self.0
    }

    /// The program, about to ask for this run.
    pub(crate) fn command(&self, run_id: &str, more: &str) -> Command {
        let mut command = self.command_without_yes(run_id);
        command.arg("--yes").args(more.split_whitespace());
        command
    }

    /// The same, before somebody says yes.
    pub(crate) fn command_without_yes(&self, run_id: &str) -> Command {
        let text = format!(
            "run-round --round {ROUND} --models models.yaml --pricing prices.yaml --run-id {run_id} \
             --allow-real-api-calls --retry-pause 0.005"
        );
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut command = command(&words);
        command
            .env("CANARY_KEY", KEY)
            .env("CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES", "1")
            .current_dir(self.0.folder())
            .stdin(Stdio::null());
        command
    }

    /// Asks, and sees that the key is shown nowhere.
    pub(crate) fn ask(&self, run_id: &str, more: &str) -> Ran {
        let output = self.command(run_id, more).output();
        let ran = Ran::new(more, output.expect("the program starts"));
        let said = ran.stdout() + &ran.stderr();
        assert!(!said.to_lowercase().contains(&KEY[..13]), "{ran}");
        ran
    }

    /// Begins to ask, with what it says kept.
    pub(crate) fn begin(&self, run_id: &str, more: &str) -> Child {
        let mut command = self.command(run_id, more);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the program starts")
    }

    /// What the ledger says about each model: its attempts in order, `status reason` each.
    pub(crate) fn ledger(report: &Value) -> Vec<(String, String, String)> {
        let slots = report["slots"].as_array().expect("slots");
        slots
            .iter()
            .map(|slot| {
                let attempts = slot["attempts"].as_array().expect("attempts");
                let said: Vec<String> = attempts
                    .iter()
                    .map(|attempt| {
                        let word = |name: &str| attempt[name].as_str().unwrap_or_default();
                        format!("{} {}", word("status"), word("reason"))
                            .trim()
                            .to_owned()
                    })
                    .collect();
                let text = |name: &str| slot[name].as_str().expect("a word").to_owned();
                (text("model_id"), said.join(", "), text("state"))
            })
            .collect()
    }

    /// Nothing is wrong with what is on disk, and the key is nowhere in it.
    pub(crate) fn verify(&self) {
        let verified = self.0.run(&["verify", ROUND]);
        verified.code(0).says("0 errors, 0 warnings");
        for (path, text) in self.0.tree() {
            assert!(
                !text.to_lowercase().contains(&KEY[..13]),
                "the key is in {path}"
            );
        }
    }
}
