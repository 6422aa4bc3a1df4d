//! Acceptances: each must name its own run, and supersede only an earlier one.
//! [`derivation`](super::derivation) checks their digests.

use capitalbench_core::asking::acceptance::Acceptance;
use capitalbench_core::asking::run::Selection;

use super::finding::{Code, Findings};
use super::{RoundState, RunState};
use crate::disk::layout::run;
use crate::run::acceptance::accepted_at_of;

/// Checks every acceptance of the round.
pub(super) fn check(state: &RoundState, findings: &mut Findings) {
    for own in &state.runs {
        if let Some(acceptance) = &own.record.run.acceptance {
            let all = [
                names(state, own, acceptance),
                uncountable(state, own),
                succession(state, own, acceptance),
            ];
            for text in all.into_iter().flatten() {
                findings.add(Code::AcceptanceDiffers, own.place(run::ACCEPTANCE), text);
            }
        }
    }
}

fn names(state: &RoundState, own: &RunState, acceptance: &Acceptance) -> Option<String> {
    let (run_id, round_id) = (&acceptance.run_id, &acceptance.round_id);
    let is_own = run_id == own.folder.run_id() && *round_id == state.inputs.manifest.round_id;
    (!is_own).then(|| format!("names {run_id} of {round_id}"))
}

fn uncountable(state: &RoundState, own: &RunState) -> Option<String> {
    let may_count = own
        .record
        .run
        .may_count(state.inputs.manifest.record_rules());
    (!may_count).then(|| "accepts a run that must not count".to_owned())
}

fn succession(state: &RoundState, own: &RunState, acceptance: &Acceptance) -> Option<String> {
    let earlier = acceptance.supersedes.as_ref()?;
    if earlier == own.folder.run_id() {
        return Some("supersedes itself".to_owned());
    }
    let other = state.runs.iter().find(|run| run.folder.run_id() == earlier);
    let problem = match other.map(|other| (&other.record.run, accepted_at_of(&other.record.run))) {
        None => "does not exist",
        Some((_, Some(before))) if before < acceptance.accepted_at.at() => return None,
        Some((_, Some(_))) => "was accepted later",
        Some((run, None)) if run.selection == Selection::Selected => return None,
        Some((_, None)) => "was never accepted",
    };
    Some(format!("supersedes {earlier}, which {problem}"))
}
