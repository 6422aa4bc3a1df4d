//! A model configuration file → contestants.

use std::time::Duration;

use capitalbench_core::decision::submission::MODE;
use capitalbench_core::round::roster::Contestant;
use capitalbench_core::values::ids::ModelId;
use capitalbench_core::values::time::{WrittenInstant, parse_day};
use serde::Deserialize;
use serde_json::Value;

use crate::disk::error::Fault;
use crate::format::utf8;
use capitalbench_core::encoding::yaml::from_yaml;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    models: Vec<StoredModel>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredModel {
    model_id: String,
    provider: String,
    api_model_name: String,
    base_url: Option<String>,
    api_key_env: Option<String>,
    enabled: Option<bool>,
    mode: Option<String>,
    temperature: Option<f64>,
    max_completion_tokens: Option<u64>,
    max_wall_clock_seconds: Option<f64>,
    reasoning_effort: Option<String>,
    first_eligible_round: Option<String>,
    first_eligible_date_utc: Option<String>,
    #[serde(rename = "model_release_date")]
    _model_release_date: Option<String>,
    #[serde(rename = "notes")]
    _notes: Option<String>,
    metadata: Option<Value>,
    retired_at_utc: Option<WrittenInstant>,
    retirement_reason: Option<String>,
    successor_model_id: Option<String>,
}

/// Longest reply in tokens, unless the file sets one.
const OUTPUT_TOKENS: u64 = 3_000;
/// Longest call, unless the file sets one.
const TIME_LIMIT: Duration = Duration::from_mins(2);

/// Most models in one file.
const MOST_MODELS: usize = 2_000;

/// A contestant, and how to call it.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSettings {
    /// The model, and when it may take part.
    pub contestant: Contestant,
    /// The mode of the call; today every round has the same one.
    pub mode: String,
    /// Sent only where the file sets one.
    pub temperature: Option<f64>,
    /// Longest reply in tokens.
    pub max_output_tokens: u64,
    /// Longest call.
    pub time_limit: Duration,
    /// How much reasoning to ask for, in the provider's own term.
    pub reasoning_effort: Option<String>,
    /// Address of the endpoint, unless it is the provider's own.
    pub base_url: Option<String>,
    /// Environment variable of the key, unless it is the provider's usual one.
    pub key_variable: Option<String>,
    /// Further settings for the adapter.
    pub metadata: Value,
}

/// Reads the contestants in file order; unknown keys and repeated ids are refused.
pub fn parse(bytes: &[u8]) -> Result<Vec<Contestant>, Fault> {
    let settings = parse_settings(bytes)?.into_iter();
    Ok(settings.map(|settings| settings.contestant).collect())
}

/// Reads the contestants with the settings of their calls.
pub fn parse_settings(bytes: &[u8]) -> Result<Vec<ModelSettings>, Fault> {
    let stored: Stored = from_yaml(utf8(bytes)?)?;
    let count = stored.models.len();
    if count > MOST_MODELS {
        let text = format!("lists {count} models; at most {MOST_MODELS} are allowed");
        return Err(Fault::field("models", text));
    }
    let mut all: Vec<ModelSettings> = Vec::with_capacity(stored.models.len());
    for (index, model) in stored.models.into_iter().enumerate() {
        let settings = settings(&model).map_err(|fault| Fault {
            field: fault.field.map(|field| format!("models.{index}.{field}")),
            ..fault
        })?;
        let model_id = &settings.contestant.model_id;
        if all
            .iter()
            .any(|other| other.contestant.model_id == *model_id)
        {
            let text = format!("{model_id} appears twice");
            return Err(Fault::field(format!("models.{index}.model_id"), text));
        }
        all.push(settings);
    }
    Ok(all)
}

fn settings(model: &StoredModel) -> Result<ModelSettings, Fault> {
    let time_limit = match model.max_wall_clock_seconds {
        None => TIME_LIMIT,
        Some(seconds) => Duration::try_from_secs_f64(seconds)
            .ok()
            .filter(|limit| !limit.is_zero())
            .ok_or_else(|| Fault::field("max_wall_clock_seconds", "must be above 0"))?,
    };
    let max_output_tokens = model.max_completion_tokens.unwrap_or(OUTPUT_TOKENS);
    if max_output_tokens == 0 {
        return Err(Fault::field("max_completion_tokens", "must be above 0"));
    }
    Ok(ModelSettings {
        mode: model.mode.clone().unwrap_or_else(|| MODE.to_owned()),
        temperature: model.temperature,
        max_output_tokens,
        time_limit,
        reasoning_effort: model.reasoning_effort.clone(),
        base_url: model.base_url.clone(),
        key_variable: model.api_key_env.clone(),
        metadata: model.metadata.clone().unwrap_or_default(),
        contestant: contestant(model)?,
    })
}

fn contestant(model: &StoredModel) -> Result<Contestant, Fault> {
    let model_id = ModelId::parse(&model.model_id).map_err(|e| Fault::field("model_id", e))?;
    for (field, text) in [
        ("provider", &model.provider),
        ("api_model_name", &model.api_model_name),
    ] {
        if text.trim().is_empty() {
            return Err(Fault::field(field, "must not be blank"));
        }
    }
    if model.retired_at_utc.is_some() && model.retirement_reason.is_none() {
        let text = "is required with retired_at_utc";
        return Err(Fault::field("retirement_reason", text));
    }
    if model.successor_model_id.as_deref() == Some(model_id.as_str()) {
        return Err(Fault::field("successor_model_id", "must be another model"));
    }
    Ok(Contestant {
        model_id,
        provider: model.provider.trim().to_owned(),
        api_model_name: model.api_model_name.trim().to_owned(),
        enabled: model.enabled.unwrap_or(true),
        first_eligible_round: model.first_eligible_round.clone(),
        first_eligible_at: eligible_from(model.first_eligible_date_utc.as_deref())?,
        retired_at: model.retired_at_utc.clone(),
    })
}

/// A day means its first instant in UTC.
fn eligible_from(text: Option<&str>) -> Result<Option<WrittenInstant>, Fault> {
    let Some(text) = text.map(str::trim) else {
        return Ok(None);
    };
    let first = parse_day(text).map(|day| format!("{day}T00:00:00Z"));
    let wrong = || Fault::field("first_eligible_date_utc", "must be a day or an instant");
    let stamp = WrittenInstant::parse(first.as_deref().unwrap_or(text));
    stamp.map(Some).ok_or_else(wrong)
}
