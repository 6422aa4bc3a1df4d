//! Frozen inputs, research, manifest and prompt.

use std::collections::BTreeSet;

use capitalbench_core::asking::option_order::listed;
use capitalbench_core::asking::prompt;
use capitalbench_core::market::calendar::plan_window;
use capitalbench_core::round::manifest::{Manifest, Stream};
use capitalbench_core::round::methodology::{Enforcement, ReplyOrder};

use super::finding::{Code, Finding, Findings};
use super::{RoundState, unreadable};
use crate::disk::error::FileError;
use crate::disk::layout;
use crate::format::{round::hashes, round::research};
use crate::round::freeze::{self, HashProblem};
use crate::round::model_input;
use crate::round::reply_form::{ReplyForm, reply_form};
use crate::round::round_folder::{RoundFolder, RoundInputs};

/// Reports instants that were given in place of the clock.
pub(super) fn check_given_instants(folder: &RoundFolder, findings: &mut Findings) {
    match folder.read_optional(layout::GIVEN_INSTANTS) {
        Ok(None) => {}
        Ok(Some(bytes)) => {
            let count = bytes
                .split(|byte| *byte == b'\n')
                .filter(|line| !line.is_empty());
            let text = format!("{} commands were given --now", count.count());
            findings.add(Code::InstantGiven, layout::GIVEN_INSTANTS, text);
        }
        Err(error) => findings.push(unreadable(folder, &error)),
    }
}

/// Compares the frozen inputs with their digests.
pub(super) fn check_hashes(folder: &RoundFolder, findings: &mut Findings) {
    let missing: Vec<&str> = layout::REQUIRED_INPUTS
        .into_iter()
        .filter(|file| !folder.file(file).exists())
        .collect();
    for file in &missing {
        findings.add(Code::UnreadableFile, *file, "does not exist");
    }
    match freeze::changes(folder) {
        Err(error) => findings.push(unreadable(folder, &error)),
        Ok(None) => {
            let text = "the inputs are not frozen; freeze them with `capitalbench hash-round`";
            findings.add(Code::Draft, layout::HASHES, text);
        }
        Ok(Some(problems)) => {
            for problem in problems.iter().filter(|p| !missing.contains(&p.file())) {
                // A public copy does not hold it, and whether it is there changes no other input.
                if *problem == HashProblem::Missing(layout::SOURCE_HISTORIES.to_owned()) {
                    let text = "was frozen, but is not here: it is the vendor's and private";
                    findings.add(Code::SourcesNotPublished, layout::SOURCE_HISTORIES, text);
                    continue;
                }
                findings.add(Code::InputHashMismatch, problem.file(), problem.text());
            }
        }
    }
}

/// The stored model input must follow from the other inputs, where this program assembled it.
pub(super) fn check_model_input(state: &RoundState, findings: &mut Findings) {
    // A changed input has a finding already; this one would only repeat it.
    let is_changed = |finding: &Finding| finding.code == Code::InputHashMismatch;
    if findings.iter().any(is_changed) {
        return;
    }
    let inputs = &state.inputs;
    let Ok(Some(stored)) = inputs.folder.read_optional(layout::MODEL_INPUT) else {
        return;
    };
    let (code, text) = match inputs.manifest.methodology.enforcement() {
        Enforcement::Reproduce => {
            let text = "nothing proves that this is the text that was sent";
            (Code::ModelInputNotHashed, text.to_owned())
        }
        Enforcement::Refuse => match model_input::assembled(inputs) {
            Ok(text) if text.as_bytes() == stored => return,
            Ok(text) => differs(&text, &String::from_utf8_lossy(&stored)),
            Err(error) => (Code::ModelInputDiffers, error.to_string()),
        },
    };
    findings.add(code, layout::MODEL_INPUT, text);
}

/// How a stored model input departs from the one that was made again.
fn differs(made: &str, stored: &str) -> (Code, String) {
    let mut pairs = listed(made).into_iter().zip(listed(stored));
    let is_same_list = {
        let sorted = |text| listed(text).into_iter().collect::<BTreeSet<&str>>();
        sorted(made) == sorted(stored)
    };
    match pairs.find(|(drawn, told)| drawn != told) {
        Some((drawn, told)) if is_same_list => {
            let text = format!("lists {told} where the order that was drawn has {drawn}");
            (Code::OptionOrderDiffers, text)
        }
        _ => {
            let text = "does not follow from the other frozen inputs";
            (Code::ModelInputDiffers, text.to_owned())
        }
    }
}

/// From v1.2 on the prompt and the schema must be those of the methodology, to the byte: the order of
/// their fields is one of its rules. Rounds of before may have a form of their own.
pub(super) fn check_reply_form(state: &RoundState, findings: &mut Findings) {
    let RoundInputs {
        folder,
        manifest,
        universe,
        ..
    } = &state.inputs;
    if manifest.methodology.reply_order() == ReplyOrder::ConfidenceBeforeReasons {
        return;
    }
    let Some(track) = manifest.track() else {
        let text = "the manifest names no week or month that the prompt could ask about";
        findings.add(Code::ReplyFormDiffers, layout::MANIFEST, text);
        return;
    };
    let ReplyForm { prompt, schema } = reply_form(manifest, track, universe);
    for (file, expected) in [(layout::PROMPT, prompt), (layout::SCHEMA, schema)] {
        match folder.read_optional(file) {
            Ok(Some(stored)) if stored == expected.as_bytes() => {}
            Ok(_) => {
                let label = manifest.methodology.label().unwrap_or_default();
                let text = format!("is not the one that {label} prescribes");
                findings.add(Code::ReplyFormDiffers, file, text);
            }
            Err(error) => findings.push(unreadable(folder, &error)),
        }
    }
}

/// The window must be the one its own rule gives.
fn check_window(manifest: &Manifest) -> Option<String> {
    let (rule, deadline) = (manifest.window_rule?, manifest.decision_deadline.as_ref()?);
    let plan = match plan_window(manifest.market, deadline.at(), manifest.track()?, rule) {
        Ok(plan) => plan,
        Err(error) => return Some(error.to_string()),
    };
    let (entry, exit) = (plan.window.entry, plan.window.exit);
    (manifest.window != Some(plan.window))
        .then(|| format!("{rule} with deadline {deadline} gives {entry} to {exit}"))
}

/// Compares the research with its digests and with the briefing.
pub(super) fn check_research(folder: &RoundFolder, findings: &mut Findings) {
    if !folder.file(layout::RESEARCH).is_dir() {
        let text = "the briefing cannot be traced to its research";
        findings.add(Code::ResearchNotPublished, layout::RESEARCH, text);
        return;
    }
    if let Err(error) = compare_research(folder, findings) {
        findings.push(unreadable(folder, &error));
    }
}

fn compare_research(folder: &RoundFolder, findings: &mut Findings) -> Result<(), FileError> {
    let stored = folder.parse(layout::RESEARCH_HASHES, hashes::parse)?;
    let now = folder.digests(layout::RESEARCH_FILES)?;
    for problem in freeze::compare(&stored.unwrap_or_default(), &now, &layout::RESEARCH_FILES) {
        findings.add(Code::ResearchHashMismatch, problem.file(), problem.text());
    }
    let briefing = folder.read_optional(layout::BRIEFING)?;
    if briefing != folder.read_optional(layout::FINAL_BRIEFING)? {
        let text = format!("differs from {}", layout::FINAL_BRIEFING);
        findings.add(Code::BriefingDiffers, layout::BRIEFING, text);
    }
    let record = folder.parse(layout::RESEARCH_MANIFEST, research::parse)?;
    if record.model_facing != ["final_briefing.md"] {
        let text = format!(
            "marks these files as shown to models: {}",
            record.model_facing.join(", ")
        );
        findings.add(Code::ResearchExposed, layout::RESEARCH_MANIFEST, text);
    }
    if record.round_id != folder.name() {
        let text = format!("belongs to {}", record.round_id);
        findings.add(Code::RoundIdMismatch, layout::RESEARCH_MANIFEST, text);
    }
    Ok(())
}

/// Checks what the manifest says about itself.
pub(super) fn check_manifest(state: &RoundState, findings: &mut Findings) {
    let manifest = &state.inputs.manifest;
    let name = state.inputs.folder.name();
    let mut add = |code, detail: String| {
        findings.add(code, layout::MANIFEST, detail);
    };
    if manifest.round_id.as_str() != name {
        let text = format!("names the round {}", manifest.round_id);
        add(Code::RoundIdMismatch, text);
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
pub(super) fn check_prompt(state: &RoundState, findings: &mut Findings) {
    let Ok(bytes) = state.inputs.folder.read(layout::PROMPT) else {
        return;
    };
    let text = String::from_utf8_lossy(&bytes);
    if prompt::steers_to_reference(&text) {
        let detail = "tells models when to allocate to the reference";
        findings.add(Code::PromptSteers, layout::PROMPT, detail);
    }
    let track = state.inputs.manifest.track();
    if let Some(phrase) = track.and_then(|track| prompt::foreign_horizon(&text, track)) {
        let detail = format!("says {phrase:?}");
        findings.add(Code::PromptForeignHorizon, layout::PROMPT, detail);
    }
}
