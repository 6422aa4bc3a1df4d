//! [`MissingAnswer`]: a model of an accepted run that gave no valid answer, and why.

use serde::{Deserialize, Serialize};

use super::attempt::{AttemptStatus, Reason};
use crate::values::ids::ModelId;

/// One model without a valid answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MissingAnswer {
    pub model_id: ModelId,
    #[serde(rename = "reason")]
    pub why: NoAnswer,
}

/// Why a model gave no valid answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum NoAnswer {
    /// How its last attempt ended; the deadline where it was never asked.
    Ended(Reason),
    /// The program stopped during its last attempt, so nobody saw how that ended.
    Unseen,
}

/// The stored word of an attempt that nobody saw the end of.
const UNSEEN: &str = "unknown";

impl NoAnswer {
    /// Why these attempts of a slot brought no valid answer; none where one did.
    pub fn of(attempts: &[AttemptStatus]) -> Option<Self> {
        if attempts.contains(&AttemptStatus::Valid) {
            return None;
        }
        Some(match attempts.last() {
            None => Self::Ended(Reason::Deadline),
            Some(last) => last.reason().map_or(Self::Unseen, Self::Ended),
        })
    }

    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ended(reason) => reason.as_str(),
            Self::Unseen => UNSEEN,
        }
    }

    /// Reads the stored word.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            UNSEEN => Some(Self::Unseen),
            word => Reason::parse(word).map(Self::Ended),
        }
    }

    /// The reason for readers, after "no valid answer:".
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Unseen => "the program stopped during the call",
            Self::Ended(reason) => meaning(reason),
        }
    }
}

fn meaning(reason: Reason) -> &'static str {
    match reason {
        Reason::Transport => "the connection broke",
        Reason::Unreachable => "the provider could not be reached",
        Reason::Timeout => "no complete answer came in time",
        Reason::RateLimit => "the provider asked to wait",
        Reason::Server => "the provider's server failed",
        Reason::Overloaded => "the provider was overloaded",
        Reason::Quota => "the allowance was used up",
        Reason::Key => "the provider refused the key",
        Reason::NoModel => "the provider does not offer the model",
        Reason::Request => "the provider refused the request",
        Reason::Unreadable => "the answer could not be read",
        Reason::Truncated => "the token limit cut the reply off",
        Reason::Empty => "the reply was empty",
        Reason::Malformed => "the reply held no single object",
        Reason::Schema => "the reply did not have the asked form",
        Reason::Rules => "the decision broke a rule",
        Reason::Refusal => "refused",
        Reason::Filter => "a content filter cut the reply off",
        Reason::Tool => "the model asked for a tool",
        Reason::OtherModel => "another model answered",
        Reason::Deadline => "the deadline came first",
    }
}

impl TryFrom<String> for NoAnswer {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("{text:?} is not a reason for a missing answer"))
    }
}

impl From<NoAnswer> for String {
    fn from(why: NoAnswer) -> Self {
        why.as_str().to_owned()
    }
}

#[cfg(test)]
mod tests;
