//! Frozen inputs, research, manifest and prompt.

use std::collections::BTreeMap;

use capitalbench_core::ids::Digest;
use capitalbench_core::manifest::Stream;
use capitalbench_core::prompt;

use super::finding::{Code, Finding};
use super::{RoundState, unreadable};
use crate::error::FileError;
use crate::format::{hashes, research};
use crate::freeze;
use crate::layout;
use crate::round_folder::RoundFolder;

/// Compares the frozen inputs with their digests; returns the digests of now.
pub(super) fn check_hashes(
    folder: &RoundFolder,
    findings: &mut Vec<Finding>,
) -> Option<BTreeMap<String, Digest>> {
    let now = match freeze::input_digests(folder) {
        Ok(now) => now,
        Err(error) => {
            findings.push(unreadable(folder, &error));
            return None;
        }
    };
    match freeze::stored_digests(folder) {
        Err(error) => findings.push(unreadable(folder, &error)),
        Ok(None) => findings.push(Finding::new(
            Code::Draft,
            layout::HASHES,
            "the inputs are not frozen; freeze them with `capitalbench hash-round`",
        )),
        Ok(Some(stored)) => {
            for problem in freeze::compare(&stored, &now, &freeze::input_set()) {
                let found = Finding::new(Code::InputHashMismatch, problem.file(), problem.text());
                findings.push(found);
            }
        }
    }
    if folder.file(layout::MODEL_INPUT).exists() {
        findings.push(Finding::new(
            Code::ModelInputNotHashed,
            layout::MODEL_INPUT,
            "nothing shows that this is what was sent",
        ));
    }
    Some(now)
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
