//! `check-providers`: which key variables are set.

use capitalbench_operations::asking::providers::PROVIDERS;
use serde_json::{Map, Value};

use crate::config::Environment;
use crate::console::{DIM, GOOD, document, is_json, line, paint};
use crate::error::{Error, Exit};

pub(crate) fn run() -> Result<Exit, Error> {
    let environment = Environment::load()?;
    let keyed = PROVIDERS
        .iter()
        .filter_map(|(provider, name, _)| Some((*provider, (*name)?)));
    let present: Vec<(&str, &str, bool)> = keyed
        .map(|(provider, name)| (provider, name, environment.get(name).is_some()))
        .collect();
    if is_json() {
        let keys: Map<String, Value> = present
            .iter()
            .map(|(_, name, set)| ((*name).to_owned(), Value::Bool(*set)))
            .collect();
        document(&Value::Object(keys));
        return Ok(Exit::Success);
    }
    for (provider, name, set) in present {
        let word = if set {
            paint(GOOD, "present")
        } else {
            paint(DIM, "missing")
        };
        line(format!("{word}  {name}  {provider}"));
    }
    Ok(Exit::Success)
}
