//! The settings of a model's calls, under their present names or the older ones.

use std::time::Duration;

use capitalbench_core::asking::call_settings::{
    CallSettings, OmitWord, ReasoningSetting, TemperatureSetting,
};
use serde_json::Value;

use super::extra::{check_body, check_headers};
use super::stored::StoredModel;
use crate::disk::error::Fault;

/// The highest temperature that any provider takes.
const HOTTEST: f64 = 2.0;
/// Longest call that may be asked for.
const LONGEST_CALL: Duration = Duration::from_hours(1);

pub(super) fn call_settings(model: &StoredModel) -> Result<CallSettings, Fault> {
    let extra_body = model.extra_body.clone().unwrap_or_default();
    check_body(&extra_body)?;
    let extra_headers = model.extra_headers.clone().unwrap_or_default();
    check_headers(&extra_headers)?;
    Ok(CallSettings {
        schema_mode: model.schema_mode,
        temperature: model.temperature.as_ref().map(temperature).transpose()?,
        reasoning: reasoning(model)?,
        max_output_tokens: max_output_tokens(model)?,
        time_limit: time_limit(model)?.map(|limit| limit.as_secs_f64()),
        extra_body,
        extra_headers,
        served_models: names(model, "served_models", model.served_models.as_ref())?,
        routing: names(model, "routing", model.routing.as_ref())?,
    })
}

/// Refuses a setting that is given under both its names.
pub(super) fn refuse_both(new: &str, old: &str, both: bool) -> Result<(), Fault> {
    if both {
        let text = format!("is given twice, also under its older name {old}; keep {new}");
        return Err(Fault::field(new, text));
    }
    Ok(())
}

fn temperature(value: &Value) -> Result<TemperatureSetting, Fault> {
    match value {
        Value::String(word) if word == "omit" => Ok(TemperatureSetting::Omit(OmitWord::Omit)),
        value => value
            .as_f64()
            .filter(|number| (0.0..=HOTTEST).contains(number))
            .map(TemperatureSetting::Value)
            .ok_or_else(|| Fault::field("temperature", "must be a number from 0 to 2, or omit")),
    }
}

fn reasoning(model: &StoredModel) -> Result<Option<ReasoningSetting>, Fault> {
    let both = model.reasoning.is_some() && model.reasoning_effort.is_some();
    refuse_both("reasoning", "reasoning_effort", both)?;
    if let Some(word) = &model.reasoning_effort {
        return effort("reasoning_effort", word).map(Some);
    }
    let wrong = || {
        let text = "must be omit, off, on, a word such as low, {effort: WORD} or {budget: TOKENS}";
        Fault::field("reasoning", text)
    };
    let setting = match &model.reasoning {
        None => return Ok(None),
        Some(Value::Bool(true)) => ReasoningSetting::On,
        Some(Value::Bool(false)) => ReasoningSetting::Off,
        Some(Value::String(word)) => match word.as_str() {
            "omit" => ReasoningSetting::Omit,
            "off" => ReasoningSetting::Off,
            "on" => ReasoningSetting::On,
            word => effort("reasoning", word)?,
        },
        Some(Value::Object(fields)) if fields.len() == 1 => {
            match (fields.get("effort"), fields.get("budget")) {
                (Some(Value::String(word)), None) => effort("reasoning.effort", word)?,
                (None, Some(tokens)) => {
                    ReasoningSetting::Budget(tokens.as_u64().ok_or_else(wrong)?)
                }
                _ => return Err(wrong()),
            }
        }
        Some(_) => return Err(wrong()),
    };
    Ok(Some(setting))
}

/// An effort in the provider's word; older files write a budget as a number.
fn effort(field: &str, word: &str) -> Result<ReasoningSetting, Fault> {
    if let Ok(tokens) = word.parse() {
        return Ok(ReasoningSetting::Budget(tokens));
    }
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    if word.is_empty() || word.len() > 30 || !word.chars().all(is_letter) {
        let text = "must be one word in the provider's own term, such as low";
        return Err(Fault::field(field, text));
    }
    Ok(ReasoningSetting::Effort(word.to_owned()))
}

fn max_output_tokens(model: &StoredModel) -> Result<Option<u64>, Fault> {
    let (new, old) = (model.max_output_tokens, model.max_completion_tokens);
    let both = new.is_some() && old.is_some();
    refuse_both("max_output_tokens", "max_completion_tokens", both)?;
    if new == Some(0) {
        return Err(Fault::field("max_output_tokens", "must be above 0"));
    }
    if old == Some(0) {
        return Err(Fault::field("max_completion_tokens", "must be above 0"));
    }
    Ok(new.or(old))
}

fn time_limit(model: &StoredModel) -> Result<Option<Duration>, Fault> {
    let (new, old) = (&model.time_limit, model.max_wall_clock_seconds);
    let both = new.is_some() && old.is_some();
    refuse_both("time_limit", "max_wall_clock_seconds", both)?;
    let (field, seconds) = match (new, old) {
        (None, None) => return Ok(None),
        (Some(value), _) => ("time_limit", seconds(value)),
        (None, Some(seconds)) => ("max_wall_clock_seconds", Some(seconds)),
    };
    let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let fits = |limit: &Duration| !limit.is_zero() && *limit <= LONGEST_CALL;
    let wrong = || {
        let text = "must be above 0 and at most an hour, as seconds or as a text such as 90s or 3m";
        Fault::field(field, text)
    };
    limit.filter(fits).map(Some).ok_or_else(wrong)
}

fn seconds(value: &Value) -> Option<f64> {
    let Value::String(text) = value else {
        return value.as_f64();
    };
    let (number, unit) = match text.trim() {
        text if text.ends_with('s') => (&text[..text.len() - 1], 1.0),
        text if text.ends_with('m') => (&text[..text.len() - 1], 60.0),
        _ => return None,
    };
    let number: f64 = number.trim_end().parse().ok()?;
    Some(number * unit)
}

/// A list of names, at the top of the model or, in older files, inside its metadata.
fn names(
    model: &StoredModel,
    field: &str,
    given: Option<&Vec<String>>,
) -> Result<Vec<String>, Fault> {
    let older = model.metadata.as_ref().and_then(|data| data.get(field));
    let inside = format!("metadata.{field}");
    refuse_both(field, &inside, given.is_some() && older.is_some())?;
    let wrong = |field: &str| Fault::field(field, "must be a list of names, none of them blank");
    let (place, list) = match (given, older) {
        (Some(list), _) => (field, list.clone()),
        (None, Some(older)) => {
            let list = older.as_array().and_then(|all| {
                let texts = all.iter().map(|one| one.as_str().map(str::to_owned));
                texts.collect::<Option<Vec<_>>>()
            });
            (inside.as_str(), list.ok_or_else(|| wrong(&inside))?)
        }
        (None, None) => return Ok(Vec::new()),
    };
    if list.is_empty() || list.iter().any(|name| name.trim().is_empty()) {
        return Err(wrong(place));
    }
    Ok(list)
}
