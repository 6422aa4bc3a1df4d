//! Every reason that keeps a run from becoming the record: a code and a sentence each.

use std::fmt;

use jiff::Timestamp;

use crate::asking::run::{Calls, RunKind};
use crate::values::ids::{ModelId, RunId};

/// One reason why a run is not the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The inputs were never frozen.
    NotFrozen,
    /// Frozen inputs are not what they were.
    InputsChanged(Vec<String>),
    /// Another kind of run.
    NotOfficial(RunKind),
    /// No provider was asked, or the manifest does not say.
    NotReal(Calls),
    /// The run manifest says that it may not count.
    NotEligible,
    /// The run holds no submission.
    NoModels,
    /// Not every model has a valid submission.
    Partial {
        /// Valid submissions.
        valid: u64,
        /// Models asked; none when the run has not ended.
        models: Option<u64>,
    },
    /// Files that are no submissions.
    InvalidSubmissions(Vec<String>),
    /// The counts of the run manifest differ from the files.
    CountsDiffer {
        /// Valid and invalid as the manifest says.
        stored: [u64; 2],
        /// Valid and invalid as the files are.
        found: [u64; 2],
    },
    /// Not exactly the frozen roster.
    RosterMismatch {
        /// On the roster, not in the run.
        missing: Vec<ModelId>,
        /// In the run, not on the roster.
        added: Vec<ModelId>,
    },
    /// The log does not tell when every call ended.
    TimesUnproved {
        /// Calls whose end is known.
        known: u64,
        /// Submissions.
        calls: u64,
    },
    /// Calls ended after the decision deadline.
    AfterDeadline(Late),
    /// Decisions came after the close they are scored from.
    AfterEntryClose(Late),
    /// The acceptance would be older than what it builds on.
    BeforeItsTime {
        /// The instant of acceptance.
        accepted_at: Timestamp,
        /// The last call, or the acceptance of the record that gives way.
        earlier: Timestamp,
    },
    /// A record would be exchanged when prices since the entry are known.
    OutcomeVisible {
        /// The instant of acceptance.
        accepted_at: Timestamp,
        /// The close that returns are counted from.
        entry_close: Timestamp,
    },
    /// The outcome is already known, for these reasons.
    OutcomeKnown(Vec<String>),
    /// The run has an acceptance; it is never rewritten.
    AcceptedBefore,
    /// Others are the record, and the operator did not say that this one replaces them.
    AnotherAccepted(Vec<RunId>),
    /// The operator wants to replace a record that is not there.
    NothingToSupersede,
}

/// Calls after a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Late {
    /// How many calls.
    pub calls: usize,
    /// The limit.
    pub limit: Timestamp,
    /// The end of the last one.
    pub last: Timestamp,
}

impl Refusal {
    /// The stable word for machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFrozen => "not-frozen",
            Self::InputsChanged(_) => "inputs-changed",
            Self::NotOfficial(_) => "not-official",
            Self::NotReal(_) => "not-real",
            Self::NotEligible => "not-eligible",
            Self::NoModels => "no-models",
            Self::Partial { .. } => "partial",
            Self::InvalidSubmissions(_) => "invalid-submissions",
            Self::CountsDiffer { .. } => "counts-differ",
            Self::RosterMismatch { .. } => "roster-mismatch",
            Self::TimesUnproved { .. } => "times-unproved",
            Self::AfterDeadline(_) => "after-deadline",
            Self::AfterEntryClose(_) => "after-entry-close",
            Self::BeforeItsTime { .. } => "before-its-time",
            Self::OutcomeVisible { .. } => "outcome-visible",
            Self::OutcomeKnown(_) => "outcome-known",
            Self::AcceptedBefore => "accepted-before",
            Self::AnotherAccepted(_) => "another-accepted",
            Self::NothingToSupersede => "nothing-to-supersede",
        }
    }

    /// Whether rounds of the earlier public project were allowed this.
    pub(super) fn is_tolerated(&self) -> bool {
        matches!(
            self,
            Self::TimesUnproved { .. }
                | Self::AfterDeadline(_)
                | Self::AfterEntryClose(_)
                | Self::OutcomeVisible { .. }
                | Self::OutcomeKnown(_)
        )
    }
}

impl fmt::Display for Refusal {
    #[expect(
        clippy::too_many_lines,
        reason = "one sentence per refusal, and none forgotten"
    )]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFrozen => f.write_str("the round is not frozen"),
            Self::InputsChanged(files) => {
                write!(f, "frozen inputs changed: {}", files.join("; "))
            }
            Self::NotOfficial(kind) => {
                write!(f, "the run is {}, not official", kind.as_str())
            }
            Self::NotReal(Calls::Mock) => {
                f.write_str("the run is a rehearsal: no provider was called")
            }
            Self::NotReal(Calls::Synthetic) => {
                f.write_str("the run answered an invented market, and the round's is real")
            }
            Self::NotReal(Calls::Real) => {
                f.write_str("the run asked providers, and the round's market is invented")
            }
            Self::NotReal(Calls::Unknown) => {
                f.write_str("the run does not say whether providers were asked")
            }
            Self::NotEligible => f.write_str("the run manifest says that the run may not count"),
            Self::NoModels => f.write_str("the run asked no model"),
            Self::Partial {
                valid,
                models: Some(models),
            } => {
                write!(f, "{valid} of {models} models have a valid submission")
            }
            Self::Partial { models: None, .. } => {
                f.write_str("the run has not ended: its manifest counts no models")
            }
            Self::InvalidSubmissions(files) => {
                write!(f, "invalid submissions: {}", files.join("; "))
            }
            Self::CountsDiffer { stored, found } => write!(
                f,
                "the run manifest counts {} valid and {} invalid; the files are {} and {}",
                stored[0], stored[1], found[0], found[1]
            ),
            Self::RosterMismatch { missing, added } => write!(
                f,
                "not the frozen roster: missing [{}], added [{}]",
                join(missing, ModelId::as_str),
                join(added, ModelId::as_str)
            ),
            Self::TimesUnproved { known, calls } => write!(
                f,
                "the run log tells the end of {known} calls; there are {calls} submissions"
            ),
            Self::AfterDeadline(late) => write!(f, "{late} the decision deadline {}", late.limit),
            Self::AfterEntryClose(late) => write!(f, "{late} the entry close {}", late.limit),
            Self::OutcomeVisible {
                accepted_at,
                entry_close,
            } => write!(
                f,
                "the record would be exchanged at {accepted_at}, after the entry close \
                 {entry_close}: by then prices tell which run did better"
            ),
            Self::BeforeItsTime {
                accepted_at,
                earlier,
            } => write!(
                f,
                "would be accepted at {accepted_at}, before what it builds on ({earlier})"
            ),
            Self::OutcomeKnown(reasons) => write!(
                f,
                "the outcome is known ({}): no run becomes the record after that",
                reasons.join(", ")
            ),
            Self::AcceptedBefore => {
                f.write_str("the run has an acceptance, and one is never rewritten")
            }
            Self::AnotherAccepted(runs) => write!(
                f,
                "the record is {}: say that this run supersedes it",
                join(runs, RunId::as_str)
            ),
            Self::NothingToSupersede => f.write_str("no other run is the record"),
        }
    }
}

impl fmt::Display for Late {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ending = if self.calls == 1 { "" } else { "s" };
        write!(
            f,
            "{} call{ending} ended (the last at {}) after",
            self.calls, self.last
        )
    }
}

fn join<T>(items: &[T], text: fn(&T) -> &str) -> String {
    items.iter().map(text).collect::<Vec<_>>().join(", ")
}
