//! The public store over HTTP: `PostgREST` under `/rest/v1`, the storage under `/storage/v1`.
//!
//! Every request may be repeated: functions are idempotent and objects have the digest of their
//! content in their name, so what failed for a passing reason is tried again after a while.

use std::time::Duration;

use reqwest::{Method, Url};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::http::{AddressFault, Call, Called, HttpClient, HttpError, REMEDY, Secrecy, excerpt};
use crate::secret::ApiKey;

/// Time for one request; a large delta takes a while.
const TIME_LIMIT: Duration = Duration::from_mins(2);
/// Rows asked for at a time; a server may give fewer.
const PAGE: usize = 200;
/// The longest a server may make us wait.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// The beginning of every JSON web token.
const TOKEN: &str = "eyJ";

/// How often a request is tried, and the wait after the first failure, doubled each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Tries at most.
    pub tries: u32,
    /// The first wait.
    pub first_wait: Duration,
    /// Time for one try.
    pub time_limit: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            tries: 5,
            first_wait: Duration::from_millis(500),
            time_limit: TIME_LIMIT,
        }
    }
}

/// An address that is not that of a project; it is not repeated, it may hold a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SupabaseUrlError {
    /// Not an address of the web, or more than scheme, host, port and path.
    #[error(
        "the address must be like https://PROJECT.supabase.co, without a key and without a query"
    )]
    NotAProject,
    /// An address of this machine or of a private network.
    #[error("the address is a private one; {REMEDY}")]
    Private,
    /// A key would be sent for everybody to read.
    #[error("the address must begin with https://, or the key would be sent in clear")]
    InClear,
}

impl From<AddressFault> for SupabaseUrlError {
    fn from(fault: AddressFault) -> Self {
        match fault {
            AddressFault::NotHttp | AddressFault::HoldsMore => Self::NotAProject,
            AddressFault::Private => Self::Private,
            AddressFault::InClear => Self::InClear,
        }
    }
}

/// Why a request came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SupabaseError {
    /// No answer, or none of use, each time.
    #[error("{0}")]
    Http(HttpError),
    /// The server refused; never worth a repetition.
    #[error("{message}")]
    Refused {
        /// HTTP status.
        status: u16,
        /// SQLSTATE or a code of `PostgREST`, where one was given.
        code: Option<String>,
        /// In its own words, without the key.
        message: String,
    },
    /// Not what was asked for.
    #[error("{0}")]
    Unreadable(String),
}

/// A project, with the rights of a key.
#[derive(Debug, Clone)]
pub struct Supabase {
    http: HttpClient,
    base: Url,
    key: ApiKey,
    patience: Patience,
}

/// What is sent.
struct Body<'a> {
    headers: &'a [(&'static str, &'static str)],
    bytes: Vec<u8>,
}

const JSON: [(&str, &str); 2] = [
    ("content-type", "application/json"),
    ("accept", "application/json"),
];

impl Supabase {
    /// A project at an address.
    pub fn new(http: HttpClient, base: &str, key: ApiKey) -> Result<Self, SupabaseUrlError> {
        let base = http.address(base, Secrecy::Keyed)?;
        Ok(Self {
            http,
            base,
            key,
            patience: Patience::default(),
        })
    }

    /// The same with another patience.
    #[must_use]
    pub fn with_patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }

    /// Calls a function of the database.
    pub async fn call(&self, function: &str, arguments: &Value) -> Result<Value, SupabaseError> {
        let url = self.url(&["rest", "v1", "rpc", function]);
        let body = Body {
            headers: &JSON,
            bytes: arguments.to_string().into_bytes(),
        };
        let answer = self.send(Method::POST, url, &body).await?;
        parse(&answer)
    }

    /// All rows of a table in an order that names each of them; some servers give only the first
    /// thousand of an answer and do not say so, so it is asked until nothing comes.
    pub async fn rows(
        &self,
        table: &str,
        query: &[(&str, &str)],
    ) -> Result<Vec<Value>, SupabaseError> {
        let mut rows: Vec<Value> = Vec::new();
        loop {
            let mut url = self.url(&["rest", "v1", table]);
            url.query_pairs_mut()
                .extend_pairs(query)
                .append_pair("limit", &PAGE.to_string())
                .append_pair("offset", &rows.len().to_string());
            let answer = self.send(Method::GET, url, &Body::none()).await?;
            match parse(&answer)? {
                Value::Array(page) if page.is_empty() => return Ok(rows),
                Value::Array(page) if rows.ends_with(&page) => {
                    let text = format!("{table}: the server gives the same rows again and again");
                    return Err(SupabaseError::Unreadable(text));
                }
                Value::Array(page) => rows.extend(page),
                _ => return Err(SupabaseError::Unreadable("rows are no list".into())),
            }
        }
    }

    /// Puts an object into a bucket, in place of one of the same name.
    pub async fn upload(
        &self,
        bucket: &str,
        object: &str,
        bytes: &[u8],
    ) -> Result<(), SupabaseError> {
        let url = self.object(&["storage", "v1", "object", bucket], object);
        let body = Body {
            headers: &[
                ("content-type", "application/gzip"),
                ("x-upsert", "true"),
                ("cache-control", "max-age=31536000"),
            ],
            bytes: bytes.to_vec(),
        };
        self.send(Method::POST, url, &body).await.map(drop)
    }

    /// An object of a public bucket.
    pub async fn download(&self, bucket: &str, object: &str) -> Result<Vec<u8>, SupabaseError> {
        let url = self.object(&["storage", "v1", "object", "public", bucket], object);
        let answer = self.send(Method::GET, url, &Body::none()).await?;
        Ok(answer.body)
    }

    /// Takes objects out of a bucket; those that are not there are no matter.
    pub async fn remove(&self, bucket: &str, objects: &[String]) -> Result<(), SupabaseError> {
        let url = self.url(&["storage", "v1", "object", bucket]);
        let body = Body {
            headers: &JSON,
            bytes: json!({"prefixes": objects}).to_string().into_bytes(),
        };
        self.send(Method::DELETE, url, &body).await.map(drop)
    }

    fn url(&self, segments: &[&str]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }

    fn object(&self, before: &[&str], object: &str) -> Url {
        let segments: Vec<&str> = before.iter().copied().chain(object.split('/')).collect();
        self.url(&segments)
    }

    /// Sends, and again as long as the reason may pass.
    async fn send(
        &self,
        method: Method,
        url: Url,
        body: &Body<'_>,
    ) -> Result<Called, SupabaseError> {
        let key_headers = [("apikey", ""), ("authorization", "Bearer ")];
        let is_token = self.key.expose().starts_with(TOKEN);
        let call = Call {
            method,
            url,
            key: &self.key,
            // The newer keys are no tokens and are refused as such.
            key_headers: if is_token {
                &key_headers
            } else {
                &key_headers[..1]
            },
            headers: body.headers,
            body: body.bytes.clone(),
            time_limit: self.patience.time_limit,
        };
        let mut tries = 1;
        loop {
            let answer = self.http.call(&call).await;
            let wanted = match &answer {
                Ok(answer) if (200..300).contains(&answer.status) => None,
                Ok(answer) => may_pass(answer.status).then_some(answer.retry_after),
                Err(error) => passes(error).then_some(None),
            };
            let Some(wanted) = wanted.filter(|_| tries < self.patience.tries) else {
                return self.judge(answer);
            };
            let own = self.patience.first_wait * 2_u32.saturating_pow(tries - 1);
            tokio::time::sleep(wanted.unwrap_or(own).min(LONGEST_WAIT)).await;
            tries += 1;
        }
    }

    fn judge(&self, answer: Result<Called, HttpError>) -> Result<Called, SupabaseError> {
        let answer = answer.map_err(SupabaseError::Http)?;
        if (200..300).contains(&answer.status) {
            return Ok(answer);
        }
        let said: Option<Said> = serde_json::from_slice(&answer.body).ok();
        let text = String::from_utf8_lossy(&answer.body);
        if may_pass(answer.status) {
            return Err(SupabaseError::Http(HttpError::Status {
                code: answer.status,
                retry_after: answer.retry_after,
                excerpt: excerpt(&text, &self.key),
            }));
        }
        let message = said.as_ref().and_then(|said| said.message.clone());
        let message = message.unwrap_or_else(|| format!("status {}: {text}", answer.status));
        Err(SupabaseError::Refused {
            status: answer.status,
            code: said.and_then(|said| said.code),
            message: excerpt(&message, &self.key),
        })
    }
}

impl Body<'_> {
    fn none() -> Self {
        Self {
            headers: &[],
            bytes: Vec::new(),
        }
    }
}

/// What a refusal says of itself.
#[derive(Deserialize)]
struct Said {
    code: Option<String>,
    message: Option<String>,
}

fn may_pass(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500..=599)
}

fn passes(error: &HttpError) -> bool {
    matches!(
        error,
        HttpError::Timeout { .. } | HttpError::Connect { .. } | HttpError::Truncated
    )
}

fn parse(answer: &Called) -> Result<Value, SupabaseError> {
    serde_json::from_slice(&answer.body).map_err(|e| SupabaseError::Unreadable(e.to_string()))
}
