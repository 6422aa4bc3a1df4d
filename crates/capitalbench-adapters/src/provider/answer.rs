//! [`Answer`]: stored bytes on their way to a reply, the part that all providers share.

use serde_json::Value;

use super::fault::Fault;
use super::{CallFailure, RawAnswer};
use crate::http::{excerpt, one_line, wait_asked_for};
use crate::secret::ApiKey;

/// Headers with the server's name for a call, in order.
const REQUEST_IDS: [&str; 4] = [
    "x-request-id",
    "request-id",
    "apim-request-id",
    "mistral-correlation-id",
];

/// An answer and the key that must not come out of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer<'a> {
    raw: &'a RawAnswer,
    key: Option<&'a ApiKey>,
}

impl<'a> Answer<'a> {
    pub(super) fn new(raw: &'a RawAnswer, key: Option<&'a ApiKey>) -> Self {
        Self { raw, key }
    }

    /// The body of a success, or the class of whatever else it is.
    pub(super) fn json(self) -> Result<Value, CallFailure> {
        let status = self.raw.status;
        let parsed = serde_json::from_slice::<Value>(&self.raw.body);
        if (300..400).contains(&status) {
            return Err(CallFailure::Request {
                status,
                message: "points to another address, which is not followed".to_owned(),
            });
        }
        if !(200..300).contains(&status) {
            let fault = match &parsed {
                Ok(body) => Fault::of_error_status(body),
                Err(_) => Fault::saying(String::from_utf8_lossy(&self.raw.body).into_owned()),
            };
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
        match Fault::of(&body) {
            Some(fault) => Err(self.failure(&fault, fault.status_inside(status))),
            None => Ok(body),
        }
    }

    /// The class of an error with its cleared text.
    pub(super) fn failure(self, fault: &Fault, status: u16) -> CallFailure {
        let message = self.clear(&fault.message);
        fault.class(status, message, wait_asked_for(&self.raw.headers))
    }

    /// The server's name for the call: a header, or else a field of the body.
    pub(super) fn request_id(self, body: &Value, field: &str) -> Option<String> {
        let header = REQUEST_IDS.iter().find_map(|name| self.header(name));
        header
            .or_else(|| body.get(field)?.as_str())
            .map(str::to_owned)
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
        self.key
            .map_or_else(|| one_line(text), |key| excerpt(text, key))
    }
}

/// A field that the form of an answer demands is not there.
pub(super) fn missing(field: &str) -> CallFailure {
    CallFailure::Unreadable(format!("the answer has no {field}"))
}

/// A count of tokens.
pub(super) fn count(body: &Value, pointer: &str) -> Option<u64> {
    body.pointer(pointer)?.as_u64()
}

/// A text field.
pub(super) fn text(body: &Value, field: &str) -> Option<String> {
    body.get(field)?.as_str().map(str::to_owned)
}

/// Whether a field holds anything: neither absent, null, nor empty.
pub(super) fn is_filled(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => false,
        Some(Value::Array(all)) => !all.is_empty(),
        Some(Value::Object(all)) => !all.is_empty(),
        Some(_) => true,
    }
}
