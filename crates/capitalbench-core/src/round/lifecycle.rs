//! Where a round stands. Nothing here has a field for a figure: those are made by scoring alone.

use jiff::{SignedDuration, Timestamp};

use crate::round::ending::Ending;
use crate::round::manifest::Window;

/// How an open round relates to its exit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Due {
    /// The exit close is less than a day ago, has not come, or is not known.
    NotYet,
    /// The exit close was a day ago or more, and nothing is scored.
    Overdue,
}

/// How long after the exit close a result may take: rows are final some hours after the close, and
/// a worker may need several attempts.
const GRACE: SignedDuration = SignedDuration::from_hours(24);

/// The instant from which on a round without a result is overdue. Status, verification, boards and
/// site all ask here, so that the word has one meaning.
pub fn overdue_from(exit_close: Timestamp) -> Timestamp {
    exit_close.checked_add(GRACE).unwrap_or(Timestamp::MAX)
}

/// Whether an open round should have been scored by this instant.
pub fn due(window: Option<Window>, now: Timestamp) -> Due {
    match window.and_then(Window::exit_close) {
        Some(close) if now >= overdue_from(close) => Due::Overdue,
        _ => Due::NotYet,
    }
}

/// Where a round is on its way, from the operator's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Inputs may still change.
    Draft,
    /// Inputs are frozen; no model has been asked.
    Frozen,
    /// Models were asked; no run is the record.
    Run,
    /// A run is the record; the window has not begun.
    Accepted,
    /// Between entry and exit.
    Pending,
    /// The exit close has passed within the last day.
    Due,
    /// The exit close passed a day ago or more.
    Overdue,
    /// Scored.
    Resolved,
    /// Ended without a record, by the operator or the failure policy.
    Voided,
    /// Ended without a record, because its deadline passed before the models were asked.
    Abandoned,
}

impl Stage {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Frozen => "frozen",
            Self::Run => "run",
            Self::Accepted => "accepted",
            Self::Pending => "pending",
            Self::Due => "due",
            Self::Overdue => "overdue",
            Self::Resolved => "resolved",
            Self::Voided => Ending::Voided.as_str(),
            Self::Abandoned => Ending::Abandoned.as_str(),
        }
    }
}

/// Whether a run counts, and how far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordState {
    /// No run is the record.
    Missing,
    /// A run is the record.
    Chosen,
    /// The record has a leaderboard.
    Scored,
}

/// What is known about a round on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Digests are stored.
    pub frozen: bool,
    /// Number of runs.
    pub runs: usize,
    /// The run that counts, and whether it is scored.
    pub record: RecordState,
    /// How the round ended without a record, where it did.
    pub ending: Option<Ending>,
    /// Starting close, where set.
    pub entry_close: Option<Timestamp>,
    /// Ending close, where set.
    pub exit_close: Option<Timestamp>,
}

/// The stage of a round at an instant.
pub fn stage(facts: &Facts, now: Timestamp) -> Stage {
    match (facts.record, facts.ending) {
        (RecordState::Missing, Some(Ending::Voided)) => return Stage::Voided,
        (RecordState::Missing, Some(Ending::Abandoned)) => return Stage::Abandoned,
        _ => {}
    }
    match facts.record {
        RecordState::Scored => return Stage::Resolved,
        RecordState::Missing if facts.runs > 0 => return Stage::Run,
        RecordState::Missing if facts.frozen => return Stage::Frozen,
        RecordState::Missing => return Stage::Draft,
        RecordState::Chosen => {}
    }
    match (facts.entry_close, facts.exit_close) {
        (_, Some(exit)) if now >= overdue_from(exit) => Stage::Overdue,
        (_, Some(exit)) if now >= exit => Stage::Due,
        (Some(entry), _) if now >= entry => Stage::Pending,
        _ => Stage::Accepted,
    }
}

#[cfg(test)]
mod tests;
