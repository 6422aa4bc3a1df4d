//! [`HttpError`]: the ways in which a request gets no usable answer.

use std::error::Error;
use std::io;
use std::time::Duration;

use crate::secret::ApiKey;

/// Why there is no usable answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    #[error("the HTTP client cannot be set up: {reason}")]
    Setup { reason: String },
    #[error("the server was not asked: {reason}")]
    NotAsked { reason: String },
    #[error("no complete answer within {after:?}")]
    Timeout { after: Duration },
    #[error("the answer began and was not complete {after:?} later")]
    Dripped { after: Duration },
    #[error("no connection: {reason}")]
    Connect { reason: String },
    #[error("the answer is larger than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("the connection ended in the middle of the answer")]
    Truncated,
    /// The bytes are not HTTP, or not compressed as declared.
    #[error("the answer breaks the rules of HTTP: {reason}")]
    Garbled { reason: String },
    /// Any status but success; redirects are among them.
    #[error("the server answered with status {code}: {excerpt}")]
    Status {
        code: u16,
        /// How long the server asks to wait.
        retry_after: Option<Duration>,
        /// The start of the body on one line; empty when there is none.
        excerpt: String,
    },
    #[error("the answer is not UTF-8 text")]
    NotText,
}

impl HttpError {
    /// Whether the same request may succeed a moment later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Timeout { .. } | Self::Connect { .. } | Self::Truncated => true,
            Self::Status { code, .. } => matches!(code, 408 | 429 | 500..=599),
            Self::Setup { .. }
            | Self::NotAsked { .. }
            | Self::Dripped { .. }
            | Self::TooLarge { .. }
            | Self::Garbled { .. }
            | Self::NotText => false,
        }
    }

    pub(super) fn of(
        error: &reqwest::Error,
        key: Option<&ApiKey>,
        connect_timeout: Duration,
    ) -> Self {
        // The client limits only the time to connect; whoever sends limits the whole call. A
        // connection that did not come about carried nothing.
        if error.is_timeout() && error.is_connect() {
            let reason = format!("none came about within {connect_timeout:?}");
            return Self::Connect { reason };
        }
        if error.is_timeout() {
            return Self::Timeout {
                after: connect_timeout,
            };
        }
        let causes = causes(error);
        let reason = || match causes.last() {
            Some(cause) => match key {
                Some(key) => key.redact(&told(*cause)),
                None => told(*cause),
            },
            None => "no reason given".to_owned(),
        };
        if error.is_connect() {
            Self::Connect { reason: reason() }
        } else if causes.iter().any(|cause| breaks_protocol(*cause)) {
            Self::Garbled { reason: reason() }
        } else {
            Self::Truncated
        }
    }
}

/// What a cause says; a certificate that is refused is told in words.
fn told(cause: &(dyn Error + 'static)) -> String {
    match cause.downcast_ref::<rustls::Error>() {
        Some(rustls::Error::InvalidCertificate(fault)) => {
            format!("the program does not trust the certificate of the server ({fault})")
        }
        _ => cause.to_string(),
    }
}

/// The causes of an error, outermost first.
fn causes<'a>(error: &'a reqwest::Error) -> Vec<&'a (dyn Error + 'static)> {
    let mut causes = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        causes.push(cause);
        // An I/O error that wraps another error skips it and names only that error's cause.
        let wrapped = cause
            .downcast_ref::<io::Error>()
            .and_then(|error| error.get_ref());
        next = match wrapped {
            Some(wrapped) => Some(wrapped as &(dyn Error + 'static)),
            None => cause.source(),
        };
    }
    causes
}

fn breaks_protocol(cause: &(dyn Error + 'static)) -> bool {
    let parsing = cause
        .downcast_ref::<hyper::Error>()
        .is_some_and(hyper::Error::is_parse);
    let decoding = cause.downcast_ref::<io::Error>().is_some_and(|error| {
        matches!(
            error.kind(),
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput
        )
    });
    parsing || decoding
}
