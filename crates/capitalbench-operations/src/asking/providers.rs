//! Which provider answers for a configured model.

use std::path::Path;
use std::time::Duration;

use capitalbench_adapters::http::{Reach, check_base_url};
use capitalbench_adapters::provider::mock::{Fault, GoesBy, Habit, Mock, MockModel, Script};
use capitalbench_adapters::provider::replay::Replay;
use capitalbench_adapters::provider::{
    Anthropic, AzureOpenAi, Family, Google, Host, Ollama, OpenAi, Provider, RemoteModel, Settings,
    SetupError, XAi, check,
};
use capitalbench_adapters::secret::ApiKey;
use capitalbench_archive::format::round::models::ModelSettings;
use capitalbench_archive::format::utf8;
use capitalbench_archive::round::round_folder::RoundInputs;
use capitalbench_archive::run::ledger::RunPlan;
use capitalbench_core::asking::call_settings::CallSettings;
use capitalbench_core::asking::run::Calls;
use capitalbench_core::market::invented::Illness;
use capitalbench_core::round::manifest::host_of;
use capitalbench_core::values::similar::closest;
use jiff::Timestamp;
use serde_json::Value;

use self::Kind::Compatible;
use crate::error::Error;
use crate::operator::configuration::Configuration;
use crate::operator::files::read;
use crate::prices::invented::market_of;
use crate::prices::sources::rounds_of;

/// Whether a provider of this name works without a network.
pub fn is_offline(provider: &str) -> bool {
    ["mock", "replay"].contains(&provider)
}

/// What a provider is opened with.
pub struct ProviderSettings<'a> {
    /// The model and how it is asked.
    pub model: &'a ModelSettings,
    /// The round, for providers that answer without a network.
    pub inputs: &'a RoundInputs,
    /// A rehearsal is answered by the mock, whatever the model's provider.
    pub plan: &'a RunPlan,
    /// What is invented may be down now.
    pub now: Timestamp,
    /// Attempts of this model that were begun before.
    pub attempts_made: usize,
    /// Whether its key is not set: it is not asked, but answers that are on the disk are read.
    pub lacks_key: bool,
}

/// Opens the provider of a model.
pub fn open_provider(
    configuration: &Configuration,
    settings: &ProviderSettings<'_>,
) -> Result<Box<dyn Provider>, Error> {
    let contestant = &settings.model.contestant;
    match contestant.provider.as_str() {
        "replay" => Ok(Box::new(replay(settings)?)),
        _ if settings.plan.calls != Calls::Real => Ok(Box::new(mock(settings)?)),
        _ if settings.lacks_key => connect_with(configuration, settings.model, None),
        _ => connect(configuration, settings.model),
    }
}

/// Opens a provider that is asked over HTTP.
pub fn connect(
    configuration: &Configuration,
    model: &ModelSettings,
) -> Result<Box<dyn Provider>, Error> {
    let key = key_variable(model)
        .map(|name| configuration.key(name))
        .transpose()?;
    connect_with(configuration, model, key)
}

fn connect_with(
    configuration: &Configuration,
    model: &ModelSettings,
    key: Option<ApiKey>,
) -> Result<Box<dyn Provider>, Error> {
    let id = &model.contestant.model_id;
    let (_, _, kind) = required(model)?;
    let http = configuration.http(reach(model, kind, configuration))?;
    let base_url = required_base_url(model)?;
    let settings = settings(model, kind);
    let opened: Result<Box<dyn Provider>, SetupError> = match kind {
        Kind::OpenAi => RemoteModel::new(OpenAi, http, base_url, key, settings).map(boxed),
        Kind::Azure => RemoteModel::new(AzureOpenAi, http, base_url, key, settings).map(boxed),
        Kind::Anthropic => RemoteModel::new(Anthropic, http, base_url, key, settings).map(boxed),
        Kind::Google => RemoteModel::new(Google, http, base_url, key, settings).map(boxed),
        Kind::XAi => RemoteModel::new(XAi, http, base_url, key, settings).map(boxed),
        Kind::Ollama => RemoteModel::new(Ollama, http, base_url, key, settings).map(boxed),
        Kind::Compatible(host) => RemoteModel::new(*host, http, base_url, key, settings).map(boxed),
    };
    opened.map_err(|error| Error::new(format!("{id}: {error}")))
}

/// Refuses a model that could not be asked as it is configured, without a key and without a call.
pub fn check_model(model: &ModelSettings) -> Result<(), Error> {
    let (id, name) = (&model.contestant.model_id, &model.contestant.provider);
    if is_offline(name) {
        return Ok(());
    }
    let (_, _, kind) = required(model)?;
    let wrong = |error: SetupError| Error::new(format!("{id}: {error}"));
    let base_url = required_base_url(model)?;
    check_base_url(base_url).map_err(|error| wrong(error.into()))?;
    let host = host_of(base_url).unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default();
    let settings = settings(model, kind);
    let checked = match kind {
        Kind::OpenAi => check(&OpenAi, host, &settings),
        Kind::Azure => check(&AzureOpenAi, host, &settings),
        Kind::Anthropic => check(&Anthropic, host, &settings),
        Kind::Google => check(&Google, host, &settings),
        Kind::XAi => check(&XAi, host, &settings),
        Kind::Ollama => check(&Ollama, host, &settings),
        Kind::Compatible(compatible) => check(compatible, host, &settings),
    };
    checked.map_err(wrong)
}

/// The row of a model's provider; an unknown one is named with the nearest known one.
fn required(model: &ModelSettings) -> Result<&'static Known, Error> {
    let (id, name) = (&model.contestant.model_id, &model.contestant.provider);
    known(name).ok_or_else(|| {
        let names = PROVIDERS.iter().map(|(name, ..)| *name);
        let text = format!("{id}: the provider {name} is not known");
        let error = match closest(name, names.clone()) {
            Some(near) => Error::new(format!("{text}; did you mean {near}?")),
            None => Error::new(text),
        };
        let names: Vec<&str> = names.collect();
        error.hint(format!(
            "the known ones are {}; any other address with OpenAI's chat format is openai_compatible",
            names.join(", ")
        ))
    })
}

fn required_base_url(model: &ModelSettings) -> Result<&str, Error> {
    base_url(model).ok_or_else(|| {
        let (id, name) = (&model.contestant.model_id, &model.contestant.provider);
        let text = format!("{id}: base_url is required for the provider {name}");
        match known(name) {
            Some((_, _, Kind::Azure)) => {
                Error::new(text).hint("it looks like https://RESOURCE.openai.azure.com/openai/v1")
            }
            Some((_, _, Compatible(Host::Bedrock))) => Error::new(text)
                .hint("it looks like https://bedrock-runtime.REGION.amazonaws.com/openai/v1"),
            Some((_, _, Compatible(Host::Vertex))) => Error::new(text).hint(
                "it looks like https://REGION-aiplatform.googleapis.com/v1/projects/PROJECT/\
                 locations/REGION/endpoints/openapi",
            ),
            _ => Error::new(text),
        }
    })
}

/// What the models file says and what the table knows about a model.
fn settings(model: &ModelSettings, kind: &Kind) -> Settings {
    let family = match kind {
        Kind::OpenAi | Kind::Azure => Family::OpenAi,
        Kind::Anthropic => Family::Anthropic,
        Kind::Google => Family::Google,
        Kind::XAi => Family::XAi,
        Kind::Ollama => Family::Ollama,
        Kind::Compatible(host) => host.family(),
    };
    let calls = CallSettings {
        max_output_tokens: Some(model.max_output_tokens),
        ..model.settings.clone()
    };
    Settings::new(family, &model.contestant.api_model_name).with_calls(calls)
}

/// The variable that holds the key of a model; none where it needs no key.
pub fn key_variable(model: &ModelSettings) -> Option<&str> {
    let usual = known(&model.contestant.provider).and_then(|(_, variable, _)| *variable);
    model.key_variable.as_deref().or(usual)
}

/// Where a model is asked; none without a network, or where no address is known.
pub fn base_url(model: &ModelSettings) -> Option<&str> {
    let (_, _, kind) = known(&model.contestant.provider)?;
    let usual = match kind {
        Kind::OpenAi => Some(OpenAi::DEFAULT_BASE_URL),
        Kind::Azure => None,
        Kind::Anthropic => Some(Anthropic::DEFAULT_BASE_URL),
        Kind::Google => Some(Google::DEFAULT_BASE_URL),
        Kind::XAi => Some(XAi::DEFAULT_BASE_URL),
        Kind::Ollama => Some(Ollama::DEFAULT_BASE_URL),
        Kind::Compatible(host) => host.default_base_url(),
    };
    model.base_url.as_deref().or(usual)
}

/// A provider that the operator runs may have a private address; others only where
/// `metadata: {local: true}` or the configuration allows it.
fn reach(model: &ModelSettings, kind: &Kind, configuration: &Configuration) -> Reach {
    let own = matches!(
        kind,
        Kind::Ollama | Kind::Compatible(Host::Vllm | Host::LlamaCpp)
    );
    if own || model.metadata["local"].as_bool() == Some(true) {
        return Reach::Local;
    }
    configuration.reach()
}

/// Names under which the requested model may answer.
pub fn served_models(model: &ModelSettings) -> Vec<String> {
    let own = std::iter::once(&model.contestant.api_model_name);
    own.chain(&model.settings.served_models).cloned().collect()
}

fn boxed<P: Provider + 'static>(provider: P) -> Box<dyn Provider> {
    Box::new(provider)
}

/// The wire format a provider name stands for.
pub enum Kind {
    OpenAi,
    /// `OpenAI`'s format at an address of Azure.
    Azure,
    Anthropic,
    Google,
    XAi,
    Ollama,
    Compatible(Host),
}

/// A provider's name, the variable of its key, and what it speaks; a local one has no key unless the
/// model names it.
pub type Known = (&'static str, Option<&'static str>, Kind);

const fn keyed(name: &'static str, key: &'static str, kind: Kind) -> Known {
    (name, Some(key), kind)
}

pub static PROVIDERS: [Known; 24] = [
    keyed("openai", "OPENAI_API_KEY", Kind::OpenAi),
    keyed("azure_openai", "AZURE_OPENAI_API_KEY", Kind::Azure),
    keyed("anthropic", "ANTHROPIC_API_KEY", Kind::Anthropic),
    keyed("google", "GOOGLE_API_KEY", Kind::Google),
    keyed("xai", "XAI_API_KEY", Kind::XAi),
    keyed("deepseek", "DEEPSEEK_API_KEY", Compatible(Host::DeepSeek)),
    keyed("mistral", "MISTRAL_API_KEY", Compatible(Host::Mistral)),
    keyed("groq", "GROQ_API_KEY", Compatible(Host::Groq)),
    keyed("together", "TOGETHER_API_KEY", Compatible(Host::Together)),
    keyed(
        "fireworks",
        "FIREWORKS_API_KEY",
        Compatible(Host::Fireworks),
    ),
    keyed(
        "openrouter",
        "OPENROUTER_API_KEY",
        Compatible(Host::OpenRouter),
    ),
    keyed("cohere", "COHERE_API_KEY", Compatible(Host::Cohere)),
    keyed("moonshot", "MOONSHOT_API_KEY", Compatible(Host::Moonshot)),
    keyed("qwen", "DASHSCOPE_API_KEY", Compatible(Host::Qwen)),
    keyed("zhipu", "ZAI_API_KEY", Compatible(Host::Zhipu)),
    keyed("minimax", "MINIMAX_API_KEY", Compatible(Host::MiniMax)),
    keyed("cerebras", "CEREBRAS_API_KEY", Compatible(Host::Cerebras)),
    keyed("huggingface", "HF_TOKEN", Compatible(Host::HuggingFace)),
    keyed(
        "bedrock",
        "AWS_BEARER_TOKEN_BEDROCK",
        Compatible(Host::Bedrock),
    ),
    keyed("vertex", "VERTEX_ACCESS_TOKEN", Compatible(Host::Vertex)),
    ("vllm", None, Compatible(Host::Vllm)),
    ("llama_cpp", None, Compatible(Host::LlamaCpp)),
    ("ollama", None, Kind::Ollama),
    ("openai_compatible", None, Compatible(Host::Other)),
];

fn known(name: &str) -> Option<&'static Known> {
    PROVIDERS.iter().find(|(known, ..)| *known == name)
}

fn mock(settings: &ProviderSettings<'_>) -> Result<Mock, Error> {
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
        seed: settings.plan.seed,
    };
    Ok(Mock::new(model, script(settings)?))
}

/// `metadata: {mock: {delay_ms: 20, faults: [timeout], …}}` of a model.
fn script(settings: &ProviderSettings<'_>) -> Result<Script, Error> {
    let given = &settings.model.metadata["mock"];
    let words = given["faults"].as_array().cloned().unwrap_or_default();
    let fault = |word: &Value| {
        let known = word.as_str().and_then(Fault::parse);
        known.ok_or_else(|| {
            let id = &settings.model.contestant.model_id;
            Error::new(format!(
                "{id}: metadata.mock.faults: {word} is not a known fault"
            ))
        })
    };
    Ok(Script {
        delay: Duration::from_millis(given["delay_ms"].as_u64().unwrap_or(0)),
        faults: words.iter().map(fault).collect::<Result<_, _>>()?,
        always: ill(settings)?,
        calls_made: settings.attempts_made,
        habit: habit(settings)?,
    })
}

/// `metadata: {mock: {goes_by: place, mood_pct: 20}}` of a model.
fn habit(settings: &ProviderSettings<'_>) -> Result<Option<Habit>, Error> {
    let given = &settings.model.metadata["mock"];
    let Some(word) = given["goes_by"].as_str() else {
        return Ok(None);
    };
    let goes_by = GoesBy::parse(word).ok_or_else(|| {
        let id = &settings.model.contestant.model_id;
        Error::new(format!("{id}: metadata.mock.goes_by: {word} is not known"))
            .hint("use place, name, table or itself")
    })?;
    Ok(Some(Habit {
        goes_by,
        mood_pct: given["mood_pct"].as_u64().unwrap_or(0),
    }))
}

/// How every call of a model fails now, by the invented market of its folder of rounds.
fn ill(settings: &ProviderSettings<'_>) -> Result<Option<Fault>, Error> {
    let rounds = rounds_of(settings.inputs.folder.path())?;
    let market = market_of(&rounds)?;
    let id = settings.model.contestant.model_id.as_str();
    Ok(market
        .illness(id, settings.now)
        .map(|illness| match illness {
            Illness::Down => Fault::Server,
            Illness::Retired => Fault::NoModel,
        }))
}

/// `metadata: {replies: [FILE, …]}` of a model.
fn replay(settings: &ProviderSettings<'_>) -> Result<Replay, Error> {
    let contestant = &settings.model.contestant;
    let files = settings.model.metadata["replies"].as_array();
    let files = files.ok_or_else(|| {
        let id = &contestant.model_id;
        Error::new(format!("{id}: metadata.replies must list files"))
    })?;
    let mut texts = Vec::new();
    for file in files.iter().filter_map(Value::as_str).map(Path::new) {
        texts.push(read(file, |bytes| Ok(utf8(bytes)?.to_owned()))?);
    }
    let name = contestant.provider.clone();
    Ok(Replay::new(name, texts, settings.attempts_made))
}
