//! The documents that go to an agent and come back (docs/agent-protocol.md).

use capitalbench_core::decision::entering::agent::{
    AgentAnswer, AgentFault, AskedRound, LARGEST_ANSWER, LONGEST, StepKind, TranscriptStep, faults,
};
use capitalbench_core::decision::entering::times::Times;
use capitalbench_core::decision::portfolio::{Holding, HoldingForecast};
use capitalbench_core::market::universe::Listing;
use capitalbench_core::round::manifest::Stream;
use capitalbench_core::values::ids::{Digest, OptionId};
use capitalbench_core::values::units::BasisPoints;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::disk::error::{Fault, FileError};
use crate::disk::layout;
use crate::format::text::json;
use crate::format::utf8;
use crate::round::model_input::assembled;
use crate::round::round_folder::RoundInputs;

/// The member `format` of a question and of an answer.
pub const QUESTION: &str = "capitalbench-agent-question-v1";
pub const ANSWER: &str = "capitalbench-agent-answer-v1";
/// The content type of both.
pub const CONTENT_TYPE: &str = "application/json";

/// A frozen round as an agent is asked about it.
#[derive(Debug)]
pub struct AgentQuestion {
    pub inputs: RoundInputs,
    /// The digest of its `hashes.json`.
    pub digest: Digest,
    /// The text that models are sent.
    text: String,
    times: Times,
}

impl AgentQuestion {
    /// Reads a frozen round.
    pub fn of(inputs: RoundInputs) -> Result<Self, FileError> {
        let folder = &inputs.folder;
        let hashes = folder.read_optional(layout::HASHES)?;
        let unfrozen = || {
            let text = "is missing: only a frozen round can be asked";
            Fault::new(text).in_file(&folder.file(layout::HASHES))
        };
        let digest = Digest::of(&hashes.ok_or_else(unfrozen)?);
        let text = match folder.read_optional(layout::MODEL_INPUT)? {
            None => assembled(&inputs)?,
            Some(bytes) => {
                let file = folder.file(layout::MODEL_INPUT);
                let text = utf8(&bytes).map_err(|fault| fault.in_file(&file))?;
                text.to_owned()
            }
        };
        let times = Times::of(&inputs.manifest).ok_or_else(|| {
            Fault::new("has no window, so nobody can be asked in time")
                .in_file(&folder.file(layout::MANIFEST))
        })?;
        Ok(Self {
            inputs,
            digest,
            text,
            times,
        })
    }

    /// The deadline of everybody, and the close from which on answers may be seen.
    pub fn times(&self) -> Times {
        self.times
    }

    /// How long an agent has when it is asked at an instant: what it declared, at most an hour, and
    /// never beyond the deadline; none once that has passed.
    pub fn time_left(&self, declared: SignedDuration, now: Timestamp) -> Option<SignedDuration> {
        let left = self.times.deadline.duration_since(now);
        let own = declared.min(LONGEST).min(left);
        (own > SignedDuration::ZERO).then_some(own)
    }

    /// The document that is sent.
    pub fn to_bytes(&self, league: &str, now: Timestamp, time: SignedDuration) -> Vec<u8> {
        let manifest = &self.inputs.manifest;
        let limits = &manifest.constraints;
        let shown = self.inputs.universe.options().iter();
        let options = shown.filter(|option| option.listing == Listing::Shown);
        let options: Vec<Value> = options
            .map(|option| {
                json!({
                    "option_id": option.id,
                    "name": option.name,
                    "symbol": option.symbol,
                    "asset_class": option.asset_class,
                    "description": option.exposure_description,
                })
            })
            .collect();
        let by = now.checked_add(time).unwrap_or(now);
        let document = json!({
            "format": QUESTION,
            "league": league,
            "round_id": manifest.round_id,
            "inputs_sha256": self.digest.to_hex(),
            "synthetic": manifest.stream == Stream::Synthetic,
            "submission_format": manifest.format.as_str(),
            "asked_at_utc": now.to_string(),
            "answer_by_utc": by.to_string(),
            "time_limit_seconds": time.as_secs(),
            "decision_deadline_utc": self.times.deadline.to_string(),
            "entry_close_utc": self.times.opens.to_string(),
            "rules": {
                "min_holdings": limits.min_holdings,
                "max_holdings": limits.max_holdings,
                "increment_pct": limits.increment_pct,
                "min_allocation_pct": limits.min_allocation_pct,
                "allow_cash": limits.allow_cash,
                "allow_reference": limits.allow_reference,
                "max_exposure_pct": manifest.exposure_cap_pct(),
            },
            "options": options,
            "model_input": self.text,
        });
        json::to_pretty(&document).into_bytes()
    }

    /// Judges what came back with status 200.
    pub fn judge(&self, content_type: &str, body: &[u8]) -> Result<AgentAnswer, Vec<AgentFault>> {
        let essence = content_type.split(';').next().unwrap_or_default().trim();
        if !essence.eq_ignore_ascii_case(CONTENT_TYPE) {
            return Err(vec![AgentFault::ContentType(content_type.to_owned())]);
        }
        self.judge_body(body)
    }

    /// The same for a stored answer.
    pub fn judge_body(&self, body: &[u8]) -> Result<AgentAnswer, Vec<AgentFault>> {
        let told = read_answer(body).map_err(|fault| vec![fault])?;
        let round = AskedRound {
            manifest: &self.inputs.manifest,
            universe: &self.inputs.universe,
            inputs: self.digest,
        };
        match faults(&told.answer, (&told.round_id, told.inputs), round) {
            found if found.is_empty() => Ok(told.answer),
            found => Err(found),
        }
    }
}

/// The bytes of a transcript that the log seals: its steps in the archive's own JSON.
pub fn transcript_bytes(steps: &[TranscriptStep]) -> Vec<u8> {
    let steps: Vec<StoredStep> = steps.iter().map(stored_step).collect();
    let value = serde_json::to_value(steps).unwrap_or_default();
    json::to_line(&value).into_bytes()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    /// Compared before anything else is read.
    #[serde(rename = "format")]
    _format: String,
    round_id: String,
    inputs_sha256: String,
    portfolio: Vec<StoredHolding>,
    #[serde(default)]
    transcript: Vec<StoredStep>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredHolding {
    option_id: OptionId,
    allocation_pct: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredStep {
    kind: StoredKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    text: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredKind {
    Said,
    Tool,
}

/// An answer of the right form, and what it says that it answers.
#[derive(Debug, Clone, PartialEq)]
pub struct ToldAnswer {
    pub round_id: String,
    pub inputs: Option<Digest>,
    pub answer: AgentAnswer,
}

/// Reads the object, strictly; whatever two readers might read differently is refused.
pub fn read_answer(body: &[u8]) -> Result<ToldAnswer, AgentFault> {
    let stored = read(body)?;
    Ok(ToldAnswer {
        inputs: Digest::parse(&stored.inputs_sha256),
        round_id: stored.round_id,
        answer: AgentAnswer {
            portfolio: stored.portfolio.into_iter().map(holding).collect(),
            transcript: stored.transcript.into_iter().map(step).collect(),
        },
    })
}

fn read(body: &[u8]) -> Result<Stored, AgentFault> {
    if body.len() > LARGEST_ANSWER {
        return Err(AgentFault::Oversized(LARGEST_ANSWER));
    }
    if str::from_utf8(body).is_err() {
        return Err(AgentFault::NotText);
    }
    let value = json::parse(body).map_err(|error| {
        let text = error.to_string();
        if text.contains("repeats the key") {
            AgentFault::Repeated(text)
        } else {
            AgentFault::NotJson(text)
        }
    })?;
    if !value.is_object() {
        return Err(AgentFault::NotJson("it is not an object".to_owned()));
    }
    // The format first: an answer of another one may have any members.
    let format = value.get("format").and_then(Value::as_str);
    if let Some(found) = format.filter(|found| *found != ANSWER) {
        return Err(AgentFault::Format {
            found: found.to_owned(),
            expected: ANSWER.to_owned(),
        });
    }
    serde_json::from_value(value).map_err(|error| AgentFault::Form(error.to_string()))
}

fn holding(stored: StoredHolding) -> Holding {
    Holding {
        option_id: stored.option_id,
        weight: BasisPoints::from_percent(stored.allocation_pct.min(1_000_000)),
        rationale: String::new(),
        forecast: HoldingForecast::default(),
    }
}

fn step(stored: StoredStep) -> TranscriptStep {
    TranscriptStep {
        kind: match stored.kind {
            StoredKind::Said => StepKind::Said,
            StoredKind::Tool => StepKind::Tool,
        },
        name: stored.name,
        text: stored.text,
    }
}

fn stored_step(own: &TranscriptStep) -> StoredStep {
    StoredStep {
        kind: match own.kind {
            StepKind::Said => StoredKind::Said,
            StepKind::Tool => StoredKind::Tool,
        },
        name: own.name.clone(),
        text: own.text.clone(),
    }
}
