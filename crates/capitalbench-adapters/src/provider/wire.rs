//! [`Wire`]: what differs between providers. [`RemoteModel`]: everything they share.

use std::fmt::Debug;

use capitalbench_core::asking::call_settings::{Asked, ReasoningSetting, SchemaMode};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap};
use reqwest::{Method, Url};
use serde_json::Value;

use super::answer::Answer;
use super::{
    CallFailure, Provider, Question, RawAnswer, Reply, SendFuture, Settings, SetupError, request,
};
use crate::http::{HttpClient, HttpError, Request, Secrecy, excerpt, with_path};
use crate::secret::ApiKey;

/// Response headers that are stored with an answer.
const STORED_HEADERS: [&str; 11] = [
    "apim-request-id",
    "content-type",
    "date",
    "mistral-correlation-id",
    "request-id",
    "retry-after",
    "retry-after-ms",
    "x-amzn-errortype",
    "x-amzn-requestid",
    "x-request-id",
    "x-should-retry",
];
/// Headers that begin like this are stored too.
const STORED_PREFIXES: [&str; 4] = [
    "anthropic-ratelimit-",
    "ratelimit-",
    "ratelimitbysize-",
    "x-ratelimit",
];
/// A shorter key is a placeholder for a local server, such as `none`. A model may well use that word,
/// so it is not removed from the model's answer.
const SHORTEST_SECRET: usize = 16;
const JSON: &str = "application/json";

/// The request and reply format of one provider.
pub trait Wire: Debug + Send + Sync {
    /// The name under which models share rate limits, such as `openai`.
    fn name(&self) -> &'static str;

    /// Refuses a host at which this model would not be asked fairly, and settings that the format
    /// cannot say.
    fn check(&self, host: &str, settings: &Settings) -> Result<(), SetupError> {
        if host.ends_with("openrouter.ai") {
            return Err(SetupError::NoRoutingPin);
        }
        if !settings.calls.routing.is_empty() {
            return Err(SetupError::NoRouter);
        }
        match settings.schema_mode() {
            SchemaMode::Json if !self.has_json_mode() => Err(SetupError::NoJsonMode {
                provider: self.name(),
            }),
            _ => Ok(()),
        }
    }

    /// Whether the provider can promise JSON without a schema.
    fn has_json_mode(&self) -> bool {
        true
    }

    /// The header that carries the key, and the text before the key.
    fn key_header(&self) -> (&'static str, &'static str) {
        ("authorization", "Bearer ")
    }

    /// Further headers of every request.
    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// The path below the base URL, by segments.
    fn path(&self, model: &str) -> Vec<String>;

    fn request_body(&self, settings: &Settings, question: &Question<'_>) -> Value;

    /// The fields that say how much the model may reason; none where the format has no such field.
    fn reasoning(&self, settings: &Settings, setting: &ReasoningSetting) -> Option<Value>;

    /// The same for the record, in words.
    fn reasoning_words(&self, _settings: &Settings, setting: &ReasoningSetting) -> String {
        setting.to_string()
    }

    /// Reads the body of a success that reports no error.
    fn reply(&self, body: &Value) -> Result<Reply, CallFailure>;
}

/// One model behind an address, asked in a provider's format.
#[derive(Debug, Clone)]
pub struct RemoteModel<W> {
    wire: W,
    http: HttpClient,
    base_url: Url,
    key: Option<ApiKey>,
    settings: Settings,
}

impl<W: Wire> RemoteModel<W> {
    /// Refuses settings and addresses at which the model could not be asked fairly and safely.
    pub fn new(
        wire: W,
        http: HttpClient,
        base_url: &str,
        key: Option<ApiKey>,
        settings: Settings,
    ) -> Result<Self, SetupError> {
        let secrecy = match key {
            Some(_) => Secrecy::Keyed,
            None => Secrecy::Open,
        };
        let base_url = http.base_url(base_url, secrecy)?;
        check(&wire, base_url.host_str().unwrap_or_default(), &settings)?;
        Ok(Self {
            wire,
            http,
            base_url,
            key,
            settings,
        })
    }

    /// The body of a request for a question, with everything that the models file adds.
    pub fn request_body(&self, question: &Question<'_>) -> Value {
        request::body(&self.wire, &self.settings, question)
    }

    async fn ask(&self, question: Question<'_>) -> Result<RawAnswer, CallFailure> {
        let json = [(ACCEPT.as_str(), JSON), (CONTENT_TYPE.as_str(), JSON)];
        let added = self.settings.calls.extra_headers.iter();
        let added: Vec<(&str, &str)> = added.map(|(name, text)| (&**name, &**text)).collect();
        let request = Request {
            method: Method::POST,
            url: with_path(
                &self.base_url,
                &self.wire.path(&self.settings.api_model_name),
            ),
            key: self.key.as_ref(),
            key_headers: &[self.wire.key_header()],
            // The last one of a name counts, so that nothing added can replace our own.
            headers: &[&added, &json[..], self.wire.headers()].concat(),
            body: self.request_body(&question).to_string().into_bytes(),
            time_limit: Some(question.time_limit),
        };
        let answer = self.http.send(&request).await.map_err(call_failure)?;
        Ok(RawAnswer {
            status: answer.status,
            headers: stored_headers(&answer.headers, self.key.as_ref()),
            body: without_key(answer.body, self.key.as_ref()),
        })
    }
}

impl<W: Wire> Provider for RemoteModel<W> {
    fn name(&self) -> &str {
        self.wire.name()
    }

    fn asks(&self, question: &Question<'_>) -> Option<Asked> {
        Some(request::asked(&self.wire, &self.settings, question))
    }

    fn send<'a>(&'a self, question: Question<'a>) -> SendFuture<'a> {
        Box::pin(self.ask(question))
    }

    fn read(&self, answer: &RawAnswer) -> Result<Reply, CallFailure> {
        let answer = Answer::new(answer, self.key.as_ref());
        let reply = self.wire.reply(&answer.json()?)?;
        let request_id = answer.request_id().or(reply.request_id);
        let told = |name: &String| !name.trim().is_empty();
        Ok(Reply {
            request_id,
            // Some local servers send an empty name, which names nobody.
            served_model: reply.served_model.filter(told),
            ..reply
        })
    }
}

/// Refuses a model that cannot be asked as it is configured; nothing is sent to find out.
pub fn check<W: Wire>(wire: &W, host: &str, settings: &Settings) -> Result<(), SetupError> {
    settings.check()?;
    wire.check(host, settings)?;
    let sent = settings.reasoning_sent();
    match sent.filter(|sent| wire.reasoning(settings, sent).is_none()) {
        None => Ok(()),
        Some(setting) => Err(SetupError::Reasoning {
            model: settings.api_model_name.clone(),
            setting: setting.to_string(),
            hint: format!("requests to {} have no field for it", wire.name()),
        }),
    }
}

fn call_failure(error: HttpError) -> CallFailure {
    match error {
        HttpError::Timeout { after } => CallFailure::Timeout(after),
        HttpError::TooLarge { .. } => CallFailure::Unreadable(error.to_string()),
        // Nothing was sent, so nothing can have been generated.
        HttpError::Connect { .. } | HttpError::NotAsked { .. } | HttpError::Setup { .. } => {
            CallFailure::Unreachable(error.to_string())
        }
        other => CallFailure::Transport(other.to_string()),
    }
}

fn stored_headers(headers: &HeaderMap, key: Option<&ApiKey>) -> Vec<(String, String)> {
    let is_stored = |name: &str| {
        let begins = |prefix: &&str| name.starts_with(prefix);
        STORED_HEADERS.contains(&name) || STORED_PREFIXES.iter().any(begins)
    };
    let stored = headers.iter().filter(|(name, _)| is_stored(name.as_str()));
    stored
        .map(|(name, value)| {
            let text = String::from_utf8_lossy(value.as_bytes());
            (name.as_str().to_owned(), excerpt(&text, key))
        })
        .collect()
}

/// Removes our own key from a body, should the server repeat it.
fn without_key(body: Vec<u8>, key: Option<&ApiKey>) -> Vec<u8> {
    let Some(key) = key.filter(|key| key.expose().len() >= SHORTEST_SECRET) else {
        return body;
    };
    let text = String::from_utf8_lossy(&body);
    let clean = key.redact(&text);
    if clean == text {
        body
    } else {
        clean.into_bytes()
    }
}
