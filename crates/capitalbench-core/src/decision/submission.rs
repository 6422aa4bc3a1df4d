//! A model's validated decision in a run, and the way from a payload to it.
//!
//! [`reply`] finds the object in a model's text, [`validate`] turns an object into a
//! [`Submission`] or lists every reason why it is not one.

use std::fmt;

use serde_json::{Map, Value};

use crate::asking::run::{RunKind, RunRules};
use crate::decision::judgment::{self, Slate};
use crate::decision::portfolio::{Holding, HoldingForecast};
use crate::market::universe::Universe;
use crate::round::manifest::{Manifest, SubmissionFormat};
use crate::round::methodology::Family;
use crate::values::ids::{ModelId, OptionId, RoundId};
use crate::values::units::BasisPoints;
use crate::values::words::words;

mod fields;
mod forecast_rules;
mod read;
pub mod reply;
mod rules;
pub mod schema;

pub(crate) use forecast_rules::mentions_link;
pub use read::MODE;
pub use rules::duplicates;
pub(crate) use rules::portfolio as portfolio_problems;

/// What the model chose.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Decision {
    /// One option, whole.
    SinglePick(OptionId),
    /// Holdings in submitted order.
    Portfolio(Vec<Holding>),
}

impl Decision {
    /// The decision as holdings; a single pick is one holding of everything.
    pub fn holdings(&self) -> Vec<Holding> {
        match self {
            Self::Portfolio(holdings) => holdings.clone(),
            Self::SinglePick(option_id) => vec![Holding {
                option_id: option_id.clone(),
                weight: BasisPoints::WHOLE,
                rationale: String::new(),
                forecast: HoldingForecast::default(),
            }],
        }
    }

    /// Every option held.
    pub fn option_ids(&self) -> Vec<&OptionId> {
        match self {
            Self::SinglePick(option_id) => vec![option_id],
            Self::Portfolio(holdings) => holdings.iter().map(|h| &h.option_id).collect(),
        }
    }

    /// Pick or portfolio.
    pub fn format(&self) -> SubmissionFormat {
        match self {
            Self::SinglePick(_) => SubmissionFormat::SinglePick,
            Self::Portfolio(_) => SubmissionFormat::Portfolio,
        }
    }
}

/// What the runner adds to a reply.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct RunFields {
    pub kind: Option<RunKind>,
    /// Which replicate, from 1.
    pub replicate_index: Option<u32>,
    pub replicate_count: Option<u32>,
    /// Counts for the official record.
    pub is_official_score: Option<bool>,
}

/// Members that the runner adds to a reply.
pub const RUN_FIELDS: [&str; 6] = [
    "run_type",
    "replicate_index",
    "replicate_count",
    "is_official_score",
    "usage",
    "cost_usd",
];

/// Tokens, cost and time of a call.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Usage {
    /// Tokens sent.
    pub input_tokens: Option<u64>,
    /// Tokens received.
    pub output_tokens: Option<u64>,
    /// Tokens spent on reasoning; a part of the output for some providers.
    pub reasoning_tokens: Option<u64>,
    /// All tokens.
    pub total_tokens: Option<u64>,
    /// Dollars.
    pub cost_usd: Option<f64>,
    pub latency_seconds: Option<f64>,
}

/// Portfolio-level forecasts in percentage points.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Forecast {
    pub reference_pct: Option<f64>,
    pub portfolio_pct: Option<f64>,
    /// Of the difference.
    pub alpha_pct: Option<f64>,
}

/// Whether a ledger candidate was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum LedgerDecision {
    /// In the portfolio.
    Selected,
    /// Considered and left out.
    Rejected,
}

words!(LedgerDecision {
    Selected => "selected",
    Rejected => "rejected",
});

/// One candidate of the ledger.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct LedgerEntry {
    /// The candidate.
    pub option_id: OptionId,
    /// Taken or not.
    pub decision: LedgerDecision,
    /// Low, base and high forecast in percentage points.
    pub forecast_pct: [f64; 3],
    /// One to three facts.
    pub evidence: Vec<String>,
    /// Why the trend goes on.
    pub continuation_case: String,
    /// Why it turns.
    pub reversal_case: String,
    /// What happens inside the window.
    pub time_window_catalyst: String,
    /// What would prove it wrong.
    pub invalidation_condition: String,
}

impl LedgerEntry {
    /// The base forecast.
    pub fn base_pct(&self) -> f64 {
        self.forecast_pct[1]
    }
}

/// A validated decision.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Submission {
    /// The round it answers.
    pub round_id: RoundId,
    /// Who answered.
    pub model_id: ModelId,
    /// Whose model it is.
    pub provider: String,
    /// How it was asked.
    pub mode: String,
    /// What it chose.
    pub decision: Decision,
    /// Stated confidence, 0 to 1.
    pub confidence: f64,
    /// Why, in short.
    pub rationale_summary: String,
    /// Why this portfolio.
    pub portfolio_rationale: Option<String>,
    /// What may go wrong.
    pub key_risks: Vec<String>,
    /// Portfolio-level forecasts.
    pub forecast: Forecast,
    /// Candidates considered.
    pub ledger: Option<Vec<LedgerEntry>>,
    /// Added by the runner.
    pub run: RunFields,
    /// Tokens and time.
    pub usage: Option<Usage>,
    /// Dollars.
    pub cost_usd: Option<f64>,
    /// Anything else that was kept, as given.
    pub metadata: Map<String, Value>,
}

impl Submission {
    /// The replicate, 1 where none is given.
    pub fn replicate(&self) -> u32 {
        self.run.replicate_index.unwrap_or(1)
    }
}

/// One reason why a payload is not a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Path of the field; empty when the whole is meant.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
}

impl Problem {
    /// A problem of one field.
    pub fn at(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            message: message.into(),
        }
    }

    /// A problem of the whole.
    pub fn whole(message: impl Into<String>) -> Self {
        Self::at("", message)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.field.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.field, self.message)
        }
    }
}

/// The frozen inputs a payload is checked against.
#[derive(Debug, Clone, Copy)]
pub struct RoundRules<'a> {
    /// Rules of the round.
    pub manifest: &'a Manifest,
    /// Options of the round.
    pub universe: &'a Universe,
    /// Candidates of a judgment round.
    pub slate: Option<&'a Slate>,
    pub run: RunRules,
}

/// Which file a payload comes from: a judgment round derives the portfolio from the raw one only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PayloadForm {
    /// The model's own object with the run fields.
    Raw,
    /// A file that was validated before.
    Parsed,
}

/// Turns a payload into a submission; the first step that fails reports all its problems.
pub fn validate(
    payload: &Value,
    stage: PayloadForm,
    rules: &RoundRules<'_>,
) -> Result<Submission, Vec<Problem>> {
    let object = payload
        .as_object()
        .ok_or_else(|| vec![Problem::whole("the payload is not a JSON object")])?;
    let submission = if rules.manifest.methodology.family() == Family::Judgment
        && stage == PayloadForm::Raw
    {
        let slate = rules.slate.ok_or_else(|| {
            vec![Problem::whole(
                "the round has no candidate slate: its decision context or quality evidence is missing",
            )]
        })?;
        let built = judgment::materialize(object, slate, rules.universe)?;
        read::read(&built, rules)?
    } else {
        read::read(object, rules)?
    };
    rules::check(&submission, rules)?;
    Ok(submission)
}

#[cfg(test)]
mod tests;
