//! A model configuration file → contestants.

use std::time::Duration;

use capitalbench_core::asking::call_settings::CallSettings;
use capitalbench_core::decision::submission::MODE;
use capitalbench_core::encoding::yaml::from_yaml;
use capitalbench_core::round::roster::Contestant;
use capitalbench_core::values::ids::ModelId;
use capitalbench_core::values::time::{WrittenInstant, parse_day};
use serde_json::Value;

use self::calls::{call_settings, refuse_both};
use self::stored::{Stored, StoredModel, refuse_unknown_fields};
use crate::disk::error::Fault;
use crate::format::utf8;

mod calls;
mod extra;
mod stored;

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
    /// The name that readers see, unless it is the id.
    pub display_name: Option<String>,
    /// The model whose record this one continues.
    pub continues: Option<ModelId>,
    /// The mode of the call; today every round has the same one.
    pub mode: String,
    /// What the file says about the calls; the table of families fills what it leaves open.
    pub settings: CallSettings,
    /// Longest reply in tokens.
    pub max_output_tokens: u64,
    /// Longest call.
    pub time_limit: Duration,
    /// Address of the endpoint, unless it is the provider's own.
    pub base_url: Option<String>,
    /// Environment variable of the key, unless it is the provider's usual one.
    pub key_variable: Option<String>,
    /// Further settings for the adapter.
    pub metadata: Value,
}

/// The names of all fields that a model may have.
pub fn field_names() -> &'static [&'static str] {
    &stored::FIELDS
}

/// Reads the contestants in file order; unknown keys and repeated ids are refused.
pub fn parse(bytes: &[u8]) -> Result<Vec<Contestant>, Fault> {
    let settings = parse_settings(bytes)?.into_iter();
    Ok(settings.map(|settings| settings.contestant).collect())
}

/// Reads the contestants with the settings of their calls.
pub fn parse_settings(bytes: &[u8]) -> Result<Vec<ModelSettings>, Fault> {
    let text = utf8(bytes)?;
    refuse_unknown_fields(text)?;
    let stored: Stored = from_yaml(text)?;
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
    refuse_circles(&all)?;
    Ok(all)
}

/// Refuses models that continue each other's records: a record has a beginning.
fn refuse_circles(models: &[ModelSettings]) -> Result<(), Fault> {
    for (index, model) in models.iter().enumerate() {
        let mut next = model.continues.as_ref();
        for _ in models {
            let Some(id) = next else { break };
            if *id == model.contestant.model_id {
                let text = format!("{id} would continue its own record by way of other models");
                return Err(Fault::field(format!("models.{index}.continues"), text));
            }
            let before = models.iter().find(|other| other.contestant.model_id == *id);
            next = before.and_then(|other| other.continues.as_ref());
        }
    }
    Ok(())
}

fn settings(model: &StoredModel) -> Result<ModelSettings, Fault> {
    let contestant = contestant(model)?;
    let settings = call_settings(model)?;
    let time_limit = settings.time_limit.map(Duration::from_secs_f64);
    if model.display_name.as_deref().is_some_and(is_no_name) {
        let text = "must be one line of at most 80 characters";
        return Err(Fault::field("display_name", text));
    }
    if model.api_key_env.as_deref().is_some_and(is_no_variable) {
        // The text may be a key, so the message does not repeat it.
        let text = "must name an environment variable, such as OPENAI_API_KEY; the key itself \
                    belongs into .env";
        return Err(Fault::field("api_key_env", text));
    }
    Ok(ModelSettings {
        display_name: model.display_name.clone(),
        continues: continued(model, &contestant.model_id)?,
        mode: model.mode.clone().unwrap_or_else(|| MODE.to_owned()),
        max_output_tokens: settings.max_output_tokens.unwrap_or(OUTPUT_TOKENS),
        time_limit: time_limit.unwrap_or(TIME_LIMIT),
        base_url: model.base_url.clone(),
        key_variable: model.api_key_env.clone(),
        metadata: model.metadata.clone().unwrap_or_default(),
        settings,
        contestant,
    })
}

fn is_no_name(name: &str) -> bool {
    name.trim().is_empty() || name.chars().count() > 80 || name.chars().any(char::is_control)
}

fn is_no_variable(name: &str) -> bool {
    let known = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() || !name.chars().all(known)
}

fn continued(model: &StoredModel, own: &ModelId) -> Result<Option<ModelId>, Fault> {
    let Some(text) = &model.continues else {
        return Ok(None);
    };
    let id = ModelId::parse(text).map_err(|error| Fault::field("continues", error))?;
    if id == *own {
        let text =
            format!("{own} cannot continue its own record; name another model or leave it out");
        return Err(Fault::field("continues", text));
    }
    Ok(Some(id))
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
    let both = model.retired_on.is_some() && model.retired_at_utc.is_some();
    refuse_both("retired_on", "retired_at_utc", both)?;
    let retired = match &model.retired_on {
        None => model.retired_at_utc.clone(),
        Some(day) => Some(
            first_instant(day)
                .ok_or_else(|| Fault::field("retired_on", "must be a day such as 2026-12-01"))?,
        ),
    };
    Ok(Contestant {
        model_id,
        provider: model.provider.trim().to_owned(),
        api_model_name: model.api_model_name.trim().to_owned(),
        enabled: model.enabled.unwrap_or(true),
        first_eligible_round: model.first_eligible_round.clone(),
        first_eligible_at: eligible_from(model.first_eligible_date_utc.as_deref())?,
        retired_at: retired,
    })
}

/// A day means its first instant in UTC.
fn first_instant(day: &str) -> Option<WrittenInstant> {
    let day = parse_day(day.trim())?;
    WrittenInstant::parse(&format!("{day}T00:00:00Z"))
}

fn eligible_from(text: Option<&str>) -> Result<Option<WrittenInstant>, Fault> {
    let Some(text) = text.map(str::trim) else {
        return Ok(None);
    };
    let wrong = || Fault::field("first_eligible_date_utc", "must be a day or an instant");
    let stamp = first_instant(text).or_else(|| WrittenInstant::parse(text));
    stamp.map(Some).ok_or_else(wrong)
}

#[cfg(test)]
mod tests;
