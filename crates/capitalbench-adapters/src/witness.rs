//! Witnesses of a log, asked over HTTP (C2SP tlog-witness, `add-checkpoint`).
//!
//! This module hands answers on as they came; `capitalbench-proof` judges them.

use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use reqwest::{Method, Url};

use crate::http::{HttpClient, HttpError, Request, excerpt, is_bare, with_path};

/// Largest accepted answer: a cosignature has a hundred bytes, and a witness may send several.
const LARGEST_ANSWER: usize = 64 << 10;

/// The submission prefix of a witness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WitnessUrl(Url);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not the address of a witness; it must look like https://witness.example")]
pub struct WitnessUrlError {
    text: String,
}

impl std::str::FromStr for WitnessUrl {
    type Err = WitnessUrlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Url::parse(text)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && is_bare(url))
            .map(WitnessUrl)
            .ok_or_else(|| WitnessUrlError {
                text: text.to_owned(),
            })
    }
}

impl std::fmt::Display for WitnessUrl {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.0.as_str())
    }
}

/// What a witness answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WitnessAnswer {
    /// Signature lines.
    Cosigned(String),
    /// It signed another checkpoint last; its text names the size.
    Conflict(String),
    /// It does not know the log (404).
    UnknownLog,
    /// The log's signature is of no key that it knows (403).
    UnknownKey,
    /// The proof does not lead from what it signed to this checkpoint (422).
    NoGrowth,
    /// It refused for another reason.
    Refused { status: u16, text: String },
}

/// Shows a checkpoint to a witness.
pub async fn add_checkpoint(
    http: &HttpClient,
    witness: &WitnessUrl,
    question: String,
    time_limit: Duration,
) -> Result<WitnessAnswer, HttpError> {
    let request = Request {
        method: Method::POST,
        url: with_path(&witness.0, &["add-checkpoint"]),
        key: None,
        key_headers: &[],
        headers: &[(CONTENT_TYPE.as_str(), "text/plain; charset=utf-8")],
        body: question.into_bytes(),
        time_limit: Some(time_limit),
    };
    let answer = http.send(&request).await?;
    if answer.body.len() > LARGEST_ANSWER {
        let limit = LARGEST_ANSWER;
        return Err(HttpError::TooLarge { limit });
    }
    let text = || String::from_utf8(answer.body.clone()).map_err(|_| HttpError::NotText);
    match answer.status {
        200 => Ok(WitnessAnswer::Cosigned(text()?)),
        409 => Ok(WitnessAnswer::Conflict(text()?)),
        404 => Ok(WitnessAnswer::UnknownLog),
        403 => Ok(WitnessAnswer::UnknownKey),
        422 => Ok(WitnessAnswer::NoGrowth),
        429 | 500.. => Err(answer.status_error(None)),
        status => Ok(WitnessAnswer::Refused {
            status,
            text: excerpt(&String::from_utf8_lossy(&answer.body), None),
        }),
    }
}
