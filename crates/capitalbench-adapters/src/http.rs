//! The one HTTP client of the project: timeouts, a size limit, redaction and failure classes.
//!
//! The client trusts the certificates it is built with and not those of the machine. It follows no
//! redirect, uses no proxy, never repeats a request, and refuses private addresses unless the caller
//! allows them. A key travels in a header wherever the service accepts one there. The text of an
//! [`HttpError`] never contains the key.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap};
use reqwest::{Client, Method, Response, Url, redirect, retry};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use tokio::time::{Instant, timeout_at};

use crate::secret::ApiKey;

mod address;
mod failure;
mod rate_limit;
mod reach;
mod request;
mod retry_after;

pub use address::{BaseUrlError, check_base_url};
pub(crate) use address::{Secrecy, is_bare, with_path};
pub use failure::HttpError;
pub(crate) use rate_limit::{wait_for_allowance, wait_until_reset};
pub(crate) use reach::REMEDY;
pub use reach::Reach;
pub(crate) use request::{Answer, KeyHeader, Request};
pub(crate) use retry_after::{retry_after, wait_asked_for};

/// A deadline for time limits that no clock can represent.
const LONGEST_WAIT: Duration = Duration::from_hours(24);

/// The limits of every request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpLimits {
    pub connect_timeout: Duration,
    /// Time until the last byte of the answer, for requests that bring no limit of their own.
    pub total_timeout: Duration,
    /// Largest body in bytes, after decompression.
    pub body_bytes: usize,
    pub reach: Reach,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            total_timeout: Duration::from_secs(30),
            body_bytes: 32 << 20,
            reach: Reach::Public,
        }
    }
}

/// The client; clones share their connections.
#[derive(Debug, Clone)]
pub struct HttpClient {
    client: Client,
    limits: HttpLimits,
}

impl HttpClient {
    /// Builds a client that needs no certificates on the machine.
    pub fn new(limits: HttpLimits) -> Result<Self, HttpError> {
        let unusable = |reason: String| HttpError::Setup { reason };
        let tls = tls_config().map_err(|error| unusable(error.to_string()))?;
        let client = Client::builder()
            .tls_backend_preconfigured(tls)
            .user_agent(concat!("capitalbench/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(limits.connect_timeout)
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .referer(false)
            .no_proxy()
            .dns_resolver(Arc::new(reach::Resolver(limits.reach)))
            .build()
            .map_err(|error| unusable(error.to_string()))?;
        Ok(Self { client, limits })
    }

    /// Sends a request once and returns the answer, whatever its status.
    pub(crate) async fn send(&self, request: &Request<'_>) -> Result<Answer, HttpError> {
        self.send_paced(request, LONGEST_WAIT).await
    }

    /// The same for a server that has long to think: once its answer has begun, it must be complete
    /// within a time of its own.
    pub(crate) async fn send_paced(
        &self,
        request: &Request<'_>,
        complete_within: Duration,
    ) -> Result<Answer, HttpError> {
        self.require_reach(&request.url, request.key)?;
        let now = Instant::now();
        let after = request.time_limit.unwrap_or(self.limits.total_timeout);
        let deadline = now.checked_add(after).unwrap_or(now + LONGEST_WAIT);
        let too_slow = || HttpError::Timeout { after };
        let sending = self
            .client
            .request(request.method.clone(), request.url.clone())
            .headers(request.header_map()?)
            .body(request.body.clone())
            .send();
        let response = timeout_at(deadline, sending)
            .await
            .map_err(|_| too_slow())?
            .map_err(|error| self.failure(&error, request.key))?;
        let status = response.status();
        let headers = response.headers().clone();
        let mut body = Vec::new();
        let reading = self.read_body(&mut body, response, request.key);
        let paced = Instant::now().checked_add(complete_within);
        let paced = paced.filter(|paced| *paced < deadline);
        let ending = timeout_at(paced.unwrap_or(deadline), reading)
            .await
            .unwrap_or_else(|_| {
                Err(paced.map_or_else(too_slow, |_| HttpError::Dripped {
                    after: complete_within,
                }))
            });
        // The status of an error is what matters: a body that breaks off only shortens its text.
        if status.is_success() {
            ending?;
        }
        Ok(Answer {
            status: status.as_u16(),
            headers,
            body,
        })
    }

    /// Asks for JSON with a GET request; any status but success is an error.
    pub(crate) async fn get_json(
        &self,
        url: Url,
        key: Option<&ApiKey>,
        key_headers: &[KeyHeader],
        headers: &[(&'static str, &'static str)],
    ) -> Result<TextAnswer, HttpError> {
        let headers = [headers, &[(ACCEPT.as_str(), "application/json")]].concat();
        let request = Request {
            method: Method::GET,
            url,
            key,
            key_headers,
            headers: &headers,
            body: Vec::new(),
            time_limit: None,
        };
        let answer = self.send(&request).await?;
        if !answer.is_success() {
            return Err(answer.status_error(key));
        }
        Ok(TextAnswer {
            content_type: media_type(&answer.headers),
            retry_after: retry_after(&answer.headers),
            text: String::from_utf8(answer.body).map_err(|_| HttpError::NotText)?,
        })
    }

    /// Refuses an address that may not be asked. A host written as a number is never resolved, so
    /// the resolver does not see it.
    fn require_reach(&self, url: &Url, key: Option<&ApiKey>) -> Result<(), HttpError> {
        if self.limits.reach.allows_host(url) {
            // Queries are left out: some sources want their key there.
            let host = url.host_str().unwrap_or_default();
            let path = url.path();
            let path = key.map_or_else(|| path.to_owned(), |key| key.redact(path));
            log::debug!("ask {}://{host}{path}", url.scheme());
            return Ok(());
        }
        let reason = format!("its address is private; {REMEDY}");
        Err(HttpError::NotAsked { reason })
    }

    /// Reads a body into `bytes`, which keep what had arrived if the connection breaks.
    async fn read_body(
        &self,
        bytes: &mut Vec<u8>,
        mut response: Response,
        key: Option<&ApiKey>,
    ) -> Result<(), HttpError> {
        let limit = self.limits.body_bytes;
        loop {
            let chunk = response.chunk().await;
            match chunk.map_err(|error| self.failure(&error, key))? {
                None => return Ok(()),
                Some(chunk) if bytes.len() + chunk.len() > limit => {
                    return Err(HttpError::TooLarge { limit });
                }
                Some(chunk) => bytes.extend_from_slice(&chunk),
            }
        }
    }

    fn failure(&self, error: &reqwest::Error, key: Option<&ApiKey>) -> HttpError {
        HttpError::of(error, key, self.limits.connect_timeout)
    }
}

/// A successful answer to [`HttpClient::get_json`].
#[derive(Debug)]
pub(crate) struct TextAnswer {
    /// The whole body, exactly as it came.
    pub(crate) text: String,
    /// The declared type of the body, in lower case and without parameters.
    pub(crate) content_type: Option<String>,
    /// How long the server asks to wait.
    pub(crate) retry_after: Option<Duration>,
}

/// The start of a text on one line, without the key and without control characters.
pub(crate) fn excerpt(text: &str, key: Option<&ApiKey>) -> String {
    const LONGEST: usize = 200;
    let text = key.map_or_else(|| text.to_owned(), |key| key.redact(text));
    let words: Vec<&str> = text
        .split(|character: char| character.is_whitespace() || character.is_control())
        .filter(|word| !word.is_empty())
        .take(LONGEST)
        .collect();
    let line = words.join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn media_type(headers: &HeaderMap) -> Option<String> {
    let text = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let media_type = text.split(';').next()?.trim();
    Some(media_type.to_ascii_lowercase())
}

fn tls_config() -> Result<ClientConfig, rustls::Error> {
    let roots: RootCertStore = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}
