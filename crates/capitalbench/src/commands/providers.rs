//! Which provider answers for a configured model.

use std::path::Path;
use std::time::Duration;

use capitalbench_adapters::provider::Provider;
use capitalbench_adapters::provider::mock::{Fault, Mock, MockModel, Script};
use capitalbench_adapters::provider::replay::Replay;
use capitalbench_archive::error::FileError;
use capitalbench_archive::file_ops;
use capitalbench_archive::format::models::ModelSettings;
use capitalbench_archive::format::utf8;
use capitalbench_archive::round_folder::RoundInputs;
use capitalbench_core::run::Calls;
use serde_json::Value;

use crate::error::CommandError;

/// Whether a provider of this name works without a network.
pub(super) fn is_offline(provider: &str) -> bool {
    ["mock", "replay"].contains(&provider)
}

/// What a provider is opened with.
pub(super) struct ProviderSettings<'a> {
    /// The model and how it is asked.
    pub(super) model: &'a ModelSettings,
    /// The round, for those that answer without asking anybody.
    pub(super) inputs: &'a RoundInputs,
    /// A rehearsal is answered by the mock, whatever the model's provider.
    pub(super) calls: Calls,
    /// Attempts of this model that were begun before.
    pub(super) attempts_made: usize,
}

/// Opens the provider of a model.
pub(super) fn open_provider(
    settings: &ProviderSettings<'_>,
) -> Result<Box<dyn Provider>, CommandError> {
    let contestant = &settings.model.contestant;
    match contestant.provider.as_str() {
        "replay" => Ok(Box::new(replay(settings)?)),
        _ if settings.calls == Calls::Mock => Ok(Box::new(mock(settings)?)),
        other => {
            let id = &contestant.model_id;
            let text = format!("{id}: the provider {other} is not built in yet");
            Err(CommandError::new(text).hint("rehearse with --mock"))
        }
    }
}

fn mock(settings: &ProviderSettings<'_>) -> Result<Mock, CommandError> {
    let (inputs, contestant) = (settings.inputs, &settings.model.contestant);
    let limits = &inputs.manifest.constraints;
    let allowed = inputs.universe.options().iter().filter(|option| {
        (limits.allow_cash || !option.is_cash())
            && (limits.allow_reference || !option.counts_as_reference())
    });
    let model = MockModel {
        model_id: contestant.model_id.clone(),
        provider: contestant.provider.clone(),
        round_id: inputs.manifest.round_id.clone(),
        options: allowed.map(|option| option.id.clone()).collect(),
        format: inputs.manifest.format,
        constraints: limits.clone(),
        seed: 0,
    };
    Ok(Mock::new(model, script(settings)?))
}

/// `metadata: {mock: {delay_ms: 20, faults: [timeout]}}` of a model.
fn script(settings: &ProviderSettings<'_>) -> Result<Script, CommandError> {
    let given = &settings.model.metadata["mock"];
    let words = given["faults"].as_array().cloned().unwrap_or_default();
    let fault = |word: &Value| {
        let known = word.as_str().and_then(Fault::parse);
        known.ok_or_else(|| {
            let id = &settings.model.contestant.model_id;
            CommandError::new(format!("{id}: metadata.mock.faults: {word} is no fault"))
        })
    };
    Ok(Script {
        delay: Duration::from_millis(given["delay_ms"].as_u64().unwrap_or(0)),
        faults: words.iter().map(fault).collect::<Result<_, _>>()?,
        calls_made: settings.attempts_made,
    })
}

/// `metadata: {replies: [FILE, …]}` of a model.
fn replay(settings: &ProviderSettings<'_>) -> Result<Replay, CommandError> {
    let contestant = &settings.model.contestant;
    let files = settings.model.metadata["replies"].as_array();
    let files = files.ok_or_else(|| {
        let id = &contestant.model_id;
        CommandError::new(format!("{id}: metadata.replies must list files"))
    })?;
    let mut texts = Vec::new();
    for file in files.iter().filter_map(Value::as_str).map(Path::new) {
        let bytes = file_ops::read(file).map_err(FileError::from)?;
        let text = utf8(&bytes).map_err(|fault| fault.in_file(file))?;
        texts.push(text.to_owned());
    }
    let name = contestant.provider.clone();
    Ok(Replay::new(name, texts, settings.attempts_made))
}
