//! xAI's chat completions: `POST /chat/completions`.

use capitalbench_core::asking::call_settings::ReasoningSetting;
use capitalbench_core::asking::cost::Cost;
use serde_json::{Value, json};

use super::answer::{count, number};
use super::openai::effort_word;
use super::{CallFailure, Question, Reply, Settings, Tokens, Wire, chat, request, wire_schema};

/// The format of xAI's chat completions.
#[derive(Debug, Clone, Copy)]
pub struct XAi;

impl XAi {
    pub const DEFAULT_BASE_URL: &str = "https://api.x.ai/v1";
}

impl Wire for XAi {
    fn name(&self) -> &'static str {
        "xai"
    }

    fn path(&self, _model: &str) -> Vec<String> {
        chat::path()
    }

    /// The body never mentions search: that leaves search off, and xAI now refuses its old control.
    fn request_body(&self, settings: &Settings, question: &Question<'_>) -> Value {
        let mut body = chat::request_start(settings, question);
        body["max_completion_tokens"] = json!(question.max_output_tokens);
        request::add_reasoning(&mut body, self, settings);
        if let Some(temperature) = settings.temperature_sent() {
            body["temperature"] = json!(temperature);
        }
        if let Some(schema) = settings.schema(question) {
            body["response_format"] = chat::response_format(&wire_schema::openai(schema));
        } else if settings.wants_json(question) {
            body["response_format"] = json!({"type": "json_object"});
        }
        body["stream"] = json!(false);
        body
    }

    fn reasoning(&self, _settings: &Settings, setting: &ReasoningSetting) -> Option<Value> {
        let effort = effort_word(setting)?;
        Some(json!({"reasoning_effort": effort}))
    }

    fn reply(&self, body: &Value) -> Result<Reply, CallFailure> {
        let reply = chat::reply(body, tokens(body))?;
        Ok(Reply {
            billed: billed(body),
            ..reply
        })
    }
}

/// xAI states what it charged in ticks; ten thousand million of them are a dollar.
fn billed(body: &Value) -> Option<Cost> {
    const TICKS_PER_DOLLAR: f64 = 1e10;
    let ticks = number(body, "/usage/cost_in_usd_ticks")?;
    Cost::from_usd(ticks / TICKS_PER_DOLLAR)
}

/// xAI counts reasoning apart from the text, which its total shows. If the total has no room for
/// reasoning, the text's count already includes it.
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
