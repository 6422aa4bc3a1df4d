//! [`ServerError`]: an error in any form that providers use.

use std::time::Duration;

use serde_json::Value;

use crate::http::{wait_asked_for, wait_for_allowance, wait_until_reset};

mod class;
mod minimax;

/// Codes of an error that came with a status of success, and the status such an error should have.
const STATUS_OF_CODE: [(&str, u16); 18] = [
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
/// Where an error keeps its codes.
const CODE_PLACES: [&str; 5] = [
    "/code",
    "/type",
    "/status",
    "/innererror/code",
    "/details/error_code",
];

/// An error as a server wrote it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ServerError {
    pub(super) message: String,
    /// The status in the error itself, if it is a number.
    code: Option<u16>,
    /// Types, codes and reasons, in lower case.
    words: Vec<String>,
    /// How long it asks to wait.
    wait: Option<Duration>,
    /// Headers that a router passes on from the host it asked, names in lower case.
    headers: Vec<(String, String)>,
    /// Whether it gives reasons of moderation.
    is_moderated: bool,
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
            None => minimax::error(body).or_else(|| match body["status"].as_str() {
                Some(status @ ("failed" | "cancelled")) => {
                    Some(Self::saying(format!("the response is {status}")))
                }
                _ => None,
            }),
        }
    }

    /// The error in the body of an error status, whatever form the body has.
    pub(super) fn of_error_status(body: &Value) -> Self {
        Self::of(body).unwrap_or_else(|| {
            let detail = || body.get("detail").map(Value::to_string);
            let message = body["message"].as_str().map(str::to_owned);
            Self {
                words: word(body.get("code")).into_iter().collect(),
                ..Self::saying(message.or_else(detail).unwrap_or_default())
            }
        })
    }

    fn of_object(error: &Value) -> Self {
        let codes = CODE_PLACES.iter().map(|place| word(error.pointer(place)));
        let mut words: Vec<String> = codes.flatten().collect();
        let metadata = &error["metadata"];
        let seconds_left = metadata["retry_after_seconds"].as_f64();
        let mut wait = seconds_left.and_then(|left| Duration::try_from_secs_f64(left).ok());
        for detail in error["details"].as_array().into_iter().flatten() {
            words.extend(word(detail.get("reason")));
            for violation in detail["violations"].as_array().into_iter().flatten() {
                words.extend(word(violation.get("quotaId")));
            }
            wait = wait.or_else(|| seconds(detail.get("retryDelay")?.as_str()?));
        }
        let reasons = metadata["reasons"].as_array();
        Self {
            message: said(error),
            code: status_in(&error["code"]),
            words,
            wait,
            headers: passed_on(&metadata["headers"]),
            is_moderated: reasons.is_some_and(|reasons| !reasons.is_empty()),
        }
    }

    /// Adds the code that Amazon sends in a header, such as `ThrottlingException:http://…`.
    pub(super) fn with_header_code(mut self, header: Option<&str>) -> Self {
        let code = header.and_then(|header| header.split(':').next());
        self.words
            .extend(code.map(|code| code.trim().to_lowercase()));
        self
    }

    /// The status that fits an error which came with a status of success.
    pub(super) fn status_inside(&self, outer: u16) -> u16 {
        let of_word = || {
            let said = |word: &&(&str, u16)| self.words.iter().any(|one| one.contains(word.0));
            STATUS_OF_CODE.iter().find(said).map(|(_, status)| *status)
        };
        self.code.or_else(of_word).unwrap_or(outer)
    }

    /// How long to wait: as the server asks, else until what its headers call used up is back.
    fn wait(&self, headers: &[(String, String)]) -> Option<Duration> {
        let date = headers.iter().filter(|(name, _)| name == "date");
        let passed_on: Vec<(String, String)> = self.headers.iter().chain(date).cloned().collect();
        wait_asked_for(headers)
            .or(self.wait)
            .or_else(|| wait_asked_for(&passed_on))
            .or_else(|| wait_for_allowance(headers))
            .or_else(|| wait_for_allowance(&passed_on))
            .or_else(|| wait_until_reset(headers))
            .or_else(|| wait_until_reset(&passed_on))
    }
}

/// The message, and what the server had generated before it gave up.
fn said(error: &Value) -> String {
    let message = error["message"].as_str().unwrap_or_default();
    match error["failed_generation"].as_str() {
        Some(text) if !text.is_empty() => format!("{message} It had written: {text}"),
        _ => message.to_owned(),
    }
}

/// A status, as a number or, as Azure writes it, as a text.
fn status_in(code: &Value) -> Option<u16> {
    let number = code.as_u64().or_else(|| code.as_str()?.parse().ok());
    let status = number.and_then(|number| u16::try_from(number).ok());
    status.filter(|status| (400..600).contains(status))
}

fn passed_on(headers: &Value) -> Vec<(String, String)> {
    let headers = headers.as_object().into_iter().flatten();
    let texts = headers.map(|(name, value)| {
        let text = value.as_str().map(str::to_owned);
        (
            name.to_lowercase(),
            text.unwrap_or_else(|| value.to_string()),
        )
    });
    texts.collect()
}

fn word(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text.to_lowercase()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A duration such as `34s` or `1.5s`.
fn seconds(text: &str) -> Option<Duration> {
    let number = text.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(number).ok()
}

#[cfg(test)]
mod tests;
