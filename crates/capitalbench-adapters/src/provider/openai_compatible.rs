//! Everybody who speaks like `OpenAI`'s chat completions, each with its few peculiarities as data.

use serde_json::{Value, json};

use super::answer::{Answer, count};
use super::capabilities::SchemaSupport;
use super::endpoint::{BEARER, Endpoint};
use super::settings::SCHEMA_NAME;
use super::{
    CallFailure, Provider, Question, RawAnswer, Reply, SendFuture, Settings, SetupError, Tokens,
    chat, wire_schema,
};
use crate::http::HttpClient;
use crate::secret::ApiKey;

/// Who is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Host {
    /// `DeepSeek`.
    DeepSeek,
    /// Mistral.
    Mistral,
    /// Groq.
    Groq,
    /// Together.
    Together,
    /// Fireworks.
    Fireworks,
    /// `OpenRouter`, which must not choose by itself who answers.
    OpenRouter {
        /// The only hosts that may answer, as `OpenRouter` names them.
        only: Vec<String>,
    },
    /// vLLM.
    Vllm,
    /// llama.cpp's server.
    LlamaCpp,
    /// A server of which no more is known.
    Other,
}

impl Host {
    /// Whose limits it shares.
    pub fn name(&self) -> &'static str {
        match self {
            Self::DeepSeek => "deepseek",
            Self::Mistral => "mistral",
            Self::Groq => "groq",
            Self::Together => "together",
            Self::Fireworks => "fireworks",
            Self::OpenRouter { .. } => "openrouter",
            Self::Vllm => "vllm",
            Self::LlamaCpp => "llama_cpp",
            Self::Other => "openai_compatible",
        }
    }

    /// Where it answers by itself, if that is known.
    pub fn default_base_url(&self) -> Option<&'static str> {
        Some(match self {
            Self::DeepSeek => "https://api.deepseek.com",
            Self::Mistral => "https://api.mistral.ai/v1",
            Self::Groq => "https://api.groq.com/openai/v1",
            Self::Together => "https://api.together.xyz/v1",
            Self::Fireworks => "https://api.fireworks.ai/inference/v1",
            Self::OpenRouter { .. } => "https://openrouter.ai/api/v1",
            Self::Vllm => "http://127.0.0.1:8000/v1",
            Self::LlamaCpp => "http://127.0.0.1:8080/v1",
            Self::Other => return None,
        })
    }

    fn tokens_field(&self) -> &'static str {
        match self {
            Self::Groq => "max_completion_tokens",
            _ => "max_tokens",
        }
    }

    /// How an effort is said.
    fn effort(&self, effort: &str) -> (&'static str, Value) {
        match self {
            Self::DeepSeek if effort == "none" => ("thinking", json!({"type": "disabled"})),
            Self::OpenRouter { .. } => ("reasoning", json!({"effort": effort, "exclude": true})),
            _ => ("reasoning_effort", json!(effort)),
        }
    }

    /// What else must be said so that nothing is altered, dropped or added on the way.
    fn further(&self) -> Vec<(&'static str, Value)> {
        match self {
            Self::Mistral => vec![("safe_prompt", json!(false))],
            Self::Fireworks => vec![("context_length_exceeded_behavior", json!("error"))],
            Self::OpenRouter { only } => vec![
                (
                    "provider",
                    json!({"only": only, "allow_fallbacks": false, "require_parameters": true,
                           "data_collection": "deny"}),
                ),
                ("plugins", json!([])),
                ("transforms", json!([])),
            ],
            _ => Vec::new(),
        }
    }
}

/// A model behind an address that speaks like `OpenAI`'s chat completions.
#[derive(Debug, Clone)]
pub struct OpenAiCompatible {
    endpoint: Endpoint,
    settings: Settings,
    host: Host,
}

impl OpenAiCompatible {
    /// A model at an address such as [`Host::default_base_url`]; local servers need no key.
    pub fn new(
        http: HttpClient,
        base_url: &str,
        key: Option<ApiKey>,
        settings: Settings,
        host: Host,
    ) -> Result<Self, SetupError> {
        settings.check()?;
        let endpoint = Endpoint::new(http, base_url, key, BEARER)?;
        let pinned = match &host {
            Host::OpenRouter { only } => {
                !only.is_empty() && only.iter().all(|name| !name.trim().is_empty())
            }
            _ => !endpoint.host().ends_with("openrouter.ai"),
        };
        if !pinned {
            return Err(SetupError::NoRoutingPin);
        }
        Ok(Self {
            endpoint,
            settings,
            host,
        })
    }
}

/// The body of a call.
pub fn request_body(host: &Host, settings: &Settings, question: &Question<'_>) -> Value {
    let mut body = json!({
        "model": settings.api_model_name,
        "messages": [{"role": "user", "content": question.input}],
    });
    body[host.tokens_field()] = json!(question.max_output_tokens);
    if let Some(effort) = settings.effort_sent() {
        let (field, value) = host.effort(effort);
        body[field] = value;
    }
    if let Some(temperature) = settings.temperature_sent() {
        body["temperature"] = json!(temperature);
    }
    if let Some(schema) = settings.schema(question) {
        body["response_format"] = json!({"type": "json_schema", "json_schema": {
            "name": SCHEMA_NAME,
            "strict": true,
            "schema": wire_schema::compatible(schema),
        }});
    } else if settings.capabilities.schema == SchemaSupport::JsonMode && question.schema.is_some() {
        body["response_format"] = json!({"type": "json_object"});
    }
    for (field, value) in host.further() {
        body[field] = value;
    }
    body["stream"] = json!(false);
    body
}

impl Provider for OpenAiCompatible {
    fn name(&self) -> &'static str {
        self.host.name()
    }

    fn send<'a>(&'a self, question: Question<'a>) -> SendFuture<'a> {
        let body = request_body(&self.host, &self.settings, &question);
        Box::pin(async move {
            let path = ["chat", "completions"];
            self.endpoint.post(&path, &body, question.time_limit).await
        })
    }

    fn read(&self, answer: &RawAnswer) -> Result<Reply, CallFailure> {
        chat::read(Answer::new(answer, self.endpoint.key()), tokens)
    }
}

fn tokens(body: &Value) -> Tokens {
    let cached = [
        "/usage/prompt_tokens_details/cached_tokens",
        "/usage/prompt_cache_hit_tokens",
        "/usage/num_cached_tokens",
    ];
    Tokens {
        input: count(body, "/usage/prompt_tokens"),
        cached: cached.iter().find_map(|place| count(body, place)),
        cache_written: count(body, "/usage/prompt_tokens_details/cache_write_tokens"),
        output: count(body, "/usage/completion_tokens"),
        reasoning: count(body, "/usage/completion_tokens_details/reasoning_tokens"),
    }
}
