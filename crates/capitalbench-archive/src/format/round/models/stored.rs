//! The fields of a models file as they are written, and the answer to a field that is not known.

use std::collections::BTreeMap;

use capitalbench_core::asking::call_settings::SchemaMode;
use capitalbench_core::encoding::yaml::from_yaml;
use capitalbench_core::values::similar::closest;
use capitalbench_core::values::time::WrittenInstant;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::disk::error::Fault;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stored {
    pub(super) models: Vec<StoredModel>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredModel {
    pub(super) model_id: String,
    pub(super) provider: String,
    pub(super) api_model_name: String,
    pub(super) display_name: Option<String>,
    pub(super) base_url: Option<String>,
    pub(super) api_key_env: Option<String>,
    pub(super) enabled: Option<bool>,
    pub(super) mode: Option<String>,
    pub(super) schema_mode: Option<SchemaMode>,
    /// A number or `omit`.
    pub(super) temperature: Option<Value>,
    /// A word, or one of `{effort: WORD}` and `{budget: TOKENS}`.
    pub(super) reasoning: Option<Value>,
    pub(super) max_output_tokens: Option<u64>,
    /// Seconds, or a text such as `90s` or `3m`.
    pub(super) time_limit: Option<Value>,
    pub(super) extra_body: Option<Map<String, Value>>,
    pub(super) extra_headers: Option<BTreeMap<String, String>>,
    pub(super) served_models: Option<Vec<String>>,
    pub(super) routing: Option<Vec<String>>,
    pub(super) first_eligible_round: Option<String>,
    pub(super) first_eligible_date_utc: Option<String>,
    #[serde(rename = "model_release_date")]
    _model_release_date: Option<String>,
    #[serde(rename = "notes")]
    _notes: Option<String>,
    pub(super) metadata: Option<Value>,
    pub(super) retired_on: Option<String>,
    pub(super) retirement_reason: Option<String>,
    pub(super) successor_model_id: Option<String>,
    pub(super) continues: Option<String>,
    // Older names of fields above.
    pub(super) max_completion_tokens: Option<u64>,
    pub(super) max_wall_clock_seconds: Option<f64>,
    pub(super) reasoning_effort: Option<String>,
    pub(super) retired_at_utc: Option<WrittenInstant>,
}

/// Every field of a model, for the answer to one that is not known.
pub(super) const FIELDS: [&str; 30] = [
    "model_id",
    "provider",
    "api_model_name",
    "display_name",
    "base_url",
    "api_key_env",
    "enabled",
    "mode",
    "schema_mode",
    "temperature",
    "reasoning",
    "max_output_tokens",
    "time_limit",
    "extra_body",
    "extra_headers",
    "served_models",
    "routing",
    "first_eligible_round",
    "first_eligible_date_utc",
    "model_release_date",
    "notes",
    "metadata",
    "retired_on",
    "retirement_reason",
    "successor_model_id",
    "continues",
    "max_completion_tokens",
    "max_wall_clock_seconds",
    "reasoning_effort",
    "retired_at_utc",
];

/// The names of the fields, whatever their values.
#[derive(Deserialize)]
struct Names {
    models: Vec<BTreeMap<String, Value>>,
}

/// Refuses the first unknown field of a model with the name that was probably meant. A text of
/// another shape passes: reading it says what is wrong.
pub(super) fn refuse_unknown_fields(text: &str) -> Result<(), Fault> {
    let Ok(names) = from_yaml::<Names>(text) else {
        return Ok(());
    };
    for (index, model) in names.models.iter().enumerate() {
        let unknown = model.keys().find(|name| !FIELDS.contains(&name.as_str()));
        if let Some(name) = unknown {
            let hint = match closest(name, FIELDS) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the known ones are {}", FIELDS.join(", ")),
            };
            let text = format!("unknown field `{name}`; {hint}");
            return Err(Fault::field(format!("models.{index}"), text));
        }
    }
    Ok(())
}
