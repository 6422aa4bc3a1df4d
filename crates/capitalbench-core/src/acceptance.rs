//! The gate: may this run become the record of its round?
//!
//! [`refusals`] lists every reason why not, all at once; [`remarks`] lists what rounds of the
//! earlier public project are allowed and ours are not. An [`Acceptance`] is what the operator
//! writes down once the gate is open: a new file, never an edit.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use jiff::Timestamp;

use crate::ids::{Digest, ModelId, RoundId, RunId};
use crate::methodology::Enforcement;
use crate::run::{Calls, Counts, RunKind};
use crate::time::Stamp;

/// The operator's word that a run is the record, with the digests of what was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acceptance {
    /// The round.
    pub round_id: RoundId,
    /// The run that is the record from now on.
    pub run_id: RunId,
    /// When it was accepted.
    pub accepted_at: Stamp,
    /// Digest of the run log.
    pub run_log: Digest,
    /// Digests of the raw submissions, by path inside the run.
    pub submissions: BTreeMap<String, Digest>,
    /// Digest of the file that holds the frozen digests.
    pub hashes: Digest,
    /// The run that was the record until now.
    pub supersedes: Option<RunId>,
    /// Why, in the operator's words.
    pub reason: Option<String>,
}

/// Whether the inputs of the round are sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Freeze {
    /// Never frozen.
    Draft,
    /// Frozen; the files that are not what they were.
    Frozen {
        /// What changed since, file by file.
        changed: Vec<String>,
    },
}

/// What the operator says about a run that is the record already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Nothing: there must be none.
    First,
    /// It gives way to this one.
    Supersede,
}

/// Everything the gate looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptanceFacts {
    /// Whether a broken deadline is refused or reported.
    pub enforcement: Enforcement,
    /// State of the inputs.
    pub freeze: Freeze,
    /// Kind of the run.
    pub kind: RunKind,
    /// Real calls or a rehearsal.
    pub calls: Calls,
    /// Whether the run manifest lets the run count.
    pub eligible: bool,
    /// Counts of the run manifest.
    pub counts: Counts,
    /// Submissions as they validate now.
    pub submissions: Submissions,
    /// The frozen roster, where there is one.
    pub roster: Option<Vec<ModelId>>,
    /// The instants at which calls matter.
    pub times: Times,
    /// Whether this run has an acceptance already.
    pub accepted_before: bool,
    /// Other runs that are the record by the operator's word.
    pub others_accepted: Vec<RunId>,
    /// What the operator says about them.
    pub choice: Choice,
}

/// The submissions of a run, validated again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Submissions {
    /// Models that a file says it is from.
    pub model_ids: Vec<ModelId>,
    /// Number of valid files.
    pub valid: u64,
    /// Invalid files, each with its first reason.
    pub invalid: Vec<String>,
}

/// The instants at which calls matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Times {
    /// The instant of acceptance.
    pub accepted_at: Timestamp,
    /// When the record that may give way was accepted.
    pub record_accepted: Option<Timestamp>,
    /// When the calls ended.
    pub calls_ended: Vec<Timestamp>,
    /// Last moment for a decision.
    pub deadline: Option<Timestamp>,
    /// The close that returns are counted from.
    pub entry_close: Option<Timestamp>,
}

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
    /// Nobody was asked.
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
    /// The run manifest counts otherwise than the files.
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
            Self::AfterDeadline(_) => "after-deadline",
            Self::AfterEntryClose(_) => "after-entry-close",
            Self::BeforeItsTime { .. } => "before-its-time",
            Self::AcceptedBefore => "accepted-before",
            Self::AnotherAccepted(_) => "another-accepted",
            Self::NothingToSupersede => "nothing-to-supersede",
        }
    }

    /// Whether rounds of the earlier public project were allowed this.
    fn is_tolerated(&self) -> bool {
        matches!(self, Self::AfterDeadline(_) | Self::AfterEntryClose(_))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFrozen => f.write_str("the round is not frozen"),
            Self::InputsChanged(files) => {
                write!(f, "frozen inputs changed: {}", files.join("; "))
            }
            Self::NotOfficial(kind) => {
                write!(f, "the run is {}, not official", kind.as_str())
            }
            Self::NotReal(Calls::Mock) => f.write_str("the run is a rehearsal: nobody was asked"),
            Self::NotReal(_) => f.write_str("the run does not say whether providers were asked"),
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
            Self::AfterDeadline(late) => write!(f, "{late} the decision deadline {}", late.limit),
            Self::AfterEntryClose(late) => write!(f, "{late} the entry close {}", late.limit),
            Self::BeforeItsTime {
                accepted_at,
                earlier,
            } => write!(
                f,
                "would be accepted at {accepted_at}, before what it builds on ({earlier})"
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

/// Every reason why the run may not become the record; none means that it may.
pub fn refusals(facts: &AcceptanceFacts) -> Vec<Refusal> {
    let mut found = objections(facts);
    if facts.enforcement == Enforcement::Reproduce {
        found.retain(|refusal| !refusal.is_tolerated());
    }
    found
}

/// What is only reported, because the round follows older rules.
pub fn remarks(facts: &AcceptanceFacts) -> Vec<Refusal> {
    let mut found = objections(facts);
    found.retain(|refusal| facts.enforcement == Enforcement::Reproduce && refusal.is_tolerated());
    found
}

fn objections(facts: &AcceptanceFacts) -> Vec<Refusal> {
    let mut found = Vec::new();
    match &facts.freeze {
        Freeze::Draft => found.push(Refusal::NotFrozen),
        Freeze::Frozen { changed } if !changed.is_empty() => {
            found.push(Refusal::InputsChanged(changed.clone()));
        }
        Freeze::Frozen { .. } => {}
    }
    if facts.kind != RunKind::Official {
        found.push(Refusal::NotOfficial(facts.kind));
    }
    if facts.calls != Calls::Real {
        found.push(Refusal::NotReal(facts.calls));
    }
    let may_count = facts.kind == RunKind::Official && facts.calls != Calls::Mock;
    if may_count && !facts.eligible {
        found.push(Refusal::NotEligible);
    }
    found.extend(count_objections(facts));
    found.extend(roster_objection(facts));
    let times = &facts.times;
    found.extend(late(&times.calls_ended, times.deadline).map(Refusal::AfterDeadline));
    found.extend(late(&times.calls_ended, times.entry_close).map(Refusal::AfterEntryClose));
    let last_call = times.calls_ended.iter().max().copied();
    if let Some(earlier) = last_call.max(times.record_accepted)
        && times.accepted_at <= earlier
    {
        let accepted_at = times.accepted_at;
        found.push(Refusal::BeforeItsTime {
            accepted_at,
            earlier,
        });
    }
    if facts.accepted_before {
        found.push(Refusal::AcceptedBefore);
    }
    match (facts.choice, facts.others_accepted.as_slice()) {
        (Choice::Supersede, []) => found.push(Refusal::NothingToSupersede),
        (Choice::First, []) | (Choice::Supersede, [_]) => {}
        (_, others) => found.push(Refusal::AnotherAccepted(others.to_vec())),
    }
    found
}

fn count_objections(facts: &AcceptanceFacts) -> Vec<Refusal> {
    let mut found = Vec::new();
    let Submissions { valid, invalid, .. } = &facts.submissions;
    let models = facts.counts.models;
    if models == Some(0) {
        found.push(Refusal::NoModels);
    } else if models != Some(*valid) {
        found.push(Refusal::Partial {
            valid: *valid,
            models,
        });
    }
    if !invalid.is_empty() {
        found.push(Refusal::InvalidSubmissions(invalid.clone()));
    }
    let counted = [*valid, invalid.len() as u64];
    if let (Some(valid), Some(invalid)) = (facts.counts.valid, facts.counts.invalid)
        && [valid, invalid] != counted
    {
        found.push(Refusal::CountsDiffer {
            stored: [valid, invalid],
            found: counted,
        });
    }
    found
}

fn roster_objection(facts: &AcceptanceFacts) -> Option<Refusal> {
    let expected: BTreeSet<&ModelId> = facts.roster.as_ref()?.iter().collect();
    let asked: BTreeSet<&ModelId> = facts.submissions.model_ids.iter().collect();
    let without = |a: &BTreeSet<&ModelId>, b: &BTreeSet<&ModelId>| -> Vec<ModelId> {
        a.difference(b).map(|id| (*id).clone()).collect()
    };
    let (missing, added) = (without(&expected, &asked), without(&asked, &expected));
    let differs = !missing.is_empty() || !added.is_empty();
    differs.then_some(Refusal::RosterMismatch { missing, added })
}

fn late(ends: &[Timestamp], limit: Option<Timestamp>) -> Option<Late> {
    let limit = limit?;
    let after = || ends.iter().copied().filter(|end| *end > limit);
    Some(Late {
        calls: after().count(),
        limit,
        last: after().max()?,
    })
}

#[cfg(test)]
#[path = "acceptance_tests.rs"]
mod tests;
