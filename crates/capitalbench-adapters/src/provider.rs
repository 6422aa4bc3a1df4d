//! [`Provider`]: asks one model once and reads its answer.
//!
//! A call has two halves. [`Provider::send`] makes the one request and returns the exact bytes that
//! came back, without interpreting them. Whoever runs a round stores those bytes first and only then
//! lets [`Provider::read`] interpret them, so a crash never loses a paid answer.

use std::pin::Pin;
use std::time::Duration;

use capitalbench_core::asking::call_settings::Asked;
use capitalbench_core::asking::cost::Cost;
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use serde_json::Value;

use crate::http::wait_for_allowance;

mod answer;
pub mod anthropic;
pub mod azure_openai;
pub mod capabilities;
mod chat;
pub mod google;
pub mod ollama;
pub mod openai;
pub mod openai_compatible;
mod request;
mod server_error;
mod settings;
mod wire;
mod wire_schema;
pub mod xai;

pub use anthropic::Anthropic;
pub use azure_openai::AzureOpenAi;
pub use capabilities::{Capabilities, Family, Off, Temperature};
pub use google::Google;
pub use ollama::Ollama;
pub use openai::OpenAi;
pub use openai_compatible::Host;
pub use settings::{Settings, SetupError};
pub use wire::{RemoteModel, Wire, check};
pub use xai::XAi;
pub mod mock;
mod offline;
pub mod replay;

/// One question to one model, the same text for every provider.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The frozen input and the lines that name the model; adapters send it unaltered.
    pub input: &'a str,
    /// The schema of the reply; each adapter reduces it to what its provider accepts.
    pub schema: Option<&'a Value>,
    /// Longest reply in tokens; some providers count reasoning too.
    pub max_output_tokens: u64,
    pub time_limit: Duration,
}

/// The exact answer of a server, before anything reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawAnswer {
    pub status: u16,
    /// Headers worth storing, names in lower case: request ids, rate limits, retry-after, date.
    pub headers: Vec<(String, String)>,
    /// The body after decompression, byte for byte. Only our own key is removed, should the server
    /// repeat it.
    pub body: Vec<u8>,
}

impl RawAnswer {
    /// How long the provider will refuse requests, because an allowance is used up.
    pub fn used_up_for(&self) -> Option<Duration> {
        wait_for_allowance(&self.headers)
    }

    /// The server's clock when it answered.
    pub fn date(&self) -> Option<Timestamp> {
        let date = self.headers.iter().find(|(name, _)| name == "date");
        DateTimeParser::new().parse_timestamp(&date?.1).ok()
    }
}

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    Complete,
    /// The token limit cut the reply off.
    Length,
    /// The model or its provider refused.
    Refusal,
    /// A content filter cut the reply off.
    Filter,
    /// The model asked for a tool, or something was looked up, although no tool was offered.
    Tool,
    /// The provider says that it could not finish the reply.
    Failed,
    /// The provider gave no reason, as some local servers do.
    Other,
    /// The provider gave a reason that this program does not know.
    Unknown,
}

/// Tokens of a call, each counted once: `input` includes `cached` and
/// `cache_written`, `output` includes `reasoning`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tokens {
    pub input: Option<u64>,
    /// The part of the input that was billed as cached.
    pub cached: Option<u64>,
    /// The part of the input that was billed as written to the cache.
    pub cache_written: Option<u64>,
    pub output: Option<u64>,
    /// The part of the output that was reasoning.
    pub reasoning: Option<u64>,
}

/// The content of a stored answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The model's exact text; empty when it said nothing.
    pub text: String,
    /// The model that answered, according to the server.
    pub served_model: Option<String>,
    /// The server's name for the call.
    pub request_id: Option<String>,
    pub stop: Stop,
    pub tokens: Tokens,
    /// What the server says it billed.
    pub billed: Option<Cost>,
    /// The tier that served the call, according to the server.
    pub service_tier: Option<String>,
    /// The host that answered, according to a router.
    pub answered_by: Option<String>,
}

/// Why there is no reply. The class decides whether the call may be repeated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallFailure {
    /// The connection broke before the answer was complete.
    #[error("transport: {0}")]
    Transport(String),
    /// No connection came about, so nothing was sent.
    #[error("cannot be reached: {0}")]
    Unreachable(String),
    #[error("no complete answer within {0:?}")]
    Timeout(Duration),
    #[error("rate limit{}", retry_text(*retry_after))]
    RateLimited {
        /// How long the server asks to wait.
        retry_after: Option<Duration>,
    },
    #[error("server failed with HTTP {status}: {message}")]
    Server {
        /// HTTP status, or the status that fits an error inside a successful answer.
        status: u16,
        message: String,
        retry_after: Option<Duration>,
    },
    /// The server was too busy to begin.
    #[error("overloaded with HTTP {status}: {message}")]
    Overloaded {
        status: u16,
        message: String,
        retry_after: Option<Duration>,
    },
    /// An allowance is used up that does not come back within minutes.
    #[error("allowance used up, HTTP {status}: {message}")]
    Quota { status: u16, message: String },
    #[error("no such model, HTTP {status}: {message}")]
    NoModel { status: u16, message: String },
    /// A content filter turned the prompt or the reply away.
    #[error("content filter, HTTP {status}: {message}")]
    Filtered { status: u16, message: String },
    /// The server generated a reply and threw it away because it was not of the asked form.
    #[error("the reply was not of the asked form, HTTP {status}: {message}")]
    FailedGeneration { status: u16, message: String },
    #[error("key refused with HTTP {status}: {message}")]
    Key { status: u16, message: String },
    /// The server refuses this request however often it is sent.
    #[error("request refused with HTTP {status}: {message}")]
    Request { status: u16, message: String },
    /// The answer does not have the provider's format.
    #[error("unreadable answer: {0}")]
    Unreadable(String),
}

fn retry_text(after: Option<Duration>) -> String {
    after.map_or_else(String::new, |after| format!("; wait {} s", after.as_secs()))
}

impl CallFailure {
    /// How long the server asks to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after }
            | Self::Overloaded { retry_after, .. }
            | Self::Server { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

pub type SendFuture<'a> = Pin<Box<dyn Future<Output = Result<RawAnswer, CallFailure>> + Send + 'a>>;

/// One model, with everything needed to ask it.
pub trait Provider: Send + Sync {
    /// The name under which models share rate limits, such as `openai`.
    fn name(&self) -> &str;

    /// What a request for this question asks for; none for providers without a network.
    fn asks(&self, _question: &Question<'_>) -> Option<Asked> {
        None
    }

    /// Makes exactly one request.
    fn send<'a>(&'a self, question: Question<'a>) -> SendFuture<'a>;

    /// Interprets a stored answer.
    fn read(&self, answer: &RawAnswer) -> Result<Reply, CallFailure>;
}
