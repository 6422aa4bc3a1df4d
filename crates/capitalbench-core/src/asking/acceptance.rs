//! The gate: may this run become the record of its round?
//!
//! [`refusals`] lists every reason why not, all at once; [`remarks`] lists what rounds of the
//! earlier public project are allowed and ours are not. An [`Acceptance`] is what the operator
//! writes down once the gate is open: a new file, never an edit.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::asking::missing_answer::MissingAnswer;
use crate::asking::run::{Calls, Counts, RecordRules, RunKind};
use crate::round::manifest::Stream;
use crate::round::methodology::Enforcement;
use crate::values::ids::{Digest, ModelId, RoundId, RunId};
use crate::values::time::WrittenInstant;

mod refusal;

pub use refusal::{Late, Refusal};

/// The operator's word that a run is the record, with the digests of what was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acceptance {
    pub round_id: RoundId,
    /// The run that is the record from now on.
    pub run_id: RunId,
    pub accepted_at: WrittenInstant,
    pub run_log: Digest,
    /// Digests of the raw files of valid submissions, by path inside the run.
    pub submissions: BTreeMap<String, Digest>,
    /// Digest of the file that holds the frozen digests.
    pub hashes: Digest,
    /// The run that was the record until now.
    pub supersedes: Option<RunId>,
    /// Why, in the operator's words.
    pub reason: Option<String>,
    /// The models without a valid answer, in the order of the run; the round goes on without them.
    pub missing: Vec<MissingAnswer>,
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
    /// Whether a broken deadline is refused or reported, and how many valid answers suffice.
    pub rules: RecordRules,
    /// State of the inputs.
    pub freeze: Freeze,
    pub kind: RunKind,
    /// Public record, pilot or an invented market.
    pub stream: Stream,
    /// Real calls or a rehearsal.
    pub calls: Calls,
    /// Whether the run manifest lets the run count.
    pub eligible: bool,
    /// Counts of the run manifest.
    pub counts: Counts,
    /// Submissions as they validate now.
    pub submissions: Submissions,
    /// Models of the run without a valid answer, by its ledger.
    pub missing: Vec<MissingAnswer>,
    /// The frozen roster, where there is one.
    pub roster: Option<Vec<ModelId>>,
    /// The instants at which calls matter.
    pub times: Times,
    /// Whether this run has an acceptance already.
    pub accepted_before: bool,
    /// Other runs that are the record by the operator's word.
    pub others_accepted: Vec<RunId>,
    /// Reasons why the outcome of the round is already known at the time of acceptance.
    pub outcome: Vec<String>,
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
    pub calls_ended: Vec<Timestamp>,
    /// The ends of those that brought a valid answer.
    pub answers_ended: Vec<Timestamp>,
    /// Last moment for a decision.
    pub deadline: Option<Timestamp>,
    /// The close that returns are counted from.
    pub entry_close: Option<Timestamp>,
}

/// Every reason why the run may not become the record; none means that it may.
pub fn refusals(facts: &AcceptanceFacts) -> Vec<Refusal> {
    let mut found = objections(facts);
    if facts.rules.enforcement == Enforcement::Reproduce {
        found.retain(|refusal| !refusal.is_tolerated());
    }
    found
}

/// What is only reported, because the round follows older rules.
pub fn remarks(facts: &AcceptanceFacts) -> Vec<Refusal> {
    let mut found = objections(facts);
    found.retain(|refusal| {
        facts.rules.enforcement == Enforcement::Reproduce && refusal.is_tolerated()
    });
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
    let fits = match facts.stream {
        Stream::Synthetic => facts.calls == Calls::Synthetic,
        Stream::Primary | Stream::Pilot => facts.calls == Calls::Real,
    };
    if !fits {
        found.push(Refusal::NotReal(facts.calls));
    }
    let may_count = facts.kind == RunKind::Official && facts.calls != Calls::Mock;
    let few = too_few(facts);
    if may_count && !facts.eligible && few.is_none() {
        found.push(Refusal::NotEligible);
    }
    found.extend(few);
    found.extend(count_objections(facts));
    found.extend(roster_objection(facts));
    found.extend(time_objections(facts));
    if !facts.outcome.is_empty() && !facts.accepted_before {
        found.push(Refusal::OutcomeKnown(facts.outcome.clone()));
    }
    if facts.accepted_before {
        found.push(Refusal::AcceptedBefore);
    }
    match (facts.choice, facts.others_accepted.as_slice()) {
        // The same command again: the record that gave way is the record no more.
        (Choice::Supersede, []) if facts.accepted_before => {}
        (Choice::Supersede, []) => found.push(Refusal::NothingToSupersede),
        (Choice::First, []) | (Choice::Supersede, [_]) => {}
        (_, others) => found.push(Refusal::AnotherAccepted(others.to_vec())),
    }
    found
}

/// The failure policy asks for more valid answers than an ended run has.
fn too_few(facts: &AcceptanceFacts) -> Option<Refusal> {
    let needed = facts.rules.enough?;
    let valid = facts.submissions.valid;
    let has_ended = facts.counts.models.is_some();
    (has_ended && valid < needed).then(|| Refusal::TooFew {
        valid,
        needed,
        missing: facts.missing.clone(),
    })
}

fn count_objections(facts: &AcceptanceFacts) -> Vec<Refusal> {
    let mut found = Vec::new();
    let Submissions { valid, invalid, .. } = &facts.submissions;
    let models = facts.counts.models;
    let all_must = facts.rules.enough.is_none();
    if models == Some(0) {
        found.push(Refusal::NoModels);
    } else if models.is_none() || (all_must && models != Some(*valid)) {
        found.push(Refusal::Partial {
            valid: *valid,
            models,
        });
    }
    if all_must && !invalid.is_empty() {
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
    let missing = facts.missing.iter().map(|own| &own.model_id);
    let missing = missing.filter(|_| facts.rules.enough.is_some());
    let asked = facts.submissions.model_ids.iter().chain(missing);
    let asked: BTreeSet<&ModelId> = asked.collect();
    let without = |a: &BTreeSet<&ModelId>, b: &BTreeSet<&ModelId>| -> Vec<ModelId> {
        a.difference(b).map(|id| (*id).clone()).collect()
    };
    let (missing, added) = (without(&expected, &asked), without(&asked, &expected));
    let differs = !missing.is_empty() || !added.is_empty();
    differs.then_some(Refusal::RosterMismatch { missing, added })
}

fn time_objections(facts: &AcceptanceFacts) -> Vec<Refusal> {
    let mut found = Vec::new();
    let times = &facts.times;
    // Where the round goes on without a model, the end of its calls decides nothing.
    let (calls, ends) = if facts.rules.enough.is_some() {
        (facts.submissions.valid, &times.answers_ended)
    } else {
        let files = facts.submissions.valid + facts.submissions.invalid.len() as u64;
        (files, &times.calls_ended)
    };
    let known = ends.len() as u64;
    if known < calls {
        found.push(Refusal::TimesUnproved { known, calls });
    }
    found.extend(late(ends, times.deadline).map(Refusal::AfterDeadline));
    found.extend(late(ends, times.entry_close).map(Refusal::AfterEntryClose));
    if let Some(entry_close) = times.entry_close
        && facts.choice == Choice::Supersede
        && !facts.accepted_before
        && times.accepted_at > entry_close
    {
        let accepted_at = times.accepted_at;
        found.push(Refusal::OutcomeVisible {
            accepted_at,
            entry_close,
        });
    }
    let last_call = times.calls_ended.iter().max().copied();
    if let Some(earlier) = last_call.max(times.record_accepted)
        && !facts.accepted_before
        && times.accepted_at <= earlier
    {
        let accepted_at = times.accepted_at;
        found.push(Refusal::BeforeItsTime {
            accepted_at,
            earlier,
        });
    }
    found
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
mod tests;
