//! The public store over HTTP: `PostgREST` under `/rest/v1`, the storage under `/storage/v1`.
//!
//! Every request may be repeated: functions are idempotent, and the name of an object holds the digest
//! of its content. So a request that failed for a passing reason is sent again after a wait.

use std::time::Duration;

use reqwest::{Method, Url};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::http::{
    Answer, BaseUrlError, HttpClient, HttpError, KeyHeader, Request, Secrecy, excerpt, retry_after,
    with_path,
};
use crate::secret::ApiKey;

/// Rows per request, where they are small; a server may give fewer.
const PAGE: usize = 200;
/// Most names that the storage removes in one request.
const MOST_REMOVED: usize = 1_000;
/// The status of a hosted project that is paused.
const PAUSED: u16 = 540;
/// SQLSTATE of a statement that was ended at its time limit; it comes with a status of 500.
const STATEMENT_TIMEOUT: &str = "57014";
/// The longest wait that a server may ask for.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// How every JSON web token begins.
const TOKEN: &str = "eyJ";
const JSON: [(&str, &str); 2] = [
    ("content-type", "application/json"),
    ("accept", "application/json"),
];

/// How often a request is tried. The wait doubles after every failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    pub tries: u32,
    pub first_wait: Duration,
    /// Time for one try; a large delta takes a while.
    pub time_limit: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            tries: 5,
            first_wait: Duration::from_millis(500),
            time_limit: Duration::from_mins(2),
        }
    }
}

/// Why a request failed for good.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SupabaseError {
    /// Every try ended without a usable answer.
    #[error("{0}")]
    Http(HttpError),
    /// Nothing answers until somebody restores the project.
    #[error("the project is paused (status {PAUSED})")]
    Paused,
    /// The server refused, so another try would not help.
    #[error("{message}")]
    Refused {
        status: u16,
        /// SQLSTATE or a code of `PostgREST`, if the server gave one.
        code: Option<String>,
        /// The server's own words, without the key.
        message: String,
    },
    #[error("the answer cannot be read: {0}")]
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

/// The body of a request.
#[derive(Default)]
struct Body<'a> {
    headers: &'a [(&'static str, &'static str)],
    bytes: Vec<u8>,
}

impl Body<'_> {
    fn json(value: &Value) -> Self {
        Self {
            headers: &JSON,
            bytes: value.to_string().into_bytes(),
        }
    }
}

impl Supabase {
    pub fn new(http: HttpClient, base: &str, key: ApiKey) -> Result<Self, BaseUrlError> {
        let base = http.base_url(base, Secrecy::Keyed)?;
        Ok(Self {
            http,
            base,
            key,
            patience: Patience::default(),
        })
    }

    #[must_use]
    pub fn with_patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }

    /// Calls a function of the database.
    pub async fn call(&self, function: &str, arguments: &Value) -> Result<Value, SupabaseError> {
        let url = with_path(&self.base, &["rest", "v1", "rpc", function]);
        let answer = self.send(Method::POST, url, Body::json(arguments)).await?;
        parse(&answer)
    }

    /// All rows of a table; `query` must order them by a unique key.
    pub async fn rows(
        &self,
        table: &str,
        query: &[(&str, &str)],
    ) -> Result<Vec<Value>, SupabaseError> {
        self.rows_in_pages(table, query, PAGE).await
    }

    /// The same in pages of this many rows. Some servers cut an answer at a thousand rows without
    /// saying so, so this asks for pages until one is empty.
    pub async fn rows_in_pages(
        &self,
        table: &str,
        query: &[(&str, &str)],
        page: usize,
    ) -> Result<Vec<Value>, SupabaseError> {
        let mut rows: Vec<Value> = Vec::new();
        loop {
            let mut url = with_path(&self.base, &["rest", "v1", table]);
            url.query_pairs_mut()
                .extend_pairs(query)
                .append_pair("limit", &page.to_string())
                .append_pair("offset", &rows.len().to_string());
            let answer = self.send(Method::GET, url, Body::default()).await?;
            match parse(&answer)? {
                Value::Array(page) if page.is_empty() => return Ok(rows),
                Value::Array(page) if rows.ends_with(&page) => {
                    let text = format!("{table}: the server gives the same rows again and again");
                    return Err(SupabaseError::Unreadable(text));
                }
                Value::Array(page) => rows.extend(page),
                _ => return Err(SupabaseError::Unreadable(format!("{table}: not a list"))),
            }
        }
    }

    /// Puts an object into a bucket and replaces one of the same name.
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
        self.send(Method::POST, url, body).await.map(drop)
    }

    /// Fetches an object of a public bucket.
    pub async fn download(&self, bucket: &str, object: &str) -> Result<Vec<u8>, SupabaseError> {
        let url = self.object(&["storage", "v1", "object", "public", bucket], object);
        let answer = self.send(Method::GET, url, Body::default()).await?;
        Ok(answer.body)
    }

    /// Removes objects from a bucket and ignores those that are not there.
    pub async fn remove(&self, bucket: &str, objects: &[String]) -> Result<(), SupabaseError> {
        let url = with_path(&self.base, &["storage", "v1", "object", bucket]);
        for some in objects.chunks(MOST_REMOVED) {
            let body = Body::json(&json!({"prefixes": some}));
            self.send(Method::DELETE, url.clone(), body).await?;
        }
        Ok(())
    }

    fn object(&self, before: &[&str], object: &str) -> Url {
        let segments: Vec<&str> = before.iter().copied().chain(object.split('/')).collect();
        with_path(&self.base, &segments)
    }

    /// Sends a request, and again while the reason of its failure may pass.
    async fn send(
        &self,
        method: Method,
        url: Url,
        body: Body<'_>,
    ) -> Result<Answer, SupabaseError> {
        let request = Request {
            method,
            url,
            key: Some(&self.key),
            key_headers: self.key_headers(),
            headers: body.headers,
            body: body.bytes,
            time_limit: Some(self.patience.time_limit),
        };
        let mut tries = 1;
        loop {
            let answer = self.http.send(&request).await;
            let wait = match &answer {
                Ok(answer) if answer.is_success() => None,
                Ok(answer) => may_pass(answer).then(|| retry_after(&answer.headers)),
                Err(error) => error.is_transient().then_some(None),
            };
            let Some(asked) = wait.filter(|_| tries < self.patience.tries) else {
                return self.judge(answer);
            };
            let own = self.patience.first_wait * 2_u32.saturating_pow(tries - 1);
            tokio::time::sleep(asked.unwrap_or(own).min(LONGEST_WAIT)).await;
            tries += 1;
        }
    }

    /// Newer keys are not JSON web tokens, and the server refuses them as a bearer token.
    fn key_headers(&self) -> &'static [KeyHeader] {
        const BOTH: [KeyHeader; 2] = [("apikey", ""), ("authorization", "Bearer ")];
        if self.key.expose().starts_with(TOKEN) {
            &BOTH
        } else {
            &BOTH[..1]
        }
    }

    fn judge(&self, answer: Result<Answer, HttpError>) -> Result<Answer, SupabaseError> {
        let answer = answer.map_err(SupabaseError::Http)?;
        if answer.is_success() {
            return Ok(answer);
        }
        if answer.status == PAUSED {
            return Err(SupabaseError::Paused);
        }
        if may_pass(&answer) {
            return Err(SupabaseError::Http(answer.status_error(Some(&self.key))));
        }
        let refusal = Refusal::of(&answer);
        let message = refusal.message.unwrap_or_else(|| {
            let text = String::from_utf8_lossy(&answer.body);
            format!("status {}: {text}", answer.status)
        });
        Err(SupabaseError::Refused {
            status: answer.status,
            code: refusal.code,
            message: excerpt(&message, Some(&self.key)),
        })
    }
}

/// The body of a refusal.
#[derive(Default, Deserialize)]
struct Refusal {
    code: Option<String>,
    message: Option<String>,
}

impl Refusal {
    fn of(answer: &Answer) -> Self {
        serde_json::from_slice(&answer.body).unwrap_or_default()
    }
}

/// Whether the same request may succeed later by itself. A paused project stays paused, and a
/// statement that took too long will take as long again.
fn may_pass(answer: &Answer) -> bool {
    match answer.status {
        PAUSED => false,
        500..=599 => Refusal::of(answer).code.as_deref() != Some(STATEMENT_TIMEOUT),
        status => matches!(status, 408 | 425 | 429),
    }
}

fn parse(answer: &Answer) -> Result<Value, SupabaseError> {
    serde_json::from_slice(&answer.body).map_err(|e| SupabaseError::Unreadable(e.to_string()))
}
