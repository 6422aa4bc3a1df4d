//! Acceptances: each must name its own run, and supersede only an earlier one.
//! [`derivation`](super::derivation) checks their digests.

use capitalbench_core::asking::acceptance::Acceptance;
use capitalbench_core::asking::run::Selection;

use super::finding::{Code, Finding, Findings};
use super::{RoundState, RunState};
use crate::disk::layout::run;
use crate::run::acceptance::accepted_at_of;

/// Checks every acceptance of the round.
pub(super) fn check(state: &RoundState, findings: &mut Findings) {
    for own in &state.runs {
        if let Some(acceptance) = &own.record.run.acceptance {
            names(state, own, acceptance, findings);
            succession(state, own, acceptance, findings);
        }
    }
}

fn differs(place: String, text: impl Into<String>) -> Finding {
    Finding::new(Code::AcceptanceDiffers, place, text)
}

fn names(state: &RoundState, own: &RunState, acceptance: &Acceptance, findings: &mut Findings) {
    let round_id = &state.inputs.manifest.round_id;
    if acceptance.run_id != *own.folder.run_id() || acceptance.round_id != *round_id {
        let text = format!("names {} of {}", acceptance.run_id, acceptance.round_id);
        findings.push(differs(own.place(run::ACCEPTANCE), text));
    }
    if !own.record.run.may_count() {
        let text = "accepts a run that must not count";
        findings.push(differs(own.place(run::ACCEPTANCE), text));
    }
}

fn succession(
    state: &RoundState,
    own: &RunState,
    acceptance: &Acceptance,
    findings: &mut Findings,
) {
    let Some(earlier) = &acceptance.supersedes else {
        return;
    };
    let other = state.runs.iter().find(|run| run.folder.run_id() == earlier);
    let problem = match other {
        _ if earlier == own.folder.run_id() => Some("itself".to_owned()),
        None => Some(format!("{earlier}, which does not exist")),
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
