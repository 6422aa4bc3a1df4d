//! Outside clocks: RFC 3161 authorities and OpenTimestamps calendars, asked over HTTP.
//!
//! This module hands replies on as they came; `capitalbench-proof` judges them.

use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Method, Url};

use crate::http::{HttpClient, HttpError, Request, is_bare, with_path};

/// Largest accepted reply: a token with its certificates has a few thousand bytes.
const LARGEST_REPLY: usize = 256 << 10;

/// The address of an authority or calendar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockUrl(Url);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is not the address of a time stamp authority; it must look like https://freetsa.org/tsr"
)]
pub struct ClockUrlError {
    text: String,
}

impl std::str::FromStr for ClockUrl {
    type Err = ClockUrlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Url::parse(text)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && is_bare(url))
            .map(ClockUrl)
            .ok_or_else(|| ClockUrlError {
                text: text.to_owned(),
            })
    }
}

impl ClockUrl {
    /// The host, and the port if the address names one.
    pub fn machine(&self) -> (&str, Option<u16>) {
        (self.0.host_str().unwrap_or_default(), self.0.port())
    }
}

impl std::fmt::Display for ClockUrl {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.0.as_str())
    }
}

/// Sends a time stamp query and returns the reply.
pub async fn ask_authority(
    http: &HttpClient,
    url: &ClockUrl,
    query: Vec<u8>,
    time_limit: Duration,
) -> Result<Vec<u8>, HttpError> {
    let headers = [
        (CONTENT_TYPE.as_str(), "application/timestamp-query"),
        (ACCEPT.as_str(), "application/timestamp-reply"),
    ];
    post(http, url.0.clone(), &headers, query, time_limit).await
}

/// Posts a commitment to a calendar and returns the start of a proof.
pub async fn ask_calendar(
    http: &HttpClient,
    calendar: &ClockUrl,
    commitment: &[u8; 32],
    time_limit: Duration,
) -> Result<Vec<u8>, HttpError> {
    let headers = [
        (CONTENT_TYPE.as_str(), "application/x-www-form-urlencoded"),
        (ACCEPT.as_str(), "application/vnd.opentimestamps.v1"),
    ];
    let url = with_path(&calendar.0, &["digest"]);
    post(http, url, &headers, commitment.to_vec(), time_limit).await
}

async fn post(
    http: &HttpClient,
    url: Url,
    headers: &[(&'static str, &'static str)],
    body: Vec<u8>,
    time_limit: Duration,
) -> Result<Vec<u8>, HttpError> {
    let request = Request {
        method: Method::POST,
        url,
        key: None,
        key_headers: &[],
        headers,
        body,
        time_limit: Some(time_limit),
    };
    let answer = http.send(&request).await?;
    if answer.status != 200 {
        return Err(answer.status_error(None));
    }
    if answer.body.len() > LARGEST_REPLY {
        let limit = LARGEST_REPLY;
        return Err(HttpError::TooLarge { limit });
    }
    Ok(answer.body)
}
