//! How one model is asked: what the models file says, and what a request then held.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::values::words::words;

/// What the models file says about the calls of one model; it is frozen in `slots.json` before the
/// first call. What the file leaves open follows from the table of model families.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CallSettings {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema_mode: Option<SchemaMode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<TemperatureSetting>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<ReasoningSetting>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u64>,
    /// Longest call in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<f64>,
    /// Further fields of the request body; they win over what the adapter writes.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra_body: Map<String, Value>,
    /// Further headers of the request; never secrets.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub extra_headers: BTreeMap<String, String>,
    /// Other names under which the requested model may answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub served_models: Vec<String>,
    /// The only hosts to which a router may pass the request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub routing: Vec<String>,
}

impl CallSettings {
    /// Whether the models file leaves everything to the table.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// How the form of a reply is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SchemaMode {
    /// The schema goes out in the provider's dialect.
    Full,
    /// The provider promises JSON; the prompt alone tells the form.
    Json,
    /// The prompt alone tells the form.
    None,
}

words!(SchemaMode {
    Full => "full",
    Json => "json",
    None => "none",
});

/// A temperature, or the wish to send none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TemperatureSetting {
    Value(f64),
    Omit(OmitWord),
}

/// The word `omit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OmitWord {
    Omit,
}

/// How much a model may think before it answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReasoningSetting {
    /// Nothing about reasoning is sent; the provider's default applies.
    Omit,
    Off,
    On,
    /// The provider's own word, such as `low`.
    Effort(String),
    /// At most so many tokens of reasoning.
    Budget(u64),
}

impl fmt::Display for ReasoningSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Omit => f.write_str("omit"),
            Self::Off => f.write_str("off"),
            Self::On => f.write_str("on"),
            Self::Effort(word) => write!(f, "effort {word}"),
            Self::Budget(tokens) => write!(f, "budget {tokens}"),
        }
    }
}

/// What one request asked for; recorded in `begun.json` before the request leaves.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// The model's name on the wire.
    pub api_model_name: String,
    /// `full`, `json` or `none`.
    pub schema_mode: String,
    /// None when no temperature was sent.
    pub temperature: Option<f64>,
    /// Such as `off`, `on`, `effort low` or `budget 1024`; none when nothing was sent about it and
    /// it is not known what the model then does.
    pub reasoning: Option<String>,
    pub max_output_tokens: u64,
    pub time_limit_seconds: f64,
    /// The tier asked for, where the provider has tiers.
    pub service_tier: Option<String>,
    /// The only hosts that a router may use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub routing: Vec<String>,
    /// The names of fields that the models file added to the body, and of headers that it added as
    /// `header NAME`; their values are in `slots.json`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra_fields: Vec<String>,
    /// Digest of the exact request body.
    pub body_sha256: String,
}

#[cfg(test)]
mod tests;
