//! A model configuration file → contestants.

use capitalbench_core::ids::ModelId;
use capitalbench_core::roster::Contestant;
use serde::Deserialize;

use super::manifest::stamp;
use super::utf8;
use crate::error::Fault;
use crate::yaml::from_yaml;

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
    enabled: Option<bool>,
    #[serde(rename = "mode")]
    _mode: Option<String>,
    #[serde(rename = "temperature")]
    _temperature: Option<f64>,
    #[serde(rename = "max_completion_tokens")]
    _max_completion_tokens: Option<u64>,
    #[serde(rename = "max_wall_clock_seconds")]
    _max_wall_clock_seconds: Option<f64>,
    #[serde(rename = "reasoning_effort")]
    _reasoning_effort: Option<String>,
    first_eligible_round: Option<String>,
    first_eligible_date_utc: Option<String>,
    #[serde(rename = "model_release_date")]
    _model_release_date: Option<String>,
    #[serde(rename = "notes")]
    _notes: Option<String>,
    #[serde(rename = "metadata")]
    _metadata: Option<serde_json::Value>,
    retired_at_utc: Option<String>,
    retirement_reason: Option<String>,
    successor_model_id: Option<String>,
}

/// Reads the contestants in file order; unknown keys and repeated ids are refused.
pub fn parse(bytes: &[u8]) -> Result<Vec<Contestant>, Fault> {
    let stored: Stored = from_yaml(utf8(bytes)?)?;
    let mut contestants: Vec<Contestant> = Vec::with_capacity(stored.models.len());
    for (index, model) in stored.models.into_iter().enumerate() {
        let contestant = contestant(model).map_err(|fault| Fault {
            field: fault.field.map(|field| format!("models.{index}.{field}")),
            ..fault
        })?;
        if contestants
            .iter()
            .any(|other| other.model_id == contestant.model_id)
        {
            let text = format!("{} appears twice", contestant.model_id);
            return Err(Fault::field(format!("models.{index}.model_id"), text));
        }
        contestants.push(contestant);
    }
    Ok(contestants)
}

fn contestant(model: StoredModel) -> Result<Contestant, Fault> {
    let model_id =
        ModelId::parse(&model.model_id).map_err(|e| Fault::field("model_id", e.to_string()))?;
    for (field, text) in [
        ("provider", &model.provider),
        ("api_model_name", &model.api_model_name),
    ] {
        if text.trim().is_empty() {
            return Err(Fault::field(field, "must not be blank"));
        }
    }
    if model.retired_at_utc.is_some() && model.retirement_reason.is_none() {
        return Err(Fault::field(
            "retirement_reason",
            "is required with retired_at_utc",
        ));
    }
    if model.successor_model_id.as_deref() == Some(model_id.as_str()) {
        return Err(Fault::field("successor_model_id", "must be another model"));
    }
    Ok(Contestant {
        model_id,
        provider: model.provider.trim().to_owned(),
        api_model_name: model.api_model_name.trim().to_owned(),
        enabled: model.enabled.unwrap_or(true),
        first_eligible_round: model.first_eligible_round,
        first_eligible_at: eligible_from(model.first_eligible_date_utc.as_deref())?,
        retired_at: stamp("retired_at_utc", model.retired_at_utc.as_deref())?,
    })
}

/// A day means its first instant.
fn eligible_from(text: Option<&str>) -> Result<Option<capitalbench_core::time::Stamp>, Fault> {
    match text {
        Some(day) if capitalbench_core::time::parse_day(day).is_some() => stamp(
            "first_eligible_date_utc",
            Some(&format!("{}T00:00:00Z", day.trim())),
        ),
        other => stamp("first_eligible_date_utc", other),
    }
}
