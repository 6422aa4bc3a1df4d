//! [`Answer`]: reads from stored bytes what all providers have in common.

use serde_json::Value;

use super::server_error::ServerError;
use super::{CallFailure, RawAnswer};
use crate::http::excerpt;
use crate::secret::ApiKey;

/// Headers that may carry the server's name for a call; the first one found counts.
const REQUEST_IDS: [&str; 5] = [
    "x-request-id",
    "request-id",
    "apim-request-id",
    "mistral-correlation-id",
    "x-amzn-requestid",
];

/// A stored answer, and the key that must not appear in any message about it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer<'a> {
    raw: &'a RawAnswer,
    key: Option<&'a ApiKey>,
}

impl<'a> Answer<'a> {
    pub(super) fn new(raw: &'a RawAnswer, key: Option<&'a ApiKey>) -> Self {
        Self { raw, key }
    }

    /// The JSON body of a success; every other answer is a classified failure.
    pub(super) fn json(self) -> Result<Value, CallFailure> {
        let status = self.raw.status;
        let parsed = serde_json::from_slice::<Value>(&self.raw.body);
        if (300..400).contains(&status) {
            return Err(CallFailure::Request {
                status,
                message: "the server points to another address, which the program does not follow"
                    .to_owned(),
            });
        }
        if !(200..300).contains(&status) {
            let fault = match &parsed {
                Ok(body) => ServerError::of_error_status(body),
                Err(_) => ServerError::saying(String::from_utf8_lossy(&self.raw.body).into_owned()),
            };
            let fault = fault.with_header_code(self.header("x-amzn-errortype"));
            return Err(self.failure(&fault, status));
        }
        self.check_content_type()?;
        let body = match parsed {
            Ok(body) => body,
            Err(_) if self.raw.body.trim_ascii().is_empty() => {
                return Err(CallFailure::Unreadable("the body is empty".to_owned()));
            }
            Err(error) => {
                return Err(CallFailure::Unreadable(format!("not JSON: {error}")));
            }
        };
        match ServerError::of(&body) {
            Some(fault) => Err(self.failure(&fault, fault.status_inside(status))),
            None => Ok(body),
        }
    }

    /// Classifies an error; its message comes without the key.
    fn failure(self, fault: &ServerError, status: u16) -> CallFailure {
        let message = self.clear(&fault.message);
        fault.class(status, message, &self.raw.headers)
    }

    /// The server's name for the call, if a header carries it.
    pub(super) fn request_id(self) -> Option<String> {
        let header = REQUEST_IDS.iter().find_map(|name| self.header(name));
        header.map(str::to_owned)
    }

    fn check_content_type(self) -> Result<(), CallFailure> {
        let Some(found) = self.header("content-type") else {
            return Ok(());
        };
        let media_type = found.split(';').next().unwrap_or_default();
        let media_type = media_type.trim().to_ascii_lowercase();
        if media_type == "application/json" || media_type.ends_with("+json") {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&self.raw.body);
        Err(CallFailure::Unreadable(format!(
            "not JSON but {media_type}: {}",
            self.clear(&text)
        )))
    }

    fn header(self, name: &str) -> Option<&'a str> {
        let found = self.raw.headers.iter().find(|(kept, _)| kept == name);
        found.map(|(_, value)| value.as_str())
    }

    fn clear(self, text: &str) -> String {
        excerpt(text, self.key)
    }
}

/// The failure for an answer that lacks a required field.
pub(super) fn missing(field: &str) -> CallFailure {
    CallFailure::Unreadable(format!("the answer has no {field}"))
}

/// A number of tokens or uses; some servers write whole numbers with a decimal point.
pub(super) fn count(body: &Value, pointer: &str) -> Option<u64> {
    let number = body.pointer(pointer)?;
    number.as_u64().or_else(|| whole(number.as_f64()?))
}

fn whole(number: f64) -> Option<u64> {
    const LARGEST: f64 = 1e15;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be a count"
    )]
    (0.0..=LARGEST)
        .contains(&number)
        .then(|| number.round() as u64)
}

/// The first of several places that holds a count.
pub(super) fn first_count(body: &Value, places: &[&str]) -> Option<u64> {
    places.iter().find_map(|place| count(body, place))
}

pub(super) fn text(body: &Value, field: &str) -> Option<String> {
    text_at(body, &format!("/{field}"))
}

pub(super) fn text_at(body: &Value, pointer: &str) -> Option<String> {
    body.pointer(pointer)?.as_str().map(str::to_owned)
}

pub(super) fn number(body: &Value, pointer: &str) -> Option<f64> {
    body.pointer(pointer)?.as_f64()
}

/// The texts of all parts of one type, joined without a separator.
pub(super) fn joined_texts<'a>(
    parts: impl IntoIterator<Item = &'a Value>,
    part_type: &str,
) -> String {
    let of_type = parts.into_iter().filter(|part| part["type"] == part_type);
    of_type.filter_map(|part| part["text"].as_str()).collect()
}

/// Whether a field is present and holds something other than null, an empty text, `[]` or `{}`.
pub(super) fn is_filled(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(all)) => !all.is_empty(),
        Some(Value::Object(all)) => !all.is_empty(),
        Some(_) => true,
    }
}

/// Whether a count, or any count inside an object of counts, is more than zero.
pub(super) fn counts_any(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Number(number)) => number.as_f64().is_some_and(|number| number > 0.0),
        Some(Value::Object(all)) => all.values().any(|value| counts_any(Some(value))),
        Some(Value::Array(all)) => !all.is_empty(),
        _ => false,
    }
}
