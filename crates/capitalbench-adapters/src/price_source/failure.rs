//! What a failure of the client means for a question, whoever was asked.

use std::time::Duration;

use super::{Limit, PriceError};
use crate::http::HttpError;

/// A question without an answer.
pub(super) enum Failure {
    /// It never came to a status.
    Transport(PriceError),
    /// A status that every source explains in its own way.
    Status {
        code: u16,
        retry_after: Option<Duration>,
        excerpt: String,
    },
}

impl Failure {
    pub(super) fn of(origin: &'static str, symbol: &str, error: HttpError) -> Self {
        let symbol = symbol.to_owned();
        Self::Transport(match error {
            HttpError::Setup { reason }
            | HttpError::NotAsked { reason }
            | HttpError::Connect { reason } => PriceError::Unreachable { origin, reason },
            HttpError::Timeout { after } => PriceError::Timeout {
                origin,
                symbol,
                after,
            },
            HttpError::Truncated => PriceError::CutOff { origin, symbol },
            HttpError::TooLarge { limit } => PriceError::TooLarge {
                origin,
                symbol,
                limit,
            },
            HttpError::NotText => PriceError::NotText { origin, symbol },
            HttpError::Garbled { reason } => PriceError::Garbled {
                origin,
                symbol,
                reason,
            },
            HttpError::Status {
                code,
                retry_after,
                excerpt,
            } => {
                return Self::Status {
                    code,
                    retry_after,
                    excerpt,
                };
            }
        })
    }

    /// The usual meaning of a status, for sources that have no words of their own for it.
    pub(super) fn plain(self, origin: &'static str, symbol: &str) -> PriceError {
        let (code, retry_after, excerpt) = match self {
            Self::Transport(error) => return error,
            Self::Status {
                code,
                retry_after,
                excerpt,
            } => (code, retry_after, excerpt),
        };
        let symbol = symbol.to_owned();
        match code {
            300..=399 => PriceError::Redirected {
                origin,
                symbol,
                code,
            },
            401 | 403 => PriceError::KeyRefused { origin },
            404 => PriceError::UnknownSymbol { origin, symbol },
            429 => PriceError::Limited {
                origin,
                limit: Limit::Unstated,
                retry_after,
            },
            500.. => PriceError::ServerFailed {
                origin,
                symbol,
                code,
                retry_after,
                excerpt,
            },
            _ => PriceError::Refused {
                origin,
                symbol,
                code,
                excerpt,
            },
        }
    }
}
