//! Providers by their names in a models file, for tests and examples of this crate.

use std::time::Duration;

use capitalbench_adapters::http::{HttpClient, HttpLimits, Reach};
use capitalbench_adapters::provider::{
    Anthropic, Capabilities, Family, Google, Host, Ollama, OpenAi, Provider, RemoteModel,
    SchemaSupport, Settings, SetupError, Wire, XAi,
};
use capitalbench_adapters::secret::ApiKey;
use capitalbench_core::asking::call_settings::{
    CallSettings, ReasoningSetting, SchemaMode, TemperatureSetting,
};

/// A model at an address, or why it cannot be set up; none where nobody knows the provider.
pub(crate) fn provider(
    name: &str,
    model: &str,
    calls: &CallSettings,
    base_url: &str,
) -> Option<Result<Box<dyn Provider>, SetupError>> {
    let host = match name {
        "openai" => return Some(open(OpenAi, Family::OpenAi, model, calls, base_url)),
        "anthropic" => return Some(open(Anthropic, Family::Anthropic, model, calls, base_url)),
        "google" => return Some(open(Google, Family::Google, model, calls, base_url)),
        "xai" => return Some(open(XAi, Family::XAi, model, calls, base_url)),
        "ollama" => return Some(open(Ollama, Family::Compatible, model, calls, base_url)),
        "deepseek" => Host::DeepSeek,
        "mistral" => Host::Mistral,
        "groq" => Host::Groq,
        "together" => Host::Together,
        "fireworks" => Host::Fireworks,
        "openrouter" => Host::OpenRouter {
            only: calls.routing.clone(),
        },
        "vllm" => Host::Vllm,
        "llama_cpp" => Host::LlamaCpp,
        "openai_compatible" => Host::Other,
        _ => return None,
    };
    Some(open(host, Family::Compatible, model, calls, base_url))
}

fn open<W: Wire + 'static>(
    wire: W,
    family: Family,
    model: &str,
    calls: &CallSettings,
    base_url: &str,
) -> Result<Box<dyn Provider>, SetupError> {
    let limits = HttpLimits {
        connect_timeout: Duration::from_secs(20),
        total_timeout: Duration::from_secs(20),
        body_bytes: 1 << 20,
        reach: Reach::Local,
    };
    let http = HttpClient::new(limits).expect("a client");
    let key = ApiKey::new("a-key-that-nobody-has-ever-had".to_owned());
    let settings = settings(family, model, calls);
    let model = RemoteModel::new(wire, http, base_url, key, settings)?;
    Ok(Box::new(model))
}

fn settings(family: Family, model: &str, calls: &CallSettings) -> Settings {
    let mut capabilities = Capabilities::of(family, model);
    match calls.schema_mode {
        None => {}
        Some(SchemaMode::Full) => capabilities.schema = SchemaSupport::Full,
        Some(SchemaMode::Json) => capabilities.schema = SchemaSupport::JsonMode,
        Some(SchemaMode::None) => capabilities.schema = SchemaSupport::Absent,
    }
    let temperature = match calls.temperature {
        Some(TemperatureSetting::Value(value)) => Some(value),
        _ => None,
    };
    let reasoning_effort = match &calls.reasoning {
        Some(ReasoningSetting::Effort(word)) => Some(word.clone()),
        Some(ReasoningSetting::Off) => Some("none".to_owned()),
        Some(ReasoningSetting::Budget(tokens)) => Some(tokens.to_string()),
        _ => None,
    };
    Settings {
        api_model_name: model.to_owned(),
        temperature,
        reasoning_effort,
        capabilities,
    }
}
