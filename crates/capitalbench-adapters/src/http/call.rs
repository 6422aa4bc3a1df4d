//! A request of any method whose answer is taken as bytes, whatever its status.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Method, Url};
use tokio::time::{Instant, timeout_at};

use super::{HttpClient, HttpError, key_value, retry_after};
use crate::secret::ApiKey;

/// One request.
#[derive(Debug, Clone)]
pub(crate) struct Call<'a> {
    /// What to do.
    pub(crate) method: Method,
    /// With what; never holds a key.
    pub(crate) url: Url,
    /// Who asks; every text of an error is cleared of it.
    pub(crate) key: &'a ApiKey,
    /// The headers that carry it, with what stands before it.
    pub(crate) key_headers: &'a [(&'static str, &'static str)],
    /// Further headers.
    pub(crate) headers: &'a [(&'static str, &'static str)],
    /// What is sent.
    pub(crate) body: Vec<u8>,
    /// Time until the last byte of the answer is there.
    pub(crate) time_limit: Duration,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Called {
    /// HTTP status.
    pub(crate) status: u16,
    /// How long the server asks to wait.
    pub(crate) retry_after: Option<Duration>,
    /// The exact body; that of an error may be cut off.
    pub(crate) body: Vec<u8>,
}

impl HttpClient {
    /// Sends once.
    pub(crate) async fn call(&self, call: &Call<'_>) -> Result<Called, HttpError> {
        self.require_reach(&call.url)?;
        let deadline = Instant::now() + call.time_limit;
        let too_slow = || HttpError::Timeout {
            after: call.time_limit,
        };
        let mut headers = HeaderMap::new();
        for (name, prefix) in call.key_headers {
            headers.insert(*name, key_value(prefix, call.key)?);
        }
        for (name, value) in call.headers {
            headers.insert(*name, HeaderValue::from_static(value));
        }
        let sending = self
            .client
            .request(call.method.clone(), call.url.clone())
            .headers(headers)
            .body(call.body.clone())
            .send();
        let response = timeout_at(deadline, sending)
            .await
            .map_err(|_| too_slow())?
            .map_err(|error| self.failure(&error, Some(call.key)))?;
        let status = response.status();
        let retry_after = retry_after::retry_after(response.headers());
        let mut body = Vec::new();
        let ending = timeout_at(deadline, self.fill(&mut body, response, Some(call.key)))
            .await
            .unwrap_or_else(|_| Err(too_slow()));
        if status.is_success() {
            ending?;
        }
        Ok(Called {
            status: status.as_u16(),
            retry_after,
            body,
        })
    }
}
