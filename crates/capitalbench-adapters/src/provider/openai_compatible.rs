//! Hosts that speak `OpenAI`'s chat completions, one row of data each.

use capitalbench_core::asking::call_settings::ReasoningSetting;
use serde_json::{Value, json};

use super::answer::count;
use super::openai::effort_word;
use super::{
    CallFailure, Family, Question, Reply, Settings, SetupError, Tokens, Wire, chat, request,
    wire_schema,
};

/// A server that is asked in this format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    DeepSeek,
    Mistral,
    Groq,
    Together,
    Fireworks,
    /// A router, which must not choose by itself who answers.
    OpenRouter,
    Cohere,
    Moonshot,
    Qwen,
    Zhipu,
    MiniMax,
    Cerebras,
    /// A router that is told the host after the model's name.
    HuggingFace,
    Bedrock,
    Vertex,
    Vllm,
    LlamaCpp,
    /// A server without known peculiarities.
    Other,
}

/// What is peculiar to a host.
struct Peculiar {
    name: &'static str,
    /// Its own address; none where the operator's account or machine is part of it.
    address: Option<&'static str>,
    /// Whose rows of the capability table apply.
    family: Family,
    tokens_field: &'static str,
    reasoning: Form,
    /// Most tokens of a reply that is not streamed.
    most_output: Option<u64>,
}

/// How a host is told how much a model may reason.
#[derive(Clone, Copy)]
enum Form {
    /// `reasoning_effort: WORD`.
    Effort,
    /// `thinking: {type: WORD}`, with this word for on; an effort goes beside it.
    ThinkingType(&'static str),
    /// `enable_thinking: BOOL` and `thinking_budget: TOKENS`.
    EnableThinking,
    /// `chat_template_kwargs: {enable_thinking: BOOL}`.
    TemplateFlag,
    /// `reasoning: {enabled: BOOL}`; an effort goes beside it.
    Enabled,
    /// `reasoning: {effort | max_tokens | enabled}`, without the thoughts in the answer.
    Router,
}

const fn row(name: &'static str, address: Option<&'static str>, family: Family) -> Peculiar {
    Peculiar {
        name,
        address,
        family,
        tokens_field: "max_tokens",
        reasoning: Form::Effort,
        most_output: None,
    }
}

const DEEPSEEK: Peculiar = Peculiar {
    reasoning: Form::ThinkingType("enabled"),
    ..row(
        "deepseek",
        Some("https://api.deepseek.com"),
        Family::DeepSeek,
    )
};
const MISTRAL: Peculiar = row(
    "mistral",
    Some("https://api.mistral.ai/v1"),
    Family::Mistral,
);
const GROQ: Peculiar = Peculiar {
    tokens_field: "max_completion_tokens",
    ..row("groq", Some("https://api.groq.com/openai/v1"), Family::Groq)
};
const TOGETHER: Peculiar = Peculiar {
    reasoning: Form::Enabled,
    ..row(
        "together",
        Some("https://api.together.xyz/v1"),
        Family::OpenWeights,
    )
};
/// Fireworks answers longer requests with HTTP 400 unless they are streamed: "Requests with
/// `max_tokens` > 4096 must have stream=true", as users quoted it in March and April 2026.
const FIREWORKS: Peculiar = Peculiar {
    most_output: Some(4_096),
    ..row(
        "fireworks",
        Some("https://api.fireworks.ai/inference/v1"),
        Family::OpenWeights,
    )
};
const OPENROUTER: Peculiar = Peculiar {
    reasoning: Form::Router,
    ..row(
        "openrouter",
        Some("https://openrouter.ai/api/v1"),
        Family::Compatible,
    )
};
const COHERE: Peculiar = row(
    "cohere",
    Some("https://api.cohere.ai/compatibility/v1"),
    Family::Cohere,
);
const MOONSHOT: Peculiar = Peculiar {
    tokens_field: "max_completion_tokens",
    reasoning: Form::ThinkingType("enabled"),
    ..row(
        "moonshot",
        Some("https://api.moonshot.ai/v1"),
        Family::Moonshot,
    )
};
const QWEN: Peculiar = Peculiar {
    reasoning: Form::EnableThinking,
    ..row(
        "qwen",
        Some("https://dashscope-intl.aliyuncs.com/compatible-mode/v1"),
        Family::Qwen,
    )
};
const ZHIPU: Peculiar = Peculiar {
    reasoning: Form::ThinkingType("enabled"),
    ..row("zhipu", Some("https://api.z.ai/api/paas/v4"), Family::Zhipu)
};
const MINIMAX: Peculiar = Peculiar {
    tokens_field: "max_completion_tokens",
    reasoning: Form::ThinkingType("adaptive"),
    ..row(
        "minimax",
        Some("https://api.minimax.io/v1"),
        Family::MiniMax,
    )
};
const CEREBRAS: Peculiar = Peculiar {
    tokens_field: "max_completion_tokens",
    ..row(
        "cerebras",
        Some("https://api.cerebras.ai/v1"),
        Family::Cerebras,
    )
};
const HUGGING_FACE: Peculiar = row(
    "huggingface",
    Some("https://router.huggingface.co/v1"),
    Family::OpenWeights,
);
const BEDROCK: Peculiar = Peculiar {
    tokens_field: "max_completion_tokens",
    ..row("bedrock", None, Family::Bedrock)
};
const VERTEX: Peculiar = row("vertex", None, Family::Compatible);
const VLLM: Peculiar = Peculiar {
    reasoning: Form::TemplateFlag,
    ..row(
        "vllm",
        Some("http://127.0.0.1:8000/v1"),
        Family::OpenWeights,
    )
};
const LLAMA_CPP: Peculiar = Peculiar {
    reasoning: Form::TemplateFlag,
    ..row(
        "llama_cpp",
        Some("http://127.0.0.1:8080/v1"),
        Family::OpenWeights,
    )
};
const OTHER: Peculiar = row("openai_compatible", None, Family::Compatible);

/// Words after a model's name by which Hugging Face's router chooses a host by itself.
const ROUTERS_CHOICE: [&str; 4] = ["fastest", "cheapest", "preferred", "auto"];
/// `OpenRouter`'s plugins that an account may switch on by default: they look things up, rewrite a
/// reply or shorten a prompt.
const PLUGINS: [&str; 3] = ["web", "response-healing", "context-compression"];

impl Host {
    fn peculiar(self) -> &'static Peculiar {
        match self {
            Self::DeepSeek => &DEEPSEEK,
            Self::Mistral => &MISTRAL,
            Self::Groq => &GROQ,
            Self::Together => &TOGETHER,
            Self::Fireworks => &FIREWORKS,
            Self::OpenRouter => &OPENROUTER,
            Self::Cohere => &COHERE,
            Self::Moonshot => &MOONSHOT,
            Self::Qwen => &QWEN,
            Self::Zhipu => &ZHIPU,
            Self::MiniMax => &MINIMAX,
            Self::Cerebras => &CEREBRAS,
            Self::HuggingFace => &HUGGING_FACE,
            Self::Bedrock => &BEDROCK,
            Self::Vertex => &VERTEX,
            Self::Vllm => &VLLM,
            Self::LlamaCpp => &LLAMA_CPP,
            Self::Other => &OTHER,
        }
    }

    /// The host's own address, where it has one.
    pub fn default_base_url(self) -> Option<&'static str> {
        self.peculiar().address
    }

    /// Whose rows of the capability table apply.
    pub fn family(self) -> Family {
        self.peculiar().family
    }

    /// Further fields that keep the host from altering, dropping or adding anything.
    fn further(self, settings: &Settings) -> Vec<(&'static str, Value)> {
        match self {
            Self::Mistral => vec![("safe_prompt", json!(false))],
            Self::Fireworks => vec![("context_length_exceeded_behavior", json!("error"))],
            // Thoughts come in a field of their own instead of inside the reply.
            Self::MiniMax => vec![("reasoning_split", json!(true))],
            Self::OpenRouter => {
                let off = |id: &str| json!({"id": id, "enabled": false});
                let provider = json!({
                    "only": settings.calls.routing,
                    "allow_fallbacks": false,
                    "require_parameters": true,
                    "data_collection": "deny",
                });
                let plugins: Vec<Value> = PLUGINS.iter().map(|id| off(id)).collect();
                vec![("provider", provider), ("plugins", json!(plugins))]
            }
            _ => Vec::new(),
        }
    }

    fn form(self, setting: &ReasoningSetting) -> Option<Value> {
        use ReasoningSetting::{Budget, Effort, Off, On};
        let is_on = match setting {
            On | Budget(_) => true,
            Off => false,
            Effort(word) => word != "none",
            ReasoningSetting::Omit => return None,
        };
        Some(match (self.peculiar().reasoning, setting) {
            (Form::Effort, setting) => json!({"reasoning_effort": effort_word(setting)?}),
            (Form::ThinkingType(on), On | Off) => {
                json!({"thinking": {"type": if is_on { on } else { "disabled" }}})
            }
            (Form::EnableThinking, On | Off) => json!({"enable_thinking": is_on}),
            (Form::EnableThinking, Budget(tokens)) => {
                json!({"enable_thinking": true, "thinking_budget": tokens})
            }
            (Form::EnableThinking, Effort(word)) => {
                json!({"enable_thinking": is_on, "reasoning_effort": word})
            }
            (Form::TemplateFlag, On | Off) => {
                json!({"chat_template_kwargs": {"enable_thinking": is_on}})
            }
            (Form::Enabled, On | Off) => json!({"reasoning": {"enabled": is_on}}),
            (Form::Router, On | Off) => {
                json!({"reasoning": {"enabled": is_on, "exclude": true}})
            }
            (Form::Router, Effort(word)) => {
                json!({"reasoning": {"effort": word, "exclude": true}})
            }
            (Form::Router, Budget(tokens)) => {
                json!({"reasoning": {"max_tokens": tokens, "exclude": true}})
            }
            (_, Effort(word)) => json!({"reasoning_effort": word}),
            _ => return None,
        })
    }
}

impl Wire for Host {
    fn name(&self) -> &'static str {
        self.peculiar().name
    }

    /// A router without a named host could pick another one for every call.
    fn check(&self, host: &str, settings: &Settings) -> Result<(), SetupError> {
        let routing = &settings.calls.routing;
        let named = !routing.is_empty() && routing.iter().all(|name| !name.trim().is_empty());
        if (*self == Self::OpenRouter || host.ends_with("openrouter.ai"))
            && (*self != Self::OpenRouter || !named)
        {
            return Err(SetupError::NoRoutingPin);
        }
        if *self != Self::OpenRouter && !routing.is_empty() {
            return Err(SetupError::NoRouter);
        }
        let model = &settings.api_model_name;
        let after = model.split_once(':').map(|(_, after)| after);
        let chosen = after.is_some_and(|after| {
            !after.is_empty() && !ROUTERS_CHOICE.contains(&after.to_ascii_lowercase().as_str())
        });
        let routes = *self == Self::HuggingFace || host == "router.huggingface.co";
        if routes && !chosen {
            let model = model.split(':').next().unwrap_or_default().to_owned();
            return Err(SetupError::NoHostAfterName { model });
        }
        let most = self.peculiar().most_output;
        match most.filter(|most| settings.calls.max_output_tokens > Some(*most)) {
            None => Ok(()),
            Some(most) => Err(SetupError::TooLong {
                host: self.name(),
                most,
            }),
        }
    }

    fn path(&self, _model: &str) -> Vec<String> {
        chat::path()
    }

    fn request_body(&self, settings: &Settings, question: &Question<'_>) -> Value {
        let mut body = chat::request_start(settings, question);
        body[self.peculiar().tokens_field] = json!(question.max_output_tokens);
        request::add_reasoning(&mut body, self, settings);
        if let Some(temperature) = settings.temperature_sent() {
            body["temperature"] = json!(temperature);
        }
        if let Some(schema) = settings.schema(question) {
            body["response_format"] = chat::response_format(&wire_schema::compatible(schema));
        } else if settings.wants_json(question) {
            body["response_format"] = json!({"type": "json_object"});
        }
        for (field, value) in self.further(settings) {
            body[field] = value;
        }
        body["stream"] = json!(false);
        body
    }

    fn reasoning(&self, _settings: &Settings, setting: &ReasoningSetting) -> Option<Value> {
        self.form(setting)
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
