//! [`ServerError`]: an error message in any form that providers use, and its class.

use std::time::Duration;

use serde_json::Value;

use super::CallFailure;

/// Words of an error that came with a status of success, and the status such an error should have.
const STATUS_OF_WORD: [(&str, u16); 18] = [
    ("rate_limit", 429),
    ("resource_exhausted", 429),
    ("overloaded", 529),
    ("unavailable", 503),
    ("timeout", 504),
    ("insufficient_quota", 402),
    ("billing", 402),
    ("authentication", 401),
    ("invalid_api_key", 401),
    ("permission", 403),
    ("not_found", 404),
    ("too_large", 413),
    ("context_length", 400),
    ("invalid_request", 400),
    ("invalid_prompt", 400),
    ("invalid_argument", 400),
    ("data_residency", 400),
    ("policy", 400),
];
/// Words that say that an allowance is used up, which no wait within a round brings back.
const USED_UP: [&str; 4] = [
    "insufficient_quota",
    "billing",
    "perday",
    "free-models-per-day",
];
const USED_UP_MESSAGES: [&str; 3] = ["credit", "spend", "insufficient balance"];

/// An error as a server wrote it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ServerError {
    pub(super) message: String,
    /// The status in the error itself, if it is a number.
    pub(super) code: Option<u16>,
    /// Types, codes and reasons, in lower case.
    words: Vec<String>,
    /// How long it asks to wait.
    wait: Option<Duration>,
}

impl ServerError {
    /// An error without type and code.
    pub(super) fn saying(message: String) -> Self {
        Self {
            message,
            ..Self::default()
        }
    }

    /// The error in a body, if there is one.
    pub(super) fn of(body: &Value) -> Option<Self> {
        let body = body.get(0).unwrap_or(body);
        let places = ["/error", "/choices/0/error"];
        let mut nested = places.iter().filter_map(|place| body.pointer(place));
        match nested.find(|error| !error.is_null()) {
            Some(Value::String(message)) => Some(Self {
                message: message.clone(),
                words: word(body.get("code")).into_iter().collect(),
                ..Self::default()
            }),
            Some(error) => Some(Self::of_object(error)),
            None if body["object"] == "error" || body["type"] == "error" => {
                Some(Self::of_object(body))
            }
            None => match body["status"].as_str() {
                Some(status @ ("failed" | "cancelled")) => {
                    Some(Self::saying(format!("the response is {status}")))
                }
                _ => None,
            },
        }
    }

    /// The error in the body of an error status, whatever form the body has.
    pub(super) fn of_error_status(body: &Value) -> Self {
        let detail = || body.get("detail").map(Value::to_string);
        let message = || body.get("message")?.as_str().map(str::to_owned);
        Self::of(body)
            .unwrap_or_else(|| Self::saying(message().or_else(detail).unwrap_or_default()))
    }

    fn of_object(error: &Value) -> Self {
        let named = ["code", "type", "status"].map(|name| word(error.get(name)));
        let mut words: Vec<String> = named.into_iter().flatten().collect();
        let mut wait = None;
        for detail in error["details"].as_array().into_iter().flatten() {
            words.extend(word(detail.get("reason")));
            for violation in detail["violations"].as_array().into_iter().flatten() {
                words.extend(word(violation.get("quotaId")));
            }
            wait = wait.or_else(|| seconds(detail.get("retryDelay")?.as_str()?));
        }
        let code = error["code"].as_u64();
        Self {
            message: error["message"].as_str().unwrap_or_default().to_owned(),
            code: code.and_then(|code| u16::try_from(code).ok()),
            words,
            wait,
        }
    }

    /// The status that fits an error which came with a status of success.
    pub(super) fn status_inside(&self, outer: u16) -> u16 {
        let is_error = |code: &u16| (400..600).contains(code);
        let of_word = || {
            let said = |word: &&(&str, u16)| self.words.iter().any(|one| one.contains(word.0));
            STATUS_OF_WORD.iter().find(said).map(|(_, status)| *status)
        };
        self.code.filter(is_error).or_else(of_word).unwrap_or(outer)
    }

    /// Classifies an error; `message` is its text without the key.
    pub(super) fn class(
        &self,
        status: u16,
        message: String,
        header_wait: Option<Duration>,
    ) -> CallFailure {
        let retry_after = header_wait.or(self.wait);
        match status {
            401 | 403 => CallFailure::Key { status, message },
            400 if self.says("api_key_invalid") => CallFailure::Key { status, message },
            429 if !self.is_used_up() => CallFailure::RateLimited { retry_after },
            408 | 409 | 424 | 425 | 498 | 500.. | 200..=299 => CallFailure::Server {
                status,
                message,
                retry_after,
            },
            _ => CallFailure::Request { status, message },
        }
    }

    fn says(&self, part: &str) -> bool {
        self.words.iter().any(|word| word.contains(part))
    }

    fn is_used_up(&self) -> bool {
        let message = self.message.to_lowercase();
        USED_UP
            .iter()
            .any(|sign| self.says(sign) || message.contains(sign))
            || USED_UP_MESSAGES.iter().any(|sign| message.contains(sign))
    }
}

fn word(value: Option<&Value>) -> Option<String> {
    Some(value?.as_str()?.to_lowercase())
}

/// A duration such as `34s` or `1.5s`.
fn seconds(text: &str) -> Option<Duration> {
    let number = text.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(number).ok()
}
