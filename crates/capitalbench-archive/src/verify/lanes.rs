//! Were the twin lanes those that the manifest plans, and was each asked what follows from the frozen
//! inputs?

use std::collections::BTreeSet;

use capitalbench_core::asking::prompt::call_suffix;
use capitalbench_core::asking::run::Calls;
use capitalbench_core::round::manifest::Stream;
use capitalbench_core::values::ids::Digest;

use super::finding::{Code, Findings};
use super::{RoundState, RunState, unreadable};
use crate::disk::layout::run as files;
use crate::round::lane_form::LaneForm;
use crate::run::ledger::{RunPlan, attempt_path, attempts_of};

/// Checks every lane of a round; rehearsals of a lane count nowhere and are left alone.
pub(super) fn check(state: &RoundState, findings: &mut Findings) {
    let manifest = &state.inputs.manifest;
    let mut seen = BTreeSet::new();
    for run in &state.runs {
        let own = &run.record.run;
        let Some(lane) = own.rules.kind.lane() else {
            continue;
        };
        let is_rehearsal = own.calls == Calls::Mock && manifest.stream != Stream::Synthetic;
        if !is_rehearsal {
            let planned = manifest.lane_replicates(lane);
            let problem = if planned.is_none() {
                Some("is a lane that the manifest does not plan".to_owned())
            } else if !seen.insert(lane) {
                Some(format!("asks the lane {} once more", lane.as_str()))
            } else {
                planned
                    .filter(|count| *count != own.rules.replicates)
                    .map(|count| {
                        format!(
                            "asks each model {} times, and the manifest plans {count}",
                            own.rules.replicates
                        )
                    })
            };
            if let Some(problem) = problem {
                findings.add(Code::LaneUnplanned, run.place(files::MANIFEST), problem);
            }
        }
        match LaneForm::of(&state.inputs, lane) {
            Ok(form) => check_text(&form.text, run, state, findings),
            Err(error) => findings.push(unreadable(&state.inputs.folder, &error)),
        }
    }
}

/// The text that was planned, and what each attempt sent, must be the one made again.
fn check_text(made: &str, run: &RunState, state: &RoundState, findings: &mut Findings) {
    // The check of the ledger reports a plan and attempts that cannot be read.
    let Ok(Some(plan)) = RunPlan::of_run(&run.folder) else {
        return;
    };
    let mut add = |place: String| {
        let text = "its text is not the one that follows from the frozen inputs";
        findings.add(Code::LaneInputDiffers, place, text);
    };
    if plan.input_sha256 != Digest::of(made.as_bytes()).to_hex() {
        add(run.place(files::SLOTS));
    }
    for planned in &plan.slots {
        let manifest = &state.inputs.manifest;
        let suffix = call_suffix(manifest, &planned.slot.model_id, &planned.provider);
        let sent = Digest::of(format!("{made}\n{suffix}").as_bytes()).to_hex();
        let attempts = attempts_of(&run.folder, &plan, &planned.slot).unwrap_or_default();
        for attempt in attempts.iter().filter(|own| own.begun.input_sha256 != sent) {
            let number = attempt.begun.attempt;
            add(run.place(&attempt_path(&plan, &planned.slot, number, "begun.json")));
        }
    }
}
