//! A rehearsed league with a frozen round that takes entries, and its entrants.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::harness::{Ran, Test, codes_of};

pub(crate) const ROUND: &str = "HOUSE-2026-12-07-1W";
pub(crate) const ROUNDS: &str = "house/rehearsal/rounds";
/// Before the deadline 14:25, after the entry close 21:00, after the next session began, at the end.
pub(crate) const EARLY: &str = "2026-12-07T12:10:00Z";
pub(crate) const CLOSED: &str = "2026-12-07T21:10:00Z";
pub(crate) const NEXT_DAY: &str = "2026-12-08T15:00:00Z";
pub(crate) const END: &str = "2026-12-15T01:20:00Z";

/// A rehearsed league with a frozen round that takes entries.
pub(crate) struct House(pub(crate) Test);

impl House {
    pub(crate) fn open() -> Self {
        let house = Self(Test::operator(""));
        house.write(
            "house/league.yaml",
            "name: House League\nuniverse: v1.5\npublication: {site: none}\n\
             entrants: {registrations: entrants, entries: entries}\n",
        );
        house.write(
            "house/models.yaml",
            "models:\n- {model_id: amber, provider: mock, api_model_name: amber}\n\
             - {model_id: dune, provider: mock, api_model_name: dune}\n",
        );
        house.write("even.yaml", "SP500: 60\nCASH: 40\n");
        for at in ["2026-12-07T12:00:00Z", "2026-12-07T12:01:00Z"] {
            house.pass(at).code(0);
        }
        house
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let file = self.0.path(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, text).expect("a file");
    }

    pub(crate) fn say(&self, words: &str) -> Ran {
        self.0.run(&words.split_whitespace().collect::<Vec<_>>())
    }

    pub(crate) fn pass(&self, at: &str) -> Ran {
        self.say(&format!("league run --league house --now {at}"))
    }

    /// A key and a registration that the operator admits.
    pub(crate) fn admit(&self, name: &str, more: &str) {
        self.register(name, &format!("--output house/entrants {more}"));
    }

    pub(crate) fn register(&self, name: &str, more: &str) {
        self.say(&format!("enter keys --name {name} --key {name}.key"))
            .code(0);
        self.say(&format!(
            "enter register {ROUNDS} --entrant {name} --name The-{name} --kind person \
             --contact {name}@example.org --method hand --key {name}.key {more}"
        ))
        .code(0);
    }

    /// Seals the even portfolio into a folder of the entrant's own; the sealed file.
    pub(crate) fn seal(&self, name: &str, folder: &str) -> PathBuf {
        self.say(&format!(
            "enter seal {ROUNDS}/{ROUND} even.yaml --key {name}.key --output {folder} --now {EARLY}"
        ))
        .code(0);
        self.0.path(&format!("{folder}/{ROUND}.{name}.sealed"))
    }

    pub(crate) fn deliver(&self, file: &Path, to: &str) {
        let to = self.0.path(to);
        fs::create_dir_all(&to).expect("a folder");
        fs::copy(file, to.join(file.file_name().expect("a name"))).expect("a copy");
    }

    pub(crate) fn collect(&self, at: &str) -> Value {
        self.say(&format!("enter collect --league house --json --now {at}"))
            .json()
    }

    pub(crate) fn open_all(&self, folder: &str, at: &str) -> Ran {
        self.say(&format!(
            "enter open {ROUNDS}/{ROUND} --folder {folder} --now {at}"
        ))
    }

    pub(crate) fn rounds(&self) -> PathBuf {
        self.0.path(ROUNDS)
    }

    pub(crate) fn entry(&self, name: &str, ending: &str) -> PathBuf {
        let file = format!("log/entries/{ROUND}/{name}.{name}.{ending}");
        self.rounds().join(file)
    }

    /// Codes of the log's findings at an instant.
    pub(crate) fn codes(&self, at: &str) -> Vec<String> {
        let told = self
            .say(&format!("verify {ROUNDS} --json --now {at}"))
            .json();
        let findings = told["log"]["findings"].as_array().expect("findings");
        codes_of(findings, &["error", "warning"])
    }

    pub(crate) fn entries(&self, at: &str) -> Vec<Value> {
        self.say(&format!(
            "export --rounds-dir {ROUNDS} --as-of {at} --output exported"
        ))
        .code(0);
        let text = fs::read(self.0.path("exported/publication.json")).expect("an export");
        let told: Value = serde_json::from_slice(&text).expect("a document");
        told["entries"].as_array().expect("entries").clone()
    }
}
