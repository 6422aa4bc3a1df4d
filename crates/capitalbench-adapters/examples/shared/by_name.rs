//! Providers by their names in a models file, for tests and examples of this crate.

use std::time::Duration;

use capitalbench_adapters::http::{HttpClient, HttpLimits, Reach};
use capitalbench_adapters::provider::{
    Anthropic, AzureOpenAi, Family, Google, Host, Ollama, OpenAi, Provider, RemoteModel, Settings,
    SetupError, Wire, XAi,
};
use capitalbench_adapters::secret::ApiKey;
use capitalbench_core::asking::call_settings::CallSettings;

/// A model at an address, or why it cannot be set up; none where nobody knows the provider.
pub(crate) fn provider(
    name: &str,
    model: &str,
    calls: &CallSettings,
    base_url: &str,
) -> Option<Result<Box<dyn Provider>, SetupError>> {
    let settings = |family| Settings::new(family, model).with_calls(calls.clone());
    let host = match name {
        "openai" => return Some(open(OpenAi, settings(Family::OpenAi), base_url)),
        "azure_openai" => return Some(open(AzureOpenAi, settings(Family::OpenAi), base_url)),
        "anthropic" => return Some(open(Anthropic, settings(Family::Anthropic), base_url)),
        "google" => return Some(open(Google, settings(Family::Google), base_url)),
        "xai" => return Some(open(XAi, settings(Family::XAi), base_url)),
        "ollama" => return Some(open(Ollama, settings(Family::Ollama), base_url)),
        "deepseek" => Host::DeepSeek,
        "mistral" => Host::Mistral,
        "groq" => Host::Groq,
        "together" => Host::Together,
        "fireworks" => Host::Fireworks,
        "openrouter" => Host::OpenRouter,
        "cohere" => Host::Cohere,
        "moonshot" => Host::Moonshot,
        "qwen" => Host::Qwen,
        "zhipu" => Host::Zhipu,
        "minimax" => Host::MiniMax,
        "cerebras" => Host::Cerebras,
        "huggingface" => Host::HuggingFace,
        "bedrock" => Host::Bedrock,
        "vertex" => Host::Vertex,
        "vllm" => Host::Vllm,
        "llama_cpp" => Host::LlamaCpp,
        "openai_compatible" => Host::Other,
        _ => return None,
    };
    Some(open(host, settings(host.family()), base_url))
}

fn open<W: Wire + 'static>(
    wire: W,
    settings: Settings,
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
    let model = RemoteModel::new(wire, http, base_url, key, settings)?;
    Ok(Box::new(model))
}
