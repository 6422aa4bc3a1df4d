//! [`Endpoint`]: an address and a key, asked once per call.

use std::time::Duration;

use reqwest::Url;
use serde_json::Value;

use super::{CallFailure, RawAnswer};
use crate::http::{
    AddressFault, HttpClient, HttpError, KeyHeader, Media, Post, Posted, REMEDY, Secrecy,
};
use crate::secret::ApiKey;

/// Why a provider cannot be set up; an address is not repeated, it may hold a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// Not an address of the web.
    #[error("the base URL must be like https://host/path")]
    NotHttp,
    /// More than scheme, host, port and path.
    #[error(
        "the base URL must end with its host or path: no user name, no password, nothing after ? \
         or #; the key is given apart and sent in a header"
    )]
    HoldsMore,
    /// An address of this machine or of a private network.
    #[error("the base URL leads to a private address; {REMEDY}")]
    Private,
    /// A key would be sent for everybody to read.
    #[error("the base URL must begin with https://, or the key would be sent in clear")]
    InClear,
    /// A model that searches or uses tools by itself.
    #[error("{model} searches or uses tools by itself and cannot take part")]
    UsesTools {
        /// The model.
        model: String,
    },
    /// An effort that the model is known to refuse.
    #[error("{model} does not take the reasoning effort {effort}; it takes: {}", accepted.join(", "))]
    Effort {
        /// The model.
        model: String,
        /// What was asked for.
        effort: String,
        /// What the capability table lists.
        accepted: Vec<String>,
    },
    /// A router that may choose the host by itself.
    #[error("OpenRouter needs a routing pin: name the only host that may answer")]
    NoRoutingPin,
}

impl From<AddressFault> for SetupError {
    fn from(fault: AddressFault) -> Self {
        match fault {
            AddressFault::NotHttp => Self::NotHttp,
            AddressFault::HoldsMore => Self::HoldsMore,
            AddressFault::Private => Self::Private,
            AddressFault::InClear => Self::InClear,
        }
    }
}

/// The header that carries the key.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyPlace {
    pub(super) name: &'static str,
    pub(super) prefix: &'static str,
}

/// `Authorization: Bearer …`
pub(super) const BEARER: KeyPlace = KeyPlace {
    name: "authorization",
    prefix: "Bearer ",
};

/// Where one provider is asked.
#[derive(Debug, Clone)]
pub(super) struct Endpoint {
    http: HttpClient,
    base_url: Url,
    key: Option<ApiKey>,
    place: KeyPlace,
    headers: &'static [(&'static str, &'static str)],
}

impl Endpoint {
    pub(super) fn new(
        http: HttpClient,
        base_url: &str,
        key: Option<ApiKey>,
        place: KeyPlace,
    ) -> Result<Self, SetupError> {
        let secrecy = match key {
            Some(_) => Secrecy::Keyed,
            None => Secrecy::Open,
        };
        let base_url = http.address(base_url, secrecy)?;
        Ok(Self {
            http,
            base_url,
            key,
            place,
            headers: &[],
        })
    }

    /// The same with headers that go with every call.
    pub(super) fn with_headers(mut self, headers: &'static [(&'static str, &'static str)]) -> Self {
        self.headers = headers;
        self
    }

    pub(super) fn key(&self) -> Option<&ApiKey> {
        self.key.as_ref()
    }

    pub(super) fn host(&self) -> &str {
        self.base_url.host_str().unwrap_or_default()
    }

    /// The address of a path; each of its parts is escaped.
    pub(super) fn url(&self, path: &[&str]) -> Url {
        let mut url = self.base_url.clone();
        // An address of the web always has a path that can be extended.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url
    }

    /// Makes the one request of a call.
    pub(super) async fn post(
        &self,
        path: &[&str],
        body: &Value,
        time_limit: Duration,
    ) -> Result<RawAnswer, CallFailure> {
        let key = self.key.as_ref().map(|key| KeyHeader {
            name: self.place.name,
            prefix: self.place.prefix,
            key,
        });
        let post = Post {
            url: self.url(path),
            key,
            headers: self.headers,
            media: Media::Json,
            body: body.to_string().into_bytes(),
            time_limit,
        };
        let posted = self.http.post(post).await.map_err(call_failure)?;
        let Posted {
            status,
            headers,
            body,
        } = posted;
        Ok(RawAnswer {
            status,
            headers,
            body,
        })
    }
}

fn call_failure(error: HttpError) -> CallFailure {
    match error {
        HttpError::Timeout { after } => CallFailure::Timeout(after),
        HttpError::TooLarge { .. } => CallFailure::Unreadable(error.to_string()),
        other => CallFailure::Transport(other.to_string()),
    }
}
