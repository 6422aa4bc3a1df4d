//! Attempts: who is asked how often, what became of each call, and when it may be repeated.
//!
//! A call is repeated only when trouble of transport, server or form left no decision. What was
//! picked, how sure the model was and how well it argued are never grounds. A call that was turned
//! away before anything was generated is a rejection: it uses up no retry, and its slot can be asked
//! again once the operator has repaired the cause.

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
        self.heals_by_waiting() || self.needs_repair() || self == Self::Request
    }

    /// A rejection that another attempt may get past without anybody doing something.
    pub fn heals_by_waiting(self) -> bool {
        matches!(self, Self::Unreachable | Self::RateLimit | Self::Overloaded)
    }

    /// A rejection that every attempt meets until the operator has repaired its cause.
    pub fn needs_repair(self) -> bool {
        matches!(self, Self::Key | Self::Quota | Self::NoModel)
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

    /// Whether the request was turned away before anything was generated.
    pub fn is_rejection(&self) -> bool {
        self.reason().is_some_and(Reason::is_rejection)
    }

    /// Whether a request may have been answered without anybody seeing the answer: what it cost and
    /// what it said is not known.
    pub fn is_unseen(&self) -> bool {
        use Reason::{Deadline, Timeout, Transport};
        match self {
            Self::Unknown => true,
            Self::Valid | Self::Invalid { .. } => false,
            Self::Failed { reason, .. } => matches!(reason, Transport | Timeout | Deadline),
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

/// Rejections of a slot that heal by waiting are repeated at least so often by one process.
const REPEATED_REJECTIONS: usize = 5;

/// What may be done next for a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// It may be asked.
    Ask,
    /// This process asks no more; another one may, after a repair or a wait.
    Leave(Reason),
    /// It is never asked again.
    End,
}

/// The retry rule: what may be done next after these attempts, of which `earlier` were made before
/// this process began.
///
/// A valid answer ends the asking, and so does one that a repeated call must not replace. Attempts
/// that may have generated something are repeated at most `max_retries` times in all; rejections are
/// not counted there. One process repeats a rejection that heals by waiting a few times, and one that
/// needs a repair never.
pub fn next_step(attempts: &[AttemptStatus], earlier: usize, max_retries: u32) -> Next {
    let is_final = |status: &AttemptStatus| {
        let reason = status.reason();
        reason.is_some_and(|own| !own.allows_retry() && !own.needs_repair())
    };
    if attempts.contains(&AttemptStatus::Valid) || attempts.iter().any(is_final) {
        return Next::End;
    }
    let max_retries = max_retries as usize;
    if counted(attempts) > max_retries {
        return Next::End;
    }
    let now = attempts.get(earlier..).unwrap_or_default();
    let Some(reason) = now.last().and_then(AttemptStatus::reason) else {
        return Next::Ask;
    };
    let rejections = now.iter().filter(|status| status.is_rejection()).count();
    let is_tired = rejections > REPEATED_REJECTIONS.max(max_retries);
    if reason.needs_repair() || (reason.heals_by_waiting() && is_tired) {
        return Next::Leave(reason);
    }
    Next::Ask
}

/// Attempts that may have generated something; these use up the retries of a slot.
pub fn counted<'a>(attempts: impl IntoIterator<Item = &'a AttemptStatus>) -> usize {
    let attempts = attempts.into_iter();
    attempts.filter(|status| !status.is_rejection()).count()
}

#[cfg(test)]
mod tests;
