//! The answers in `fixtures/answers`, which imitate what services send.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

/// One answer of a provider, and what the program must make of it.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The provider's name in a models file.
    pub provider: String,
    pub line: Line,
}

/// A line of a file; its fields are explained in the folder's README.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    pub name: String,
    pub source: String,
    pub model: String,
    #[serde(default)]
    pub settings: Settings,
    pub status: u16,
    pub headers: Map<String, Value>,
    #[serde(default)]
    pub body: Value,
    pub body_text: Option<String>,
    pub expect: Expected,
}

/// What the models file says about the requested model.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    pub served_models: Vec<String>,
    pub routing: Vec<String>,
}

/// What the program must make of an answer; what is missing is not compared.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// `valid` or a reason of the ledger.
    pub outcome: String,
    pub asked_again: bool,
    pub wait_seconds: Option<f64>,
    pub tokens: Option<Counted>,
    pub billed_usd: Option<f64>,
    pub served_model: Option<String>,
    pub service_tier: Option<String>,
    pub answered_by: Option<String>,
}

/// Tokens, each counted once.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counted {
    pub input: Option<u64>,
    pub cached: Option<u64>,
    pub cache_written: Option<u64>,
    pub output: Option<u64>,
    pub reasoning: Option<u64>,
}

/// What stands for the marks in an answer.
#[derive(Debug, Clone, Copy)]
pub struct Filling<'a> {
    /// A valid decision in ASCII.
    pub decision: &'a str,
    /// Seconds that the server asks to wait.
    pub wait: f64,
}

/// All answers, by provider and then as the file orders them.
pub fn recorded() -> Vec<Recorded> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder())
        .expect("the folder of answers")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .collect();
    files.sort();
    files.iter().flat_map(|file| lines(file)).collect()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/answers")
}

fn lines(file: &Path) -> Vec<Recorded> {
    let provider = file.file_stem().expect("a name").to_string_lossy();
    let text = fs::read_to_string(file).expect("a file of answers");
    let read = |(number, line): (usize, &str)| {
        let line: Line = serde_json::from_str(line)
            .unwrap_or_else(|error| panic!("{provider}.jsonl, line {}: {error}", number + 1));
        Recorded {
            provider: provider.to_string(),
            line,
        }
    };
    text.lines().enumerate().map(read).collect()
}

impl Recorded {
    /// Provider and name, for messages.
    pub fn id(&self) -> String {
        format!("{}-{}", self.provider, self.line.name)
    }

    /// The bytes of the body.
    pub fn body(&self, filling: &Filling<'_>) -> Vec<u8> {
        if let Some(text) = &self.line.body_text {
            return filling.fill(text, escaped).into_bytes();
        }
        let mut body = self.line.body.clone();
        fill_texts(&mut body, filling);
        body.to_string().into_bytes()
    }

    /// Names in lower case and values.
    pub fn headers(&self, filling: &Filling<'_>) -> Vec<(String, String)> {
        let pair = |(name, value): (&String, &Value)| {
            let value = value.as_str().expect("a header is a text");
            (name.clone(), filling.fill(value, str::to_owned))
        };
        self.line.headers.iter().map(pair).collect()
    }
}

impl Filling<'_> {
    fn fill(&self, text: &str, written: fn(&str) -> String) -> String {
        let (first, second) = self.decision.split_at(self.decision.len() / 2);
        text.replace("{{DECISION}}", &written(self.decision))
            .replace("{{HALF}}", &written(first))
            .replace("{{FIRST_HALF}}", &written(first))
            .replace("{{SECOND_HALF}}", &written(second))
            .replace("{{WAIT}}", &self.wait.to_string())
    }
}

fn fill_texts(value: &mut Value, filling: &Filling<'_>) {
    match value {
        Value::String(text) => *text = filling.fill(text, str::to_owned),
        Value::Array(all) => all.iter_mut().for_each(|one| fill_texts(one, filling)),
        Value::Object(all) => all.values_mut().for_each(|one| fill_texts(one, filling)),
        _ => {}
    }
}

/// A text as it is written between the quotes of a JSON string.
fn escaped(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}
