//! Attempts: who is asked how often, what became of each call, and when it may be repeated.
//!
//! A call is repeated only when trouble of transport, server or form left no decision. What was
//! picked, how sure the model was and how well it argued are never grounds.

use crate::round::methodology::Family;
use crate::values::ids::ModelId;

/// One answer that a run wants: a model and a replicate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot {
    /// Who is asked.
    pub model_id: ModelId,
    /// Which replicate, from 1.
    pub replicate: u32,
}

impl Slot {
    /// The stem of the slot's files; runs with several replicates number them.
    pub fn stem(&self, replicates: u32) -> String {
        let stem = self.model_id.file_stem();
        if replicates > 1 {
            format!("{stem}__replicate_{:03}", self.replicate)
        } else {
            stem
        }
    }
}

/// Why an attempt brought no valid decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The connection broke after the request may have left.
    Transport,
    /// No connection came about, so nothing was sent.
    Unreachable,
    /// No complete answer in time.
    Timeout,
    /// The server asked to wait.
    RateLimit,
    /// The server failed.
    Server,
    /// The server was too busy to begin.
    Overloaded,
    /// An allowance is used up that does not come back within minutes.
    Quota,
    /// The key was refused.
    Key,
    /// The provider does not offer a model of this name.
    NoModel,
    /// The request was refused.
    Request,
    /// The answer is not of the provider's form.
    Unreadable,
    /// The token limit cut the reply off.
    Truncated,
    /// The reply is empty.
    Empty,
    /// The reply holds no single object.
    Malformed,
    /// The object is not of the asked form.
    Schema,
    /// The object breaks a rule about what was picked or forecast.
    Rules,
    /// The model or its provider refused.
    Refusal,
    /// A content filter cut the reply off.
    Filter,
    /// A tool was asked for although none was offered.
    Tool,
    /// Another model than the requested one answered.
    OtherModel,
    /// The decision deadline came first.
    Deadline,
}

/// Every reason with its stored word and whether a call may be repeated for it.
const REASONS: [(Reason, &str, bool); 21] = [
    (Reason::Transport, "transport", true),
    (Reason::Unreachable, "unreachable", true),
    (Reason::Timeout, "timeout", true),
    (Reason::RateLimit, "rate_limit", true),
    (Reason::Server, "server", true),
    (Reason::Overloaded, "overloaded", true),
    (Reason::Quota, "quota", false),
    (Reason::Key, "key", false),
    (Reason::NoModel, "no_model", false),
    (Reason::Request, "request", false),
    (Reason::Unreadable, "unreadable", true),
    (Reason::Truncated, "truncated", true),
    (Reason::Empty, "empty", true),
    (Reason::Malformed, "malformed", true),
    (Reason::Schema, "schema", true),
    (Reason::Rules, "rules", false),
    (Reason::Refusal, "refusal", false),
    (Reason::Filter, "filter", false),
    (Reason::Tool, "tool", false),
    (Reason::OtherModel, "other_model", false),
    (Reason::Deadline, "deadline", false),
];

impl Reason {
    /// The stored word.
    pub fn as_str(self) -> &'static str {
        let found = REASONS.iter().find(|(reason, ..)| *reason == self);
        found.map_or("", |(_, word, _)| word)
    }

    /// Reads the stored word.
    pub fn parse(text: &str) -> Option<Self> {
        let found = REASONS.iter().find(|(_, word, _)| *word == text);
        found.map(|(reason, ..)| *reason)
    }

    /// Whether the retry rule names it.
    pub fn allows_retry(self) -> bool {
        REASONS
            .iter()
            .any(|(reason, _, allowed)| *reason == self && *allowed)
    }

    /// Whether the request was turned away before anything was generated: such an attempt costs
    /// nothing and reveals nothing.
    pub fn is_rejection(self) -> bool {
        use Reason::{Key, NoModel, Overloaded, Quota, RateLimit, Request, Unreachable};
        matches!(
            self,
            Unreachable | RateLimit | Overloaded | Quota | Key | NoModel | Request
        )
    }

    /// Why a well-formed object is no submission: under rules about forecasts and exposures the
    /// form and the pick cannot be told apart, so a call is not repeated there.
    pub fn of_refused_object(family: Family) -> Self {
        match family {
            Family::Plain => Self::Schema,
            _ => Self::Rules,
        }
    }
}

/// What became of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptStatus {
    /// The call began, but its end was never recorded: the program stopped in between.
    Unknown,
    /// A valid decision.
    Valid,
    /// A reply that is no valid decision, with everything that is wrong with it.
    Invalid {
        /// The first cause.
        reason: Reason,
        /// All problems.
        problems: Vec<String>,
    },
    /// No reply.
    Failed {
        /// The cause.
        reason: Reason,
        /// In words, without keys.
        message: String,
    },
}

impl AttemptStatus {
    /// The stored word.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Valid => "valid",
            Self::Invalid { .. } => "invalid",
            Self::Failed { .. } => "failed",
        }
    }

    /// The cause, where there is one.
    pub fn reason(&self) -> Option<Reason> {
        match self {
            Self::Unknown | Self::Valid => None,
            Self::Invalid { reason, .. } | Self::Failed { reason, .. } => Some(*reason),
        }
    }

    /// What went wrong, in words; none when nothing did.
    pub fn error(&self) -> Option<String> {
        match self {
            Self::Valid => None,
            Self::Unknown => Some("the outcome of the call is unknown".to_owned()),
            Self::Invalid { reason, problems } => {
                Some(format!("{}: {}", reason.as_str(), problems.join("; ")))
            }
            Self::Failed { reason, message } => {
                let word = format!("{}: ", reason.as_str());
                // Some messages begin with the word themselves.
                let message = message.strip_prefix(&word).unwrap_or(message);
                Some(format!("{word}{message}"))
            }
        }
    }
}

/// Whether a slot may be asked again after these attempts, at most `max_retries` times in all.
pub fn may_retry(attempts: &[AttemptStatus], max_retries: u32) -> bool {
    let Some(last) = attempts.last() else {
        return true;
    };
    let left = attempts.len() <= max_retries as usize;
    let ended = attempts.contains(&AttemptStatus::Valid);
    let allowed = last.reason().is_none_or(Reason::allows_retry);
    left && allowed && !ended
}

#[cfg(test)]
mod tests;
