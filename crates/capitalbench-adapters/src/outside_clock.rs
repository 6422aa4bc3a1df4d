//! Clocks of others: RFC 3161 authorities and OpenTimestamps calendars, asked over HTTP.
//!
//! What comes back is handed on as it came; judging it is the work of `capitalbench-proof`.

use std::time::Duration;

use reqwest::Url;

use crate::http::{HttpClient, HttpError, Media, Post, clean, is_bare};

/// Largest answer taken: a token with its certificates has a few thousand bytes.
const LARGEST_ANSWER: usize = 256 << 10;

/// An address of an authority or calendar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockUrl(Url);

/// Why an address cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is not the address of a time stamp authority; it must be like https://freetsa.org/tsr"
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
    /// Name of the machine, and its port where the address names one.
    pub fn machine(&self) -> (&str, Option<u16>) {
        (self.0.host_str().unwrap_or_default(), self.0.port())
    }
}

impl std::fmt::Display for ClockUrl {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.0.as_str())
    }
}

/// Sends a time stamp query and gives back the reply.
pub async fn ask_authority(
    http: &HttpClient,
    url: &ClockUrl,
    query: Vec<u8>,
    time_limit: Duration,
) -> Result<Vec<u8>, HttpError> {
    ask(
        http,
        url.0.clone(),
        Media::TimestampQuery,
        query,
        time_limit,
    )
    .await
}

/// Posts a commitment to a calendar and gives back the beginning of a proof.
pub async fn ask_calendar(
    http: &HttpClient,
    calendar: &ClockUrl,
    commitment: &[u8; 32],
    time_limit: Duration,
) -> Result<Vec<u8>, HttpError> {
    let mut url = calendar.0.clone();
    url.path_segments_mut()
        .map_err(|()| HttpError::Setup {
            reason: "the calendar's address cannot have a path".to_owned(),
        })?
        .pop_if_empty()
        .push("digest");
    ask(
        http,
        url,
        Media::OpenTimestamps,
        commitment.to_vec(),
        time_limit,
    )
    .await
}

async fn ask(
    http: &HttpClient,
    url: Url,
    media: Media,
    body: Vec<u8>,
    time_limit: Duration,
) -> Result<Vec<u8>, HttpError> {
    let answer = http
        .post(Post {
            url,
            key: None,
            headers: &[],
            media,
            body,
            time_limit,
        })
        .await?;
    if answer.status != 200 {
        return Err(HttpError::Status {
            code: answer.status,
            retry_after: None,
            excerpt: clean(&String::from_utf8_lossy(&answer.body), None),
        });
    }
    if answer.body.len() > LARGEST_ANSWER {
        return Err(HttpError::TooLarge {
            limit: LARGEST_ANSWER,
        });
    }
    Ok(answer.body)
}
