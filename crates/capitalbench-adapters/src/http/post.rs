//! A question with a body, whose answer is kept whatever its status.

use std::time::Duration;

use reqwest::Url;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap};
use tokio::time::{Instant, timeout_at};

use super::{HttpClient, HttpError, excerpt, key_value, one_line};
use crate::secret::ApiKey;

/// Headers worth keeping.
const KEPT: [&str; 9] = [
    "apim-request-id",
    "content-type",
    "date",
    "mistral-correlation-id",
    "request-id",
    "retry-after",
    "retry-after-ms",
    "x-request-id",
    "x-should-retry",
];
/// How the names of further ones begin.
const KEPT_PREFIXES: [&str; 2] = ["anthropic-ratelimit-", "x-ratelimit-"];
/// A key that is shorter is a placeholder for a local server, such as `none`: a word that a model
/// may well use, and that is not taken out of its answer.
const SHORTEST_SECRET: usize = 16;
/// A deadline for time limits beyond reckoning.
const LONGEST_WAIT: Duration = Duration::from_hours(24);

/// What is sent, and what may come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Media {
    /// JSON both ways.
    Json,
    /// RFC 3161.
    TimestampQuery,
    /// A digest for an OpenTimestamps calendar.
    OpenTimestamps,
}

impl Media {
    fn sent(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::TimestampQuery => "application/timestamp-query",
            Self::OpenTimestamps => "application/x-www-form-urlencoded",
        }
    }

    fn taken(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::TimestampQuery => "application/timestamp-reply",
            Self::OpenTimestamps => "application/vnd.opentimestamps.v1",
        }
    }
}

/// One question with a body.
#[derive(Debug)]
pub(crate) struct Post<'a> {
    /// Where to ask; never holds a key.
    pub(crate) url: Url,
    /// Who asks, where the server wants to know.
    pub(crate) key: Option<KeyHeader<'a>>,
    /// Further headers.
    pub(crate) headers: &'a [(&'static str, &'static str)],
    /// The kind of body.
    pub(crate) media: Media,
    /// The body, sent exactly so.
    pub(crate) body: Vec<u8>,
    /// Time until the last byte of the answer is there.
    pub(crate) time_limit: Duration,
}

/// A key and the header it travels in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyHeader<'a> {
    /// Such as `authorization`.
    pub(crate) name: &'static str,
    /// What stands before the key, such as `Bearer` and a space.
    pub(crate) prefix: &'static str,
    /// The key.
    pub(crate) key: &'a ApiKey,
}

/// What came back, of any status.
#[derive(Debug)]
pub(crate) struct Posted {
    /// HTTP status.
    pub(crate) status: u16,
    /// Headers worth keeping, names in lower case, without the key.
    pub(crate) headers: Vec<(String, String)>,
    /// The exact body; only a key that the server repeats in it is taken out. That of an error may
    /// be cut off, its status is what matters.
    pub(crate) body: Vec<u8>,
}

impl HttpClient {
    /// Posts once.
    pub(crate) async fn post(&self, question: Post<'_>) -> Result<Posted, HttpError> {
        self.require_reach(&question.url)?;
        let start = Instant::now();
        let deadline = start
            .checked_add(question.time_limit)
            .unwrap_or(start + LONGEST_WAIT);
        let too_slow = || HttpError::Timeout {
            after: question.time_limit,
        };
        let mut sending = self
            .client
            .post(question.url)
            .header(ACCEPT, question.media.taken())
            .header(CONTENT_TYPE, question.media.sent())
            .body(question.body);
        for (name, value) in question.headers {
            sending = sending.header(*name, *value);
        }
        if let Some(header) = question.key {
            sending = sending.header(header.name, key_value(header.prefix, header.key)?);
        }
        let key = question.key.map(|header| header.key);
        let response = timeout_at(deadline, sending.send())
            .await
            .map_err(|_| too_slow())?
            .map_err(|error| self.failure(&error, key))?;
        let status = response.status();
        let headers = kept_headers(response.headers(), key);
        let mut body = Vec::new();
        let ending = timeout_at(deadline, self.fill(&mut body, response, key))
            .await
            .unwrap_or_else(|_| Err(too_slow()));
        if status.is_success() {
            ending?;
        }
        Ok(Posted {
            status: status.as_u16(),
            headers,
            body: without_key(body, key),
        })
    }
}

fn kept_headers(headers: &HeaderMap, key: Option<&ApiKey>) -> Vec<(String, String)> {
    let is_kept = |name: &str| {
        KEPT.contains(&name) || KEPT_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    };
    let kept = headers.iter().filter(|(name, _)| is_kept(name.as_str()));
    kept.map(|(name, value)| {
        let text = String::from_utf8_lossy(value.as_bytes());
        let clean = key.map_or_else(|| one_line(&text), |key| excerpt(&text, key));
        (name.as_str().to_owned(), clean)
    })
    .collect()
}

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
