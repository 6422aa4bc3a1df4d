//! `replay.json`: what models answered to a frozen round after everybody knew how it ended.
//!
//! Its type is none that an acceptance, a board, a site or a database reads, so no replay can become
//! the record, whatever its file is called and wherever it lies.

use capitalbench_core::values::ids::{Digest, ModelId, OptionId, RoundId, RunId};
use capitalbench_core::values::time::WrittenInstant;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::disk::error::Fault;
use crate::format::stored::FormatVersion;
use crate::format::text::json;

/// The member `after_the_fact`, which is always true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AfterTheFact;

impl Serialize for AfterTheFact {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bool(true)
    }
}

impl<'de> Deserialize<'de> for AfterTheFact {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let is_after = bool::deserialize(from)?;
        let wrong = "after_the_fact must be true: a replay is never anything else";
        is_after
            .then_some(Self)
            .ok_or_else(|| serde::de::Error::custom(wrong))
    }
}

/// A round that was asked again, beside its record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    pub replay: FormatVersion<1>,
    pub after_the_fact: AfterTheFact,
    pub round_id: RoundId,
    /// The folder, bundle or address that the round was taken from.
    pub source: String,
    /// What `verify` said of it.
    pub verdict: String,
    /// Digest of the frozen digests.
    pub freeze_sha256: Digest,
    /// Digest of the frozen text that was sent, before the lines that name a model.
    pub input_sha256: Digest,
    pub asked_at_utc: WrittenInstant,
    pub program: String,
    /// Whether mock models answered.
    pub mock: bool,
    /// What the calls cost; none where a price is unknown.
    pub cost_usd: Option<f64>,
    pub models: Vec<Asked>,
    pub record: Beside,
}

/// One model that was asked after the fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    pub model_id: ModelId,
    pub provider: String,
    pub api_model_name: String,
    /// Its figures, or why it has none.
    pub figures: Option<Figures>,
    pub reason: Option<String>,
}

/// The figures of a valid answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    pub holdings: Vec<Part>,
    pub return_fraction: f64,
    pub alpha_fraction: f64,
    pub score: Option<f64>,
    pub score_reason: Option<String>,
    /// The place it would have had among the models of the record, counted from 1.
    pub place: usize,
    /// Those models and itself.
    pub of: usize,
    /// Share of random portfolios below it.
    pub random_percentile_fraction: Option<f64>,
    pub cost_usd: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    pub option_id: OptionId,
    pub weight_bps: u32,
}

/// The record of the round, for comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Beside {
    pub run_id: RunId,
    pub reference_fraction: f64,
    pub oracle_fraction: Option<f64>,
    pub models: Vec<Row>,
    pub controls: Vec<Row>,
    /// How far repeated answers of one model lie apart.
    pub consistency: Vec<Spread>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub model_id: ModelId,
    pub return_fraction: f64,
    pub alpha_fraction: f64,
    pub score: Option<f64>,
    pub random_percentile_fraction: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spread {
    pub model_id: ModelId,
    pub answers: usize,
    pub worst_fraction: f64,
    pub best_fraction: f64,
}

pub fn parse(bytes: &[u8]) -> Result<Replay, Fault> {
    json::read(bytes)
}

pub fn render(replay: &Replay) -> String {
    json::render(replay)
}
