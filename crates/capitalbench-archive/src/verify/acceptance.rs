//! Acceptances: each describes the run it lies in, and what it supersedes came before.

use capitalbench_core::acceptance::Acceptance;
use capitalbench_core::ids::Digest;
use capitalbench_core::run::Selection;

use super::finding::{Code, Finding};
use super::{RoundState, RunState, unreadable};
use crate::acceptance::{accepted_at_of, submission_digests};
use crate::layout::{self, run};

/// Checks every acceptance of the round.
pub(super) fn check(state: &RoundState, findings: &mut Vec<Finding>) {
    for own in &state.runs {
        if let Some(acceptance) = &own.record.run.acceptance {
            names(state, own, acceptance, findings);
            digests(state, own, acceptance, findings);
            succession(state, own, acceptance, findings);
        }
    }
}

fn differs(place: String, text: impl Into<String>) -> Finding {
    Finding::new(Code::AcceptanceDiffers, place, text)
}

fn names(state: &RoundState, own: &RunState, acceptance: &Acceptance, findings: &mut Vec<Finding>) {
    let round_id = &state.inputs.manifest.round_id;
    if acceptance.run_id != *own.folder.run_id() || acceptance.round_id != *round_id {
        let text = format!("names {} of {}", acceptance.run_id, acceptance.round_id);
        findings.push(differs(own.place(run::ACCEPTANCE), text));
    }
    if !own.record.run.may_count() {
        let text = "accepts a run that may not count";
        findings.push(differs(own.place(run::ACCEPTANCE), text));
    }
}

fn digests(
    state: &RoundState,
    own: &RunState,
    acceptance: &Acceptance,
    findings: &mut Vec<Finding>,
) {
    let log = own.folder.read_optional(run::LOG).ok().flatten();
    if log.is_none_or(|bytes| Digest::of(&bytes) != acceptance.run_log) {
        let text = "is not the log that was accepted";
        findings.push(differs(own.place(run::LOG), text));
    }
    let hashes = state.inputs.folder.read_optional(layout::HASHES);
    let hashes = hashes.ok().flatten();
    if hashes.is_none_or(|bytes| Digest::of(&bytes) != acceptance.hashes) {
        let text = format!(
            "are not the digests under which {} was accepted",
            own.folder.run_id()
        );
        findings.push(differs(layout::HASHES.to_owned(), text));
    }
    let now = match submission_digests(&own.folder) {
        Ok(now) => now,
        Err(error) => return findings.push(unreadable(&state.inputs.folder, &error)),
    };
    for (path, digest) in &acceptance.submissions {
        match now.get(path) {
            Some(present) if present == digest => {}
            Some(_) => findings.push(differs(own.place(path), "is not what was accepted")),
            None => findings.push(differs(own.place(path), "was accepted and is gone")),
        }
    }
    for path in now.keys() {
        if !acceptance.submissions.contains_key(path) {
            findings.push(differs(own.place(path), "came after the acceptance"));
        }
    }
}

fn succession(
    state: &RoundState,
    own: &RunState,
    acceptance: &Acceptance,
    findings: &mut Vec<Finding>,
) {
    let Some(earlier) = &acceptance.supersedes else {
        return;
    };
    let other = state.runs.iter().find(|run| run.folder.run_id() == earlier);
    let problem = match other {
        _ if earlier == own.folder.run_id() => Some("itself".to_owned()),
        None => Some(format!("{earlier}, which is not there")),
        Some(other) => {
            let run = &other.record.run;
            match accepted_at_of(run) {
                Some(before) if before < acceptance.accepted_at.at() => None,
                Some(_) => Some(format!("{earlier}, which was accepted later")),
                None if run.selection == Selection::Selected => None,
                None => Some(format!("{earlier}, which was never accepted")),
            }
        }
    };
    if let Some(problem) = problem {
        let text = format!("supersedes {problem}");
        findings.push(differs(own.place(run::ACCEPTANCE), text));
    }
}
