//! [`Message`]: what a league tells whoever asked to be told. Nothing in it is a secret.

use jiff::Timestamp;
use serde::Serialize;

use crate::values::words::words;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MessageKind {
    Opened,
    Asked,
    SlotFailed,
    Accepted,
    Voided,
    Abandoned,
    Resolved,
    /// A round should have had its result a day ago.
    Overdue,
    DiskShort,
    PlanShort,
    /// Something else that needs the operator.
    Problem,
}

words!(MessageKind {
    Opened => "opened",
    Asked => "asked",
    SlotFailed => "slot_failed",
    Accepted => "accepted",
    Voided => "voided",
    Abandoned => "abandoned",
    Resolved => "resolved",
    Overdue => "overdue",
    DiskShort => "disk_short",
    PlanShort => "plan_short",
    Problem => "problem",
});

/// One message, as it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    /// The version of this form.
    pub format: &'static str,
    /// The same however often the message is sent, so that a receiver can drop a second copy.
    pub id: String,
    pub kind: &'static str,
    pub league: String,
    /// Whether no provider was called and the market is invented.
    pub rehearsal: bool,
    pub round: Option<String>,
    /// Of the slot that failed.
    pub model: Option<String>,
    pub at_utc: String,
    /// The whole message in one sentence.
    pub text: String,
}

/// What a message is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    pub kind: MessageKind,
    pub round: Option<String>,
    pub model: Option<String>,
    pub at: Timestamp,
    pub text: String,
}

impl Subject {
    /// Names the message; a problem that lasts is told once a day.
    pub fn id(&self) -> String {
        let day = self.at.to_string()[..10].to_owned();
        let lasts = matches!(
            self.kind,
            MessageKind::DiskShort
                | MessageKind::PlanShort
                | MessageKind::Problem
                | MessageKind::Overdue
        );
        let parts = [
            Some(self.kind.as_str().to_owned()),
            self.round.clone(),
            self.model.clone(),
            lasts.then_some(day),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        parts.join("-").replace(|c: char| !is_plain(c), "_")
    }
}

/// Whether a file name may hold the character.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

#[cfg(test)]
mod tests;
