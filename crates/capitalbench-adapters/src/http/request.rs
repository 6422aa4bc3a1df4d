//! [`Request`] and [`Answer`]: what every caller of the client fills in and gets back.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};

use super::{HttpError, excerpt, retry_after};
use crate::secret::{ApiKey, Wiped};

/// The name of a header that carries the key, and the text before the key, such as `Bearer `.
pub(crate) type KeyHeader = (&'static str, &'static str);

#[derive(Debug, Clone)]
pub(crate) struct Request<'a> {
    pub(crate) method: Method,
    pub(crate) url: Url,
    /// The key is removed from the text of every error.
    pub(crate) key: Option<&'a ApiKey>,
    /// Empty for a service that only accepts the key in the address.
    pub(crate) key_headers: &'a [KeyHeader],
    /// The last one of a name counts.
    pub(crate) headers: &'a [(&'a str, &'a str)],
    pub(crate) body: Vec<u8>,
    /// Time until the last byte of the answer; the client's own limit if none is given.
    pub(crate) time_limit: Option<Duration>,
}

impl Request<'_> {
    pub(super) fn header_map(&self) -> Result<HeaderMap, HttpError> {
        let mut headers = HeaderMap::new();
        for (name, value) in self.headers {
            let unfit = || HttpError::Setup {
                reason: format!("the header {name} cannot be sent"),
            };
            let named = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unfit())?;
            let value = HeaderValue::from_str(value).map_err(|_| unfit())?;
            headers.insert(named, value);
        }
        if let Some(key) = self.key {
            for (name, prefix) in self.key_headers {
                headers.insert(*name, key_value(prefix, key)?);
            }
        }
        Ok(headers)
    }
}

/// The value of a header that carries a key; it is never printed.
fn key_value(prefix: &str, key: &ApiKey) -> Result<HeaderValue, HttpError> {
    let text = Wiped::new(format!("{prefix}{}", key.expose()));
    let mut value = HeaderValue::from_str(&text).map_err(|_| HttpError::Setup {
        reason: "the API key has characters that no header can carry".to_owned(),
    })?;
    value.set_sensitive(true);
    Ok(value)
}

/// The answer of a server, of any status.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    /// The exact body; that of an error may be cut off.
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The error for a status that is not the wanted one.
    pub(crate) fn status_error(&self, key: Option<&ApiKey>) -> HttpError {
        HttpError::Status {
            code: self.status,
            retry_after: retry_after(&self.headers),
            excerpt: excerpt(&String::from_utf8_lossy(&self.body), key),
        }
    }
}
