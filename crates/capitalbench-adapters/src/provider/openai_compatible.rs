//! Hosts that speak `OpenAI`'s chat completions, each with its few peculiarities as data.

use serde_json::{Value, json};

use super::answer::count;
use super::capabilities::SchemaSupport;
use super::{CallFailure, Question, Reply, Settings, SetupError, Tokens, Wire, chat, wire_schema};

/// A server that is asked in this format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Host {
    DeepSeek,
    Mistral,
    Groq,
    Together,
    Fireworks,
    /// A router, which must not choose by itself who answers.
    OpenRouter {
        /// The only hosts that may answer, as `OpenRouter` names them.
        only: Vec<String>,
    },
    Vllm,
    LlamaCpp,
    /// A server without known peculiarities.
    Other,
}

impl Host {
    /// The host's own address, where it has one.
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

    /// The field of a reasoning effort, and its value.
    fn effort(&self, effort: &str) -> (&'static str, Value) {
        match self {
            Self::DeepSeek if effort == "none" => ("thinking", json!({"type": "disabled"})),
            Self::OpenRouter { .. } => ("reasoning", json!({"effort": effort, "exclude": true})),
            _ => ("reasoning_effort", json!(effort)),
        }
    }

    /// Further fields that keep the host from altering, dropping or adding anything.
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

impl Wire for Host {
    fn name(&self) -> &'static str {
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

    /// A router without a list of hosts could pick another host for every call.
    fn check_host(&self, host: &str) -> Result<(), SetupError> {
        let pinned = match self {
            Self::OpenRouter { only } => {
                !only.is_empty() && only.iter().all(|name| !name.trim().is_empty())
            }
            _ => !host.ends_with("openrouter.ai"),
        };
        pinned.then_some(()).ok_or(SetupError::NoRoutingPin)
    }

    fn path(&self, _model: &str) -> Vec<String> {
        chat::path()
    }

    fn request_body(&self, settings: &Settings, question: &Question<'_>) -> Value {
        let mut body = chat::request_start(settings, question);
        body[self.tokens_field()] = json!(question.max_output_tokens);
        if let Some(effort) = settings.effort_sent() {
            let (field, value) = self.effort(effort);
            body[field] = value;
        }
        if let Some(temperature) = settings.temperature_sent() {
            body["temperature"] = json!(temperature);
        }
        if let Some(schema) = settings.schema(question) {
            body["response_format"] = chat::response_format(&wire_schema::compatible(schema));
        } else if settings.capabilities.schema == SchemaSupport::JsonMode
            && question.schema.is_some()
        {
            body["response_format"] = json!({"type": "json_object"});
        }
        for (field, value) in self.further() {
            body[field] = value;
        }
        body["stream"] = json!(false);
        body
    }

    fn reply(&self, body: &Value) -> Result<Reply, CallFailure> {
        chat::reply(body, tokens(body))
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
