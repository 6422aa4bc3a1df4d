//! `check-providers`: which key variables are set.

use serde_json::{Map, Value};

use super::Outcome;
use crate::cli::CheckProviders;
use crate::config::Environment;
use crate::console::{DIM, GOOD, document, line, paint};
use crate::error::CommandError;

/// Providers and the variables of their keys.
const KEYS: [(&str, &str); 4] = [
    ("openai", "OPENAI_API_KEY"),
    ("anthropic", "ANTHROPIC_API_KEY"),
    ("google", "GOOGLE_API_KEY"),
    ("xai", "XAI_API_KEY"),
];

pub(crate) fn run(arguments: &CheckProviders) -> Result<Outcome, CommandError> {
    let environment = Environment::load()?;
    let present = KEYS.map(|(provider, name)| (provider, name, environment.get(name).is_some()));
    if arguments.output.json {
        let keys: Map<String, Value> = present
            .iter()
            .map(|(_, name, set)| ((*name).to_owned(), Value::Bool(*set)))
            .collect();
        document(&Value::Object(keys));
        return Ok(Outcome::Holds);
    }
    for (provider, name, set) in present {
        let word = if set {
            paint(GOOD, "present")
        } else {
            paint(DIM, "missing")
        };
        line(format!("{word}  {name}  {provider}"));
    }
    Ok(Outcome::Holds)
}
