//! `show-prompt`: the exact text that models are sent.

use capitalbench_archive::disk::layout;
use capitalbench_archive::format::utf8;
use capitalbench_archive::round::freeze;
use capitalbench_archive::round::lane_form::LaneForm;
use capitalbench_archive::round::model_input::assembled;
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_core::asking::prompt::call_suffix;
use capitalbench_core::asking::tokens::{estimate, measured_providers};
use capitalbench_core::round::methodology::Enforcement;
use capitalbench_core::values::ids::ModelId;
use serde_json::json;

use crate::cli::ShowPrompt;
use crate::console::{DIM, WARNING, document, is_json, line, paint, remark};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &ShowPrompt) -> Result<Exit, Error> {
    let folder = RoundFolder::open(&arguments.round.path)?;
    freeze::require_unchanged(&folder)?;
    let inputs = RoundInputs::load(folder.clone(), &Universes::default())?;
    let frozen = freeze::stored_digests(&folder)?.is_some();
    // A text that lies in a draft was never sent and is replaced when the round is frozen.
    let stored = frozen && folder.file(layout::MODEL_INPUT).is_file();
    let ours = inputs.manifest.methodology.enforcement() == Enforcement::Refuse;
    if !stored && !ours {
        let text = format!("{} did not keep what was sent", folder.name());
        let hint =
            "an older round's input cannot be made again; read its prompt.md and briefing.md";
        return Err(Error::new(text).hint(hint));
    }
    let mut text = if let Some(lane) = arguments.lane {
        LaneForm::of(&inputs, lane)?.text
    } else if stored {
        folder.parse(layout::MODEL_INPUT, |bytes| Ok(utf8(bytes)?.to_owned()))?
    } else {
        assembled(&inputs)?
    };
    if let Some(model) = &arguments.model {
        let model_id = ModelId::parse(model).map_err(|error| Error::new(error.to_string()))?;
        let provider = provider(arguments.provider.as_deref(), model)?;
        text.push('\n');
        text.push_str(&call_suffix(&inputs.manifest, &model_id, provider));
    }
    let tokens: Vec<(&str, u64)> = measured_providers()
        .map(|provider| (provider, estimate(&text, provider)))
        .collect();
    if is_json() {
        let tokens: serde_json::Map<String, serde_json::Value> = tokens
            .iter()
            .map(|(provider, count)| ((*provider).to_owned(), json!(count)))
            .collect();
        document(&json!({
            "round_id": folder.name(),
            "frozen": frozen,
            "text": text,
            "estimated_tokens": tokens,
        }));
        return Ok(Exit::Success);
    }
    line(text.trim_end());
    let counts: Vec<String> = tokens
        .iter()
        .map(|(provider, count)| format!("{provider} {count}"))
        .collect();
    remark(paint(
        DIM,
        format!("about this many tokens: {}", counts.join(", ")),
    ));
    if !frozen {
        let text = "not frozen: this is what would be sent if the round were frozen now";
        remark(paint(WARNING, text));
    }
    Ok(Exit::Success)
}

fn provider<'a>(given: Option<&'a str>, model: &'a str) -> Result<&'a str, Error> {
    let known = || measured_providers().find(|provider| model.starts_with(provider));
    given.or_else(known).ok_or_else(|| {
        let text = format!("--model {model}: the id does not tell its provider");
        Error::new(text).hint("add --provider NAME")
    })
}
