//! [`Provider`]: one wire format each, and what a call is made of.
//!
//! A call has two halves. [`Provider::send`] makes the one request and returns the exact bytes that
//! came back; nothing in it looks into them. Whoever runs a round stores those bytes first and only
//! then asks [`Provider::read`] what they say.

use std::pin::Pin;
use std::time::Duration;

use serde_json::Value;

use crate::http::wait_for_allowance;

mod answer;
pub mod anthropic;
pub mod capabilities;
mod chat;
mod endpoint;
mod fault;
pub mod google;
pub mod ollama;
pub mod openai;
pub mod openai_compatible;
mod settings;
mod wire_schema;
pub mod xai;

pub use anthropic::Anthropic;
pub use capabilities::{Capabilities, Family, SchemaSupport, Temperature};
pub use endpoint::SetupError;
pub use google::Google;
pub use ollama::Ollama;
pub use openai::OpenAi;
pub use openai_compatible::{Host, OpenAiCompatible};
pub use settings::Settings;
pub use xai::XAi;
pub mod mock;
mod offline;
pub mod replay;

/// One question to one model, the same text for every provider.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The frozen input and the lines that name the model, never altered by an adapter.
    pub input: &'a str,
    /// The form of the reply, where the provider takes one; reduced by the adapter's own rule.
    pub schema: Option<&'a Value>,
    /// Longest reply in tokens, reasoning included where the provider counts it so.
    pub max_output_tokens: u64,
    /// Longest time for the whole call.
    pub time_limit: Duration,
}

/// The exact answer of a server: not yet looked into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawAnswer {
    /// HTTP status.
    pub status: u16,
    /// Headers worth keeping, names in lower case: request ids, rate limits, retry-after, date.
    pub headers: Vec<(String, String)>,
    /// The body, byte for byte, after transport compression was undone. Only our own key, should
    /// the server repeat it, is taken out.
    pub body: Vec<u8>,
}

impl RawAnswer {
    /// How long to leave the provider alone: nothing remains of an allowance until then.
    pub fn used_up_for(&self) -> Option<Duration> {
        wait_for_allowance(&self.headers)
    }
}

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The model was done.
    Complete,
    /// The token limit cut it off.
    Length,
    /// The model or its provider refused.
    Refusal,
    /// A content filter cut it off.
    Filter,
    /// It asked for a tool although none was offered.
    Tool,
    /// Something else, or nothing was said.
    Other,
}

/// Tokens of a call, each counted once: `input` includes `cached` and
/// `cache_written`, `output` includes `reasoning`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tokens {
    /// Everything sent.
    pub input: Option<u64>,
    /// The part of it that was billed as cached.
    pub cached: Option<u64>,
    /// The part of it that was billed as written to the cache.
    pub cache_written: Option<u64>,
    /// Everything produced.
    pub output: Option<u64>,
    /// The part of it that was reasoning.
    pub reasoning: Option<u64>,
}

/// What an answer says, once it is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The model's text, exactly; empty when it said nothing.
    pub text: String,
    /// The model that the server says has answered.
    pub served_model: Option<String>,
    /// The server's name for the call.
    pub request_id: Option<String>,
    /// Why it ended.
    pub stop: Stop,
    /// What it took.
    pub tokens: Tokens,
}

/// Why there is no reply. Decides whether the call may be repeated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallFailure {
    /// No connection, or it broke before an answer was complete.
    #[error("transport: {0}")]
    Transport(String),
    /// No complete answer within the time limit.
    #[error("no complete answer within {0:?}")]
    Timeout(Duration),
    /// The server asks to wait.
    #[error("rate limit{}", retry_text(*retry_after))]
    RateLimited {
        /// How long, where it says so.
        retry_after: Option<Duration>,
    },
    /// The server failed or is overloaded.
    #[error("server failed with HTTP {status}: {message}")]
    Server {
        /// HTTP status, or that of an error inside a good status.
        status: u16,
        /// What it said, without keys.
        message: String,
        /// How long to wait, where it says so.
        retry_after: Option<Duration>,
    },
    /// The key was refused.
    #[error("key refused with HTTP {status}: {message}")]
    Key {
        /// HTTP status.
        status: u16,
        /// What it said, without keys.
        message: String,
    },
    /// The server will not take this request, however often it is sent.
    #[error("request refused with HTTP {status}: {message}")]
    Request {
        /// HTTP status.
        status: u16,
        /// What it said, without keys.
        message: String,
    },
    /// The answer is not of the provider's form.
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
            Self::RateLimited { retry_after } | Self::Server { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

/// The bytes of an answer, or why there are none.
pub type SendFuture<'a> = Pin<Box<dyn Future<Output = Result<RawAnswer, CallFailure>> + Send + 'a>>;

/// A provider with its model, address and key.
pub trait Provider: Send + Sync {
    /// Whose limits it shares, such as `openai`.
    fn name(&self) -> &str;

    /// Makes exactly one request.
    fn send<'a>(&'a self, question: Question<'a>) -> SendFuture<'a>;

    /// Reads an answer that is on disk.
    fn read(&self, answer: &RawAnswer) -> Result<Reply, CallFailure>;
}
