//! Agents: entrants that are asked at an address (docs/agent-protocol.md).
//!
//! This module hands answers on as they came; who asks judges them. The address is an outsider's
//! word: private ones are refused unless the caller allows them, redirects are told and not followed.

use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use reqwest::{Method, Url};

use crate::http::{HttpClient, HttpError, HttpLimits, Reach, Request, excerpt, is_bare};

/// The address of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentUrl(Url);

impl std::str::FromStr for AgentUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Url::parse(text).ok();
        let url = url.filter(|url| matches!(url.scheme(), "http" | "https") && is_bare(url));
        url.map(Self).ok_or_else(|| {
            format!("{text:?} is not the address of an agent; it must look like https://agent.example/decide")
        })
    }
}

impl std::fmt::Display for AgentUrl {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.0.as_str())
    }
}

/// How long an agent has, and how much it may say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentLimits {
    /// Until the last byte.
    pub time: Duration,
    /// From the first byte to the last one.
    pub complete_within: Duration,
    pub body_bytes: usize,
    pub reach: Reach,
}

/// What an agent answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentReply {
    /// With status 200.
    Answer {
        content_type: String,
        body: Vec<u8>,
    },
    /// To another address, which was not asked; `is_private` as far as its text tells.
    Redirect {
        to: String,
        is_private: bool,
    },
    Other {
        status: u16,
        text: String,
    },
}

/// Sends a question once.
pub async fn ask_agent(
    limits: AgentLimits,
    agent: &AgentUrl,
    question: Vec<u8>,
) -> Result<AgentReply, HttpError> {
    let http = HttpClient::new(HttpLimits {
        total_timeout: limits.time,
        body_bytes: limits.body_bytes,
        reach: limits.reach,
        ..HttpLimits::default()
    })?;
    let json = "application/json";
    let request = Request {
        method: Method::POST,
        url: agent.0.clone(),
        key: None,
        key_headers: &[],
        headers: &[(CONTENT_TYPE.as_str(), json), (ACCEPT.as_str(), json)],
        body: question,
        time_limit: Some(limits.time),
    };
    let answer = http.send_paced(&request, limits.complete_within).await?;
    let header = |name| {
        let value = answer.headers.get(name);
        let value = value.and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    Ok(match answer.status {
        200 => AgentReply::Answer {
            content_type: header(CONTENT_TYPE),
            body: answer.body,
        },
        300..400 => {
            let to = header(LOCATION);
            let target = agent.0.join(&to).ok();
            AgentReply::Redirect {
                is_private: target.is_some_and(|url| !Reach::Public.allows_host(&url)),
                to: excerpt(&to, None),
            }
        }
        status => AgentReply::Other {
            status,
            text: excerpt(&String::from_utf8_lossy(&answer.body), None),
        },
    })
}
