//! An object store that speaks the protocol of S3: four requests, each of which may be repeated.
//!
//! Requests are signed by the fourth version of Amazon's scheme. A request that failed for a passing
//! reason is sent again after a wait. A conditional write that is repeated may meet its own first try:
//! then the server says that the condition does not hold, and the caller compares what is there.

use std::time::Duration;

use jiff::Timestamp;
use reqwest::{Method, Url};

use crate::http::{Answer, HttpClient, HttpError, Request, retry_after, with_path};
use crate::secret::ApiKey;

mod listing;
mod refusal;
mod signature;

pub use listing::Object;
use listing::{Listing, Page, read_page};
use refusal::{code_of, refusal};
use signature::{Signed, sign};

/// The longest wait that a server may ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// Another conditional write of the same key is under way.
const CONFLICT: u16 = 409;
const NOT_FOUND: u16 = 404;
const FAILED: u16 = 412;

/// Who asks, and where.
#[derive(Debug, Clone)]
pub struct S3Settings {
    /// The address of the service, with a port where it is not the usual one.
    pub endpoint: String,
    pub region: String,
    pub bucket: String,
    pub access_key: String,
    pub secret_key: ApiKey,
    pub session_token: Option<ApiKey>,
    /// The clock that requests are signed by.
    pub now: fn() -> Timestamp,
}

/// How often a request is tried. The wait doubles after every failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    pub tries: u32,
    pub first_wait: Duration,
    /// Time for one try.
    pub time_limit: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            tries: 6,
            first_wait: Duration::from_millis(100),
            time_limit: Duration::from_mins(1),
        }
    }
}

/// When a write may happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When<'a> {
    Always,
    /// Nothing has this key yet.
    Absent,
    /// What has this key has this tag.
    Unchanged(&'a str),
}

/// Why a request failed for good.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum S3Error {
    #[error("{0}")]
    Http(#[from] HttpError),
    #[error("the address of the store cannot be used: {0}")]
    Address(String),
    #[error("the server answered with status {status}{}", told(code, message))]
    Refused {
        status: u16,
        /// The server's word for the reason, such as `AccessDenied`; empty where it gives none.
        code: String,
        message: String,
    },
    #[error("the server answered with status {status} and a web page")]
    Page { status: u16 },
    #[error("the answer cannot be read: {0}")]
    Unreadable(String),
}

/// A bucket, with the rights of a key.
#[derive(Debug, Clone)]
pub struct S3 {
    http: HttpClient,
    base: Url,
    settings: S3Settings,
    patience: Patience,
}

/// A request without its signature.
struct Call<'a> {
    method: Method,
    key: &'a str,
    query: &'a [(&'a str, &'a str)],
    condition: When<'a>,
    body: Vec<u8>,
}

impl S3 {
    pub fn new(http: HttpClient, settings: S3Settings) -> Result<Self, S3Error> {
        let secrecy = crate::http::Secrecy::Keyed;
        let endpoint = http.base_url(&settings.endpoint, secrecy);
        let endpoint = endpoint.map_err(|error| S3Error::Address(error.to_string()))?;
        Ok(Self {
            base: with_path(&endpoint, &[&settings.bucket]),
            http,
            settings,
            patience: Patience::default(),
        })
    }

    #[must_use]
    pub fn with_patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }

    /// Bytes and tag of a key; none where nothing is.
    pub async fn get(&self, key: &str) -> Result<Option<(Vec<u8>, String)>, S3Error> {
        let answer = self.send(&call(Method::GET, key)).await?;
        if is_absent(&answer) {
            return Ok(None);
        }
        let answer = self.judge(answer)?;
        let tag = tag_of(&answer)?;
        Ok(Some((answer.body, tag)))
    }

    /// The tag of what was written; none when the condition does not hold.
    pub async fn put(
        &self,
        key: &str,
        bytes: Vec<u8>,
        condition: When<'_>,
    ) -> Result<Option<String>, S3Error> {
        let call = Call {
            condition,
            body: bytes,
            ..call(Method::PUT, key)
        };
        let answer = self.send(&call).await?;
        // A key that is gone does not have the tag either.
        let is_lost = answer.status == FAILED
            || is_absent(&answer) && matches!(condition, When::Unchanged(_));
        if is_lost {
            return Ok(None);
        }
        tag_of(&self.judge(answer)?).map(Some)
    }

    /// Removes a key; one that is not there is no error.
    pub async fn delete(&self, key: &str) -> Result<(), S3Error> {
        let answer = self.send(&call(Method::DELETE, key)).await?;
        if is_absent(&answer) {
            return Ok(());
        }
        self.judge(answer).map(drop)
    }

    /// Every key that begins with a prefix.
    pub async fn list(&self, prefix: &str) -> Result<Vec<Object>, S3Error> {
        let mut found = Listing::default();
        let mut after: Option<String> = None;
        loop {
            let mut query = vec![
                ("encoding-type", "url"),
                ("list-type", "2"),
                ("prefix", prefix),
            ];
            if let Some(token) = after.as_deref() {
                query.insert(0, ("continuation-token", token));
            }
            let call = Call {
                query: &query,
                ..call(Method::GET, "")
            };
            let answer = self.judge(self.send(&call).await?)?;
            let Page { objects, next } = read_page(&answer.body).map_err(S3Error::Unreadable)?;
            found.add(objects).map_err(S3Error::Unreadable)?;
            match next {
                None => return Ok(found.objects),
                Some(next) if after.as_ref() == Some(&next) => {
                    let text = "the server gives the same page again and again".to_owned();
                    return Err(S3Error::Unreadable(text));
                }
                next => after = next,
            }
        }
    }

    /// Sends a request, and again while the reason of its failure may pass.
    async fn send(&self, call: &Call<'_>) -> Result<Answer, S3Error> {
        let mut tries = 1;
        loop {
            let answer = self.send_once(call).await;
            let wait = match &answer {
                Ok(answer) => may_pass(answer.status).then(|| retry_after(&answer.headers)),
                Err(error) => error.is_transient().then_some(None),
            };
            let Some(asked) = wait.filter(|_| tries < self.patience.tries) else {
                return Ok(answer?);
            };
            let own = self.patience.first_wait * 2_u32.saturating_pow(tries - 1);
            tokio::time::sleep(asked.unwrap_or(own).min(LONGEST_WAIT)).await;
            tries += 1;
        }
    }

    async fn send_once(&self, call: &Call<'_>) -> Result<Answer, HttpError> {
        let mut url = self.base.clone();
        if !call.key.is_empty() {
            // Servers sign what they decode, escaped once more, so nothing may stay as it is typed.
            let path = format!("{}/{}", self.base.path(), signature::escaped_path(call.key));
            url.set_path(&path);
        }
        if !call.query.is_empty() {
            let pairs = call.query.iter();
            let pairs = pairs.map(|(name, value)| format!("{name}={}", signature::escaped(value)));
            url.set_query(Some(&pairs.collect::<Vec<_>>().join("&")));
        }
        let Signed { headers } = sign(&self.settings, call.method.as_str(), &url, &call.body);
        let mut headers: Vec<(&str, &str)> = headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let quoted;
        match call.condition {
            When::Always => {}
            When::Absent => headers.push(("if-none-match", "*")),
            When::Unchanged(tag) => {
                quoted = format!("\"{tag}\"");
                headers.push(("if-match", &quoted));
            }
        }
        let request = Request {
            method: call.method.clone(),
            url,
            key: Some(&self.settings.secret_key),
            key_headers: &[],
            headers: &headers,
            body: call.body.clone(),
            time_limit: Some(self.patience.time_limit),
        };
        self.http.send(&request).await
    }

    fn judge(&self, answer: Answer) -> Result<Answer, S3Error> {
        if answer.is_success() {
            return Ok(answer);
        }
        let secrets = [
            Some(&self.settings.secret_key),
            self.settings.session_token.as_ref(),
        ];
        let secrets: Vec<&ApiKey> = secrets.into_iter().flatten().collect();
        Err(refusal(&answer, &secrets))
    }
}

fn call(method: Method, key: &str) -> Call<'_> {
    Call {
        method,
        key,
        query: &[],
        condition: When::Always,
        body: Vec::new(),
    }
}

/// Whether the same request may succeed later by itself; what a server lacks (501) does not appear.
fn may_pass(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | CONFLICT | 500 | 502..=599)
}

/// Whether nothing has the key, in a bucket that is there.
fn is_absent(answer: &Answer) -> bool {
    answer.status == NOT_FOUND && code_of(answer) != "NoSuchBucket"
}

/// What follows the status in a message.
fn told(code: &str, message: &str) -> String {
    match (code, message) {
        ("", "") => String::new(),
        (code, "") => format!(" {code}"),
        ("", message) => format!(": {message}"),
        (code, message) => format!(" {code}: {message}"),
    }
}

fn tag_of(answer: &Answer) -> Result<String, S3Error> {
    let tag = answer.headers.get("etag").and_then(|tag| tag.to_str().ok());
    let tag = tag.map(|tag| tag.trim_matches('"').to_owned());
    tag.filter(|tag| !tag.is_empty())
        .ok_or_else(|| S3Error::Unreadable("it has no ETag".to_owned()))
}
