//! xAI's chat completions: `POST /chat/completions`.

use serde_json::{Value, json};

use super::answer::{Answer, count};
use super::endpoint::{BEARER, Endpoint};
use super::settings::SCHEMA_NAME;
use super::{
    CallFailure, Provider, Question, RawAnswer, Reply, SendFuture, Settings, SetupError, Tokens,
    chat, wire_schema,
};
use crate::http::HttpClient;
use crate::secret::ApiKey;

/// A model of xAI.
#[derive(Debug, Clone)]
pub struct XAi {
    endpoint: Endpoint,
    settings: Settings,
}

impl XAi {
    /// Where xAI itself answers.
    pub const DEFAULT_BASE_URL: &str = "https://api.x.ai/v1";

    /// A model at an address such as [`Self::DEFAULT_BASE_URL`].
    pub fn new(
        http: HttpClient,
        base_url: &str,
        key: Option<ApiKey>,
        settings: Settings,
    ) -> Result<Self, SetupError> {
        settings.check()?;
        Ok(Self {
            endpoint: Endpoint::new(http, base_url, key, BEARER)?,
            settings,
        })
    }
}

/// The body of a call. Search is off because nothing is said about it: the old control for it is
/// an error by now.
pub fn request_body(settings: &Settings, question: &Question<'_>) -> Value {
    let mut body = json!({
        "model": settings.api_model_name,
        "messages": [{"role": "user", "content": question.input}],
        "max_completion_tokens": question.max_output_tokens,
    });
    if let Some(effort) = settings.effort_sent() {
        body["reasoning_effort"] = json!(effort);
    }
    if let Some(temperature) = settings.temperature_sent() {
        body["temperature"] = json!(temperature);
    }
    if let Some(schema) = settings.schema(question) {
        body["response_format"] = json!({"type": "json_schema", "json_schema": {
            "name": SCHEMA_NAME,
            "strict": true,
            "schema": wire_schema::openai(schema),
        }});
    }
    body["stream"] = json!(false);
    body
}

impl Provider for XAi {
    fn name(&self) -> &'static str {
        "xai"
    }

    fn send<'a>(&'a self, question: Question<'a>) -> SendFuture<'a> {
        let body = request_body(&self.settings, &question);
        Box::pin(async move {
            let path = ["chat", "completions"];
            self.endpoint.post(&path, &body, question.time_limit).await
        })
    }

    fn read(&self, answer: &RawAnswer) -> Result<Reply, CallFailure> {
        chat::read(Answer::new(answer, self.endpoint.key()), tokens)
    }
}

/// xAI counts reasoning apart from the text, as its own total shows; a total that leaves no room
/// for it has it inside.
fn tokens(body: &Value) -> Tokens {
    let prompt = count(body, "/usage/prompt_tokens");
    let cached = count(body, "/usage/prompt_tokens_details/cached_tokens");
    let said = count(body, "/usage/completion_tokens");
    let reasoning = count(body, "/usage/completion_tokens_details/reasoning_tokens");
    let total = count(body, "/usage/total_tokens");
    let apart = total.is_none()
        || total
            != prompt
                .zip(said)
                .map(|(sent, said)| sent.saturating_add(said));
    Tokens {
        input: prompt.map(|prompt| match cached {
            Some(cached) if cached > prompt => prompt.saturating_add(cached),
            _ => prompt,
        }),
        cached,
        cache_written: None,
        output: said.map(|said| match reasoning {
            Some(reasoning) if apart => said.saturating_add(reasoning),
            _ => said,
        }),
        reasoning,
    }
}
