//! The end of a round without a record, and the operator's explanations.

use capitalbench_core::round::ending::Tombstone;
use capitalbench_core::values::ids::RoundId;

use super::finding::{Code, Findings};
use super::{RoundState, unreadable};
use crate::disk::layout;
use crate::round::ending::{exception_path, exceptions, tombstone};

/// Whether the round says that it ended without a record.
pub(super) fn has_ended(state: &RoundState) -> bool {
    matches!(tombstone(&state.inputs.folder), Ok(Some(_)))
}

/// Checks the tombstone and the explanations against the round.
pub(super) fn check(state: &RoundState, findings: &mut Findings) {
    let folder = &state.inputs.folder;
    match tombstone(folder) {
        Err(error) => findings.push(unreadable(folder, &error)),
        Ok(None) => {}
        Ok(Some(own)) => buried(state, &own, findings),
    }
    let told = match exceptions(folder) {
        Err(error) => return findings.push(unreadable(folder, &error)),
        Ok(told) => told,
    };
    for own in told {
        let place = exception_path(own.number);
        if let Some(text) = foreign(state, &own.round_id) {
            findings.add(Code::EndingDiffers, &place, text);
        }
        let text = format!("{}: {}", own.noted_at, own.reason);
        findings.add(Code::RoundExplained, place, text);
    }
}

fn buried(state: &RoundState, own: &Tombstone, findings: &mut Findings) {
    let mut add = |code, text: String| findings.add(code, layout::TOMBSTONE, text);
    if let Some(text) = foreign(state, &own.round_id) {
        add(Code::EndingDiffers, text);
    }
    let runs = state.runs.iter().map(|run| &run.record.run);
    for run in runs.filter(|run| run.acceptance.is_some()) {
        let text = format!("stands beside {}, which was accepted", run.run_id);
        add(Code::EndingDiffers, text);
    }
    add(Code::RoundEnded, own.sentence());
}

fn foreign(state: &RoundState, named: &RoundId) -> Option<String> {
    let own = &state.inputs.manifest.round_id;
    (named != own).then(|| format!("names the round {named}"))
}
