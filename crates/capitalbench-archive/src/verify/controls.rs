//! Control entrants of a run: computed again and compared byte for byte.

use std::collections::BTreeSet;

use super::RunState;
use super::finding::{Code, Findings};
use crate::disk::layout::run;
use crate::round::round_folder::{RoundInputs, names_in};
use crate::run::run_controls::last_best_path;

/// Compares every control's file with the one computed from the round and the run.
pub(super) fn check(state: &RunState, inputs: &RoundInputs, findings: &mut Findings) {
    let Some(controls) = &state.controls else {
        return;
    };
    let mut add = |path: &str, text: &str| {
        findings.add(Code::ControlDiffers, state.place(path), text);
    };
    let mut expected = BTreeSet::new();
    for (path, text) in controls.files(&inputs.manifest, state.record.run.rules) {
        match state.folder.read_optional(&path) {
            Ok(Some(bytes)) if bytes == text.as_bytes() => {}
            Ok(Some(_)) => add(&path, "does not follow from the round and the run"),
            Ok(None) => add(&path, "is missing"),
            Err(error) => add(&path, &error.to_string()),
        }
        expected.insert(path);
    }
    for name in names_in(&state.folder.file(run::CONTROLS)).unwrap_or_default() {
        let path = format!("{}/{name}", run::CONTROLS);
        if !expected.contains(&path) {
            add(&path, "is not the file of a control");
        }
    }
    if controls.best_is_contradicted(inputs) {
        let text = "names an option that was not the best by the prices of that round";
        add(&last_best_path(), text);
    }
}
