//! Frozen inputs, research, manifest and prompt.

use std::collections::BTreeMap;

use capitalbench_core::asking::prompt;
use capitalbench_core::market::calendar::plan_window;
use capitalbench_core::round::manifest::{Manifest, Stream};
use capitalbench_core::round::methodology::Enforcement;
use capitalbench_core::values::ids::Digest;

use super::finding::{Code, Finding};
use super::{RoundState, unreadable};
use crate::disk::error::FileError;
use crate::disk::layout;
use crate::format::{round::hashes, round::research};
use crate::round::freeze;
use crate::round::model_input;
use crate::round::round_folder::RoundFolder;

/// Instants that no clock showed are told.
pub(super) fn check_given_instants(folder: &RoundFolder, findings: &mut Vec<Finding>) {
    match folder.read_optional(layout::GIVEN_INSTANTS) {
        Ok(None) => {}
        Ok(Some(bytes)) => {
            let count = bytes
                .split(|byte| *byte == b'\n')
                .filter(|line| !line.is_empty());
            let text = format!("{} commands were given --now", count.count());
            findings.push(Finding::new(
                Code::InstantGiven,
                layout::GIVEN_INSTANTS,
                text,
            ));
        }
        Err(error) => findings.push(unreadable(folder, &error)),
    }
}

/// Compares the frozen inputs with their digests.
pub(super) fn check_hashes(folder: &RoundFolder, findings: &mut Vec<Finding>) {
    let missing: Vec<&str> = layout::REQUIRED_INPUTS
        .into_iter()
        .filter(|file| !folder.file(file).exists())
        .collect();
    for file in &missing {
        findings.push(Finding::new(Code::UnreadableFile, *file, "does not exist"));
    }
    match freeze::changes(folder) {
        Err(error) => findings.push(unreadable(folder, &error)),
        Ok(None) => findings.push(Finding::new(
            Code::Draft,
            layout::HASHES,
            "the inputs are not frozen; freeze them with `capitalbench hash-round`",
        )),
        Ok(Some(problems)) => {
            for problem in problems.iter().filter(|p| !missing.contains(&p.file())) {
                let found = Finding::new(Code::InputHashMismatch, problem.file(), problem.text());
                findings.push(found);
            }
        }
    }
}

/// The stored model input must follow from the other inputs, where our own code assembled it.
pub(super) fn check_model_input(state: &RoundState, findings: &mut Vec<Finding>) {
    // A changed input was reported; that the whole differs from it would only say so twice.
    if findings
        .iter()
        .any(|finding| finding.code == Code::InputHashMismatch)
    {
        return;
    }
    let inputs = &state.inputs;
    let Ok(Some(stored)) = inputs.folder.read_optional(layout::MODEL_INPUT) else {
        return;
    };
    let (code, text) = match inputs.manifest.methodology.enforcement() {
        Enforcement::Reproduce => {
            let text = "nothing shows that this is what was sent";
            (Code::ModelInputNotHashed, text.to_owned())
        }
        Enforcement::Refuse => match model_input::assembled(inputs) {
            Ok(text) if text.as_bytes() == stored => return,
            Ok(_) => {
                let text = "does not follow from the other frozen inputs";
                (Code::ModelInputDiffers, text.to_owned())
            }
            Err(error) => (Code::ModelInputDiffers, error.to_string()),
        },
    };
    findings.push(Finding::new(code, layout::MODEL_INPUT, text));
}

/// The window must be the one its own rule gives.
fn check_window(manifest: &Manifest) -> Option<String> {
    let (rule, deadline) = (manifest.window_rule?, manifest.decision_deadline.as_ref()?);
    let plan = match plan_window(deadline.at(), manifest.track()?, rule) {
        Ok(plan) => plan,
        Err(error) => return Some(error.to_string()),
    };
    let (entry, exit) = (plan.window.entry, plan.window.exit);
    (manifest.window != Some(plan.window))
        .then(|| format!("{rule} with deadline {deadline} gives {entry} to {exit}"))
}

/// Compares the research with its digests and with the briefing.
pub(super) fn check_research(folder: &RoundFolder, findings: &mut Vec<Finding>) {
    if !folder.file(layout::RESEARCH).is_dir() {
        let text = "the briefing cannot be traced to its research";
        findings.push(Finding::new(
            Code::ResearchNotPublished,
            layout::RESEARCH,
            text,
        ));
        return;
    }
    if let Err(error) = compare_research(folder, findings) {
        findings.push(unreadable(folder, &error));
    }
}

fn compare_research(folder: &RoundFolder, findings: &mut Vec<Finding>) -> Result<(), FileError> {
    let stored = folder.parse(layout::RESEARCH_HASHES, hashes::parse)?;
    let mut now = BTreeMap::new();
    for file in layout::RESEARCH_FILES {
        if let Some(bytes) = folder.read_optional(file)? {
            now.insert(file.to_owned(), Digest::of(&bytes));
        }
    }
    for problem in freeze::compare(&stored.unwrap_or_default(), &now, &layout::RESEARCH_FILES) {
        let found = Finding::new(Code::ResearchHashMismatch, problem.file(), problem.text());
        findings.push(found);
    }
    let briefing = folder.read_optional(layout::BRIEFING)?;
    if briefing != folder.read_optional(layout::FINAL_BRIEFING)? {
        let text = format!("differs from {}", layout::FINAL_BRIEFING);
        findings.push(Finding::new(Code::BriefingDiffers, layout::BRIEFING, text));
    }
    let record = folder.parse(layout::RESEARCH_MANIFEST, research::parse)?;
    if record.model_facing != ["final_briefing.md"] {
        let text = format!(
            "marked as shown to models: {}",
            record.model_facing.join(", ")
        );
        findings.push(Finding::new(
            Code::ResearchExposed,
            layout::RESEARCH_MANIFEST,
            text,
        ));
    }
    if record.round_id != folder.name() {
        let text = format!("belongs to {}", record.round_id);
        findings.push(Finding::new(
            Code::RoundIdMismatch,
            layout::RESEARCH_MANIFEST,
            text,
        ));
    }
    Ok(())
}

/// Checks what the manifest says about itself.
pub(super) fn check_manifest(state: &RoundState, findings: &mut Vec<Finding>) {
    let manifest = &state.inputs.manifest;
    let name = state.inputs.folder.name();
    let mut add = |code, detail: String| {
        findings.push(Finding::new(code, layout::MANIFEST, detail));
    };
    if manifest.round_id.as_str() != name {
        add(
            Code::RoundIdMismatch,
            format!("names the round {}", manifest.round_id),
        );
    }
    match &manifest.roster {
        Some(roster) => {
            let expected = roster.expected_version(&manifest.methodology);
            if roster.version != expected {
                let text = format!("is {}; the ids give {expected}", roster.version);
                add(Code::RosterVersionMismatch, text);
            }
        }
        None => add(Code::RosterNotFrozen, "has no expected_model_ids".into()),
    }
    if let Some(text) = check_window(manifest) {
        add(Code::WindowDiffers, text);
    }
    if manifest.stream == Stream::Pilot {
        add(Code::Pilot, "publication_stream is pilot".into());
    }
}

/// Checks what the prompt must not say.
pub(super) fn check_prompt(state: &RoundState, findings: &mut Vec<Finding>) {
    let Ok(bytes) = state.inputs.folder.read(layout::PROMPT) else {
        return;
    };
    let text = String::from_utf8_lossy(&bytes);
    if prompt::steers_to_reference(&text) {
        let detail = "tells models when to allocate to the reference";
        findings.push(Finding::new(Code::PromptSteers, layout::PROMPT, detail));
    }
    let track = state.inputs.manifest.track();
    if let Some(phrase) = track.and_then(|track| prompt::foreign_horizon(&text, track)) {
        let detail = format!("says {phrase:?}");
        findings.push(Finding::new(
            Code::PromptForeignHorizon,
            layout::PROMPT,
            detail,
        ));
    }
}
