//! An agent: an entrant that is asked at its address. What it may answer, and what is wrong with an
//! answer, in the words that its author reads.

use jiff::SignedDuration;

use crate::decision::portfolio::Holding;
use crate::decision::submission::Problem;
use crate::market::universe::Universe;
use crate::round::manifest::Manifest;
use crate::values::ids::{Digest, OptionId, RoundId};

use super::opening::problems;

/// The longest time that an agent may declare.
pub const LONGEST: SignedDuration = SignedDuration::from_hours(1);
/// The largest answer with its transcript, in bytes.
pub const LARGEST_ANSWER: usize = 4 << 20;
/// An answer that has begun must be complete so much later.
pub const COMPLETE_WITHIN: SignedDuration = SignedDuration::from_secs(30);
/// The most steps of a transcript.
pub const MOST_STEPS: usize = 2_000;

/// What a step of a transcript is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepKind {
    /// What the agent or its model wrote.
    Said,
    /// What a tool was asked or gave back.
    Tool,
}

/// One step on the way to a decision, as the agent tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptStep {
    pub kind: StepKind,
    /// The model or tool.
    pub name: Option<String>,
    pub text: String,
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentAnswer {
    pub portfolio: Vec<Holding>,
    pub transcript: Vec<TranscriptStep>,
}

/// What is wrong with an agent or its answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AgentFault {
    #[error("cannot be reached: {0}")]
    Unreachable(String),
    #[error(
        "gave no complete answer within {0} seconds, the time it declared; answer earlier, or declare \
         more, at most an hour"
    )]
    Late(u64),
    #[error(
        "began to answer and was not done {0} seconds later; decide first, then send the whole answer \
         at once"
    )]
    SlowDrip(u64),
    #[error("answered with more than {0} bytes; shorten the transcript")]
    Oversized(usize),
    #[error("broke the answer off in the middle")]
    Truncated,
    #[error("redirects to {to}{}; redirects are not followed: answer at the address itself", private(*is_private))]
    Redirect { to: String, is_private: Private },
    #[error("answered with status {status}{}; answer with 200", in_brackets(said))]
    Status { status: u16, said: String },
    #[error("answered with the content type {0:?}; it must be application/json")]
    ContentType(String),
    #[error("answered with bytes that are not UTF-8 text")]
    NotText,
    #[error("answered with text that is not one JSON object: {0}")]
    NotJson(String),
    #[error("repeats a member, so that two readers may see two answers: {0}")]
    Repeated(String),
    #[error("answered in another form: {0}")]
    Form(String),
    #[error("names the format {found:?}; this one is {expected:?}")]
    Format { found: String, expected: String },
    #[error("answers the round {found}, and was asked about {expected}")]
    WrongRound { found: String, expected: RoundId },
    #[error(
        "answers other inputs of the round than it was sent; copy inputs_sha256 of the question"
    )]
    OtherInputs,
    #[error("sends no transcript; it must tell at least one step on the way to the decision")]
    NoTranscript,
    #[error("sends a transcript of {0} steps; at most {MOST_STEPS} are read")]
    LongTranscript(usize),
    #[error("sends a step without text in the transcript: the {0}. one")]
    EmptyStep(usize),
    #[error("holds {0}, which is no option of this round")]
    UnknownOption(OptionId),
    #[error("holds {0} % in all; the percentages must add up to 100")]
    WrongSum(u64),
    #[error("breaks a rule of the round: {0}")]
    Rule(Problem),
}

/// Whether an address lies on a private network, as far as its text tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Private {
    Yes,
    No,
}

fn private(own: Private) -> &'static str {
    match own {
        Private::Yes => ", an address of a private network",
        Private::No => "",
    }
}

fn in_brackets(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    format!(" ({text})")
}

impl AgentFault {
    /// The word for machines.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => "unreachable",
            Self::Late(_) => "late",
            Self::SlowDrip(_) => "slow-drip",
            Self::Oversized(_) => "oversized",
            Self::Truncated => "truncated",
            Self::Redirect { .. } => "redirect",
            Self::Status { .. } => "status",
            Self::ContentType(_) => "content-type",
            Self::NotText => "not-text",
            Self::NotJson(_) => "not-json",
            Self::Repeated(_) => "repeated-member",
            Self::Form(_) => "form",
            Self::Format { .. } => "format",
            Self::WrongRound { .. } => "wrong-round",
            Self::OtherInputs => "other-inputs",
            Self::NoTranscript => "no-transcript",
            Self::LongTranscript(_) => "long-transcript",
            Self::EmptyStep(_) => "empty-step",
            Self::UnknownOption(_) => "unknown-option",
            Self::WrongSum(_) => "wrong-sum",
            Self::Rule(_) => "rule",
        }
    }
}

/// The round that an agent is asked about.
#[derive(Debug, Clone, Copy)]
pub struct AskedRound<'a> {
    pub manifest: &'a Manifest,
    pub universe: &'a Universe,
    /// The digest of its `hashes.json`.
    pub inputs: Digest,
}

/// Everything that is wrong with an answer of the right form, worst first; empty where it counts.
pub fn faults(
    answer: &AgentAnswer,
    said: (&str, Option<Digest>),
    round: AskedRound<'_>,
) -> Vec<AgentFault> {
    let mut found = Vec::new();
    let (named, inputs) = said;
    let expected = &round.manifest.round_id;
    if named != expected.as_str() {
        found.push(AgentFault::WrongRound {
            found: named.to_owned(),
            expected: expected.clone(),
        });
    } else if inputs != Some(round.inputs) {
        found.push(AgentFault::OtherInputs);
    }
    found.extend(transcript_faults(&answer.transcript));
    found.extend(portfolio_faults(&answer.portfolio, round));
    found
}

fn transcript_faults(steps: &[TranscriptStep]) -> Option<AgentFault> {
    if steps.is_empty() {
        return Some(AgentFault::NoTranscript);
    }
    if steps.len() > MOST_STEPS {
        return Some(AgentFault::LongTranscript(steps.len()));
    }
    let blank = steps.iter().position(|step| step.text.trim().is_empty());
    blank.map(|place| AgentFault::EmptyStep(place + 1))
}

/// The two faults that agents make most have words of their own; others are those of the round.
fn portfolio_faults(held: &[Holding], round: AskedRound<'_>) -> Vec<AgentFault> {
    let known = |id: &OptionId| round.universe.get(id).is_some();
    let strangers = held.iter().map(|holding| &holding.option_id);
    let mut found: Vec<AgentFault> = strangers
        .filter(|id| !known(id))
        .map(|id| AgentFault::UnknownOption(id.clone()))
        .collect();
    let sum: u64 = held
        .iter()
        .map(|holding| u64::from(holding.weight.get()))
        .sum();
    if sum != 10_000 {
        found.push(AgentFault::WrongSum(sum / 100));
    }
    if found.is_empty() {
        let rules = problems(held, round.manifest, round.universe).into_iter();
        found.extend(rules.map(AgentFault::Rule));
    }
    found
}
