//! The one HTTP client of the project: timeouts, a size limit, redaction and failure classes.
//!
//! It trusts the certificates it is built with and not those of the machine, follows no
//! redirect, uses no proxy, asks no private address unless told to, repeats nothing by itself, and puts a key in a header wherever a service
//! takes it there. Every text
//! in an [`HttpError`] has been cleared of the key.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, USER_AGENT,
};
use reqwest::{Client, Response, Url, redirect, retry};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use tokio::time::{Instant, timeout_at};

use crate::secret::{ApiKey, Wiped};

mod address;
mod call;
mod failure;
mod post;
mod rate_limit;
mod reach;
mod retry_after;

pub(crate) use address::{AddressFault, Secrecy, is_bare};
pub(crate) use call::{Call, Called};
pub use failure::HttpError;
pub(crate) use post::{KeyHeader, Media, Post, Posted};
pub(crate) use rate_limit::wait_for_allowance;
pub(crate) use reach::REMEDY;
pub use reach::Reach;
pub(crate) use retry_after::wait_asked_for;

/// How long and how much the client takes at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpLimits {
    /// Time until a connection stands.
    pub connect_timeout: Duration,
    /// Time until the last byte of an answer is there.
    pub total_timeout: Duration,
    /// Largest body in bytes, after decompression.
    pub body_bytes: usize,
    /// Which addresses may be asked.
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
    /// A client that works with and without certificates on the machine.
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

    /// Refuses what may not be asked; a host that is written as a number is never resolved, so
    /// nothing else would look at it.
    fn require_reach(&self, url: &Url) -> Result<(), HttpError> {
        if self.limits.reach.allows_host(url) {
            // Queries are left out: some sources want their key there.
            let host = url.host_str().unwrap_or_default();
            log::debug!("ask {}://{host}{}", url.scheme(), url.path());
            return Ok(());
        }
        let reason = format!("the address is a private one; {REMEDY}");
        Err(HttpError::NotAsked { reason })
    }

    /// Asks for JSON with the key where the credential says.
    pub(crate) async fn get(&self, request: Request<'_>) -> Result<Answer, HttpError> {
        self.require_reach(&request.url)?;
        let deadline = Instant::now() + self.limits.total_timeout;
        let mut asking = self
            .client
            .get(request.url)
            .header(ACCEPT, "application/json");
        if let Some(header) = request.credential.header()? {
            asking = asking.header(AUTHORIZATION, header);
        }
        if let Some(name) = request.user_agent {
            asking = asking.header(USER_AGENT, name);
        }
        let sending = asking.send();
        let key = request.credential.key();
        let response = timeout_at(deadline, sending)
            .await
            .map_err(|_| self.too_slow())?
            .map_err(|error| self.failure(&error, key))?;
        let status = response.status();
        let content_type = header_text(response.headers(), &CONTENT_TYPE);
        let retry_after = retry_after::retry_after(response.headers());
        let mut body = Vec::new();
        let ending = timeout_at(deadline, self.fill(&mut body, response, key))
            .await
            .unwrap_or_else(|_| Err(self.too_slow()));
        if status.is_success() {
            ending?;
            return Ok(Answer {
                text: String::from_utf8(body).map_err(|_| HttpError::NotText)?,
                content_type,
                retry_after,
            });
        }
        // The status is what matters; a body that breaks off only leaves the excerpt shorter.
        Err(HttpError::Status {
            code: status.as_u16(),
            retry_after,
            excerpt: clean(&String::from_utf8_lossy(&body), key),
        })
    }

    /// Reads a body into `bytes`, which hold what came when it breaks off.
    async fn fill(
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

    fn too_slow(&self) -> HttpError {
        HttpError::Timeout {
            after: self.limits.total_timeout,
        }
    }
}

/// One question.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    /// Where to ask.
    pub(crate) url: Url,
    /// Who asks.
    pub(crate) credential: Credential<'a>,
    /// What to be called in place of the program's own name.
    pub(crate) user_agent: Option<&'static str>,
}

/// Where a key goes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Credential<'a> {
    /// In the `Authorization` header.
    Header {
        /// The word before it, such as `Token`.
        scheme: &'static str,
        /// The key.
        key: &'a ApiKey,
    },
    /// In the address, for services that take it nowhere else; every text is cleared of it.
    Address(&'a ApiKey),
    /// Nowhere: the service asks for none.
    Nobody,
}

impl<'a> Credential<'a> {
    fn key(self) -> Option<&'a ApiKey> {
        match self {
            Self::Header { key, .. } | Self::Address(key) => Some(key),
            Self::Nobody => None,
        }
    }

    fn header(self) -> Result<Option<HeaderValue>, HttpError> {
        let Self::Header { scheme, key } = self else {
            return Ok(None);
        };
        key_value(&format!("{scheme} "), key).map(Some)
    }
}

/// The value of a header that carries a key.
fn key_value(prefix: &str, key: &ApiKey) -> Result<HeaderValue, HttpError> {
    let text = Wiped::new(format!("{prefix}{}", key.expose()));
    let mut value = HeaderValue::from_str(&text).map_err(|_| HttpError::Setup {
        reason: "the API key cannot be sent in a header".to_owned(),
    })?;
    value.set_sensitive(true);
    Ok(value)
}

/// An answer with a status of success.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The whole body, exactly as it came.
    pub(crate) text: String,
    /// The declared type of the body, in lower case and without parameters.
    pub(crate) content_type: Option<String>,
    /// How long the server asks to wait.
    pub(crate) retry_after: Option<Duration>,
}

/// The beginning of a text on one line, without the key and without control characters.
pub(crate) fn excerpt(text: &str, key: &ApiKey) -> String {
    one_line(&key.redact(text))
}

/// The same where there may be no key.
pub(crate) fn clean(text: &str, key: Option<&ApiKey>) -> String {
    key.map_or_else(|| one_line(text), |key| excerpt(text, key))
}

/// The beginning of a text on one line, without control characters.
pub(crate) fn one_line(text: &str) -> String {
    const LONGEST: usize = 200;
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

fn header_text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let text = headers.get(name)?.to_str().ok()?;
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
