//! The proof that the manifest promises with `proof:` must exist from the first request on.

use capitalbench_core::asking::run::Calls;
use capitalbench_core::round::manifest::{Manifest, Proof, Window};
use capitalbench_proof::order::{Judged, Step, Unproved, Verdict};
use jiff::Timestamp;

use super::finding::{Code, Findings};
use super::round_proof::RoundProof;
use super::{RoundState, unreadable};
use crate::disk::layout;
use crate::prices::unproved_prices;
use crate::round::round_folder::RoundFolder;

/// Whether a model was asked for a decision; rehearsals with invented answers do not count.
pub(super) fn is_asked(state: &RoundState) -> bool {
    let asked = |calls: Calls| calls != Calls::Mock;
    let mut runs = state.runs.iter();
    state.unreadable_runs || runs.any(|run| asked(run.record.run.calls))
}

/// Reports prices that the operator accepted without the record of a fetch.
pub(super) fn check_prices(manifest: &Manifest, folder: &RoundFolder, findings: &mut Findings) {
    if manifest.proof.is_none() {
        return;
    }
    match unproved_prices::acceptance(folder) {
        Ok(Some(word)) => {
            let text = format!(
                "there is no record of a fetch; the operator says: {}",
                word.reason
            );
            let place = layout::UNPROVED_ACCEPTANCE;
            findings.add(Code::PricesUnproved, place, text);
        }
        Ok(None) => {}
        Err(error) => findings.push(unreadable(folder, &error)),
    }
}

/// Reports every part of the promise that is missing.
pub(super) fn check(
    manifest: &Manifest,
    proof: Option<&RoundProof>,
    now: Timestamp,
    findings: &mut Findings,
) {
    let mut missing = |text: String| {
        let text = format!("promises `proof: {}`: {text}", manifest.proof.as_str());
        findings.add(Code::PromiseNotKept, layout::MANIFEST, text);
    };
    let proof = match (manifest.proof, proof) {
        (Proof::None, _) => return,
        (_, None) => return missing("no event of a signed log is about this round".to_owned()),
        (_, Some(proof)) => proof,
    };
    if proof.freeze.is_none() {
        missing("the freeze is not in the log".to_owned());
    }
    if manifest.proof == Proof::Anchored {
        let entry = manifest.window.and_then(Window::entry_close);
        let over = entry.is_none_or(|entry| now >= entry) || proof.score.is_some();
        let due = proof.promised.iter().filter(|judged| judged.refuses());
        for judged in due.filter(|judged| over || !may_still_be_stamped(judged)) {
            match &judged.verdict {
                Verdict::NotProved(why) => missing(why.to_string()),
                Verdict::Broken(why) => missing(why.to_string()),
                Verdict::Proved(_) | Verdict::Open => {}
            }
        }
    }
}

/// Picks may wait for their stamp until the entry close.
fn may_still_be_stamped(judged: &Judged) -> bool {
    matches!(
        judged.verdict,
        Verdict::NotProved(Unproved::NotStamped(Step::Picks))
    )
}
