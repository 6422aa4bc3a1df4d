//! Every reason that keeps a run from becoming the record: a code and a sentence each.

use jiff::Timestamp;

use crate::asking::missing_answer::MissingAnswer;
use crate::asking::run::{Calls, RunKind};
use crate::values::ids::{ModelId, RunId};

/// One reason why a run is not the record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The inputs were never frozen.
    #[error("the round is not frozen")]
    NotFrozen,
    /// Frozen inputs are not what they were.
    #[error("frozen inputs changed: {}", .0.join("; "))]
    InputsChanged(Vec<String>),
    /// Another kind of run.
    #[error("the run is {}, not official", .0.as_str())]
    NotOfficial(RunKind),
    /// No provider was asked, or the manifest does not say.
    #[error("{}", not_real(*.0))]
    NotReal(Calls),
    /// The run manifest says that it may not count.
    #[error("the run manifest says that the run may not count")]
    NotEligible,
    /// The run holds no submission.
    #[error("the run asked no model")]
    NoModels,
    /// Not every model has a valid submission.
    #[error("{}", partial(*valid, *models))]
    Partial {
        /// Valid submissions.
        valid: u64,
        /// Models asked; none when the run has not ended.
        models: Option<u64>,
    },
    /// Fewer valid answers than the frozen failure policy asks for.
    #[error(
        "{valid} valid answers, and the frozen failure policy needs {needed} ({}), so the round is \
         void: end it with `capitalbench void-round`",
        reasons(missing)
    )]
    TooFew {
        valid: u64,
        needed: u64,
        /// The models without one.
        missing: Vec<MissingAnswer>,
    },
    /// Files that are no submissions.
    #[error("invalid submissions: {}", .0.join("; "))]
    InvalidSubmissions(Vec<String>),
    /// The counts of the run manifest differ from the files.
    #[error("the run manifest counts {} valid and {} invalid; the files are {} and {}", stored[0], stored[1], found[0], found[1])]
    CountsDiffer {
        /// Valid and invalid as the manifest says.
        stored: [u64; 2],
        /// Valid and invalid as the files are.
        found: [u64; 2],
    },
    /// Not exactly the frozen roster.
    #[error(
        "not the frozen roster: missing [{}], added [{}]",
        join(missing, ModelId::as_str),
        join(added, ModelId::as_str)
    )]
    RosterMismatch {
        /// On the roster, not in the run.
        missing: Vec<ModelId>,
        /// In the run, not on the roster.
        added: Vec<ModelId>,
    },
    /// The log does not tell when every call ended.
    #[error("the run log tells the end of {known} calls; there are {calls} submissions")]
    TimesUnproved {
        /// Calls whose end is known.
        known: u64,
        /// Submissions.
        calls: u64,
    },
    /// Calls ended after the decision deadline.
    #[error("{0} the decision deadline {limit}", limit = .0.limit)]
    AfterDeadline(Late),
    /// Decisions came after the close they are scored from.
    #[error("{0} the entry close {limit}", limit = .0.limit)]
    AfterEntryClose(Late),
    /// The acceptance would be older than what it builds on.
    #[error("would be accepted at {accepted_at}, before what it builds on ({earlier})")]
    BeforeItsTime {
        /// The instant of acceptance.
        accepted_at: Timestamp,
        /// The last call, or the acceptance of the record that gives way.
        earlier: Timestamp,
    },
    /// A record would be exchanged when prices since the entry are known.
    #[error(
        "the record would be exchanged at {accepted_at}, after the entry close \
         {entry_close}: by then prices tell which run did better"
    )]
    OutcomeVisible {
        /// The instant of acceptance.
        accepted_at: Timestamp,
        /// The close that returns are counted from.
        entry_close: Timestamp,
    },
    /// The outcome is already known, for these reasons.
    #[error("the outcome is known ({}): no run becomes the record after that", .0.join(", "))]
    OutcomeKnown(Vec<String>),
    /// The run has an acceptance; it is never rewritten.
    #[error("the run has an acceptance, and one is never rewritten")]
    AcceptedBefore,
    /// Others are the record, and the operator did not say that this one replaces them.
    #[error("the record is {}: say that this run supersedes it", join(.0, RunId::as_str))]
    AnotherAccepted(Vec<RunId>),
    /// The operator wants to replace a record that is not there.
    #[error("no other run is the record")]
    NothingToSupersede,
}

/// Calls after a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{calls} call{} ended (the last at {last}) after", if *calls == 1 { "" } else { "s" })]
pub struct Late {
    pub calls: usize,
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
            Self::TooFew { .. } => "too-few-answers",
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

fn not_real(calls: Calls) -> &'static str {
    match calls {
        Calls::Mock => "the run is a rehearsal: no provider was called",
        Calls::Synthetic => "the run answered an invented market, and the round's is real",
        Calls::Real => "the run asked providers, and the round's market is invented",
        Calls::Unknown => "the run does not say whether providers were asked",
    }
}

fn partial(valid: u64, models: Option<u64>) -> String {
    match models {
        Some(models) => format!("{valid} of {models} models have a valid submission"),
        None => "the run has not ended: its manifest counts no models".to_owned(),
    }
}

fn reasons(missing: &[MissingAnswer]) -> String {
    let one = |own: &MissingAnswer| format!("{}: {}", own.model_id, own.why.as_str());
    missing.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn join<T>(items: &[T], text: fn(&T) -> &str) -> String {
    items.iter().map(text).collect::<Vec<_>>().join(", ")
}
