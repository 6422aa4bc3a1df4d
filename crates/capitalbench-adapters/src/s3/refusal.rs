//! What a server says when it refuses a request: a word for programs and a sentence for people.

use super::S3Error;
use super::listing::{element, plain};
use crate::http::Answer;
use crate::secret::ApiKey;

/// Characters of a message that are shown.
const MOST_SHOWN: usize = 300;

/// The word that an answer gives as its reason; empty where it gives none.
pub(super) fn code_of(answer: &Answer) -> String {
    let text = String::from_utf8_lossy(&answer.body);
    let code = element(&text, "Code").unwrap_or_default();
    let is_word = !code.is_empty() && code.len() <= 64;
    let is_word = is_word && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_word {
        code.to_owned()
    } else {
        String::new()
    }
}

/// The error of an answer. Other elements than those two may repeat a token, so they are never shown.
pub(super) fn refusal(answer: &Answer, secrets: &[&ApiKey]) -> S3Error {
    let text = String::from_utf8_lossy(&answer.body);
    let start = text.trim_start().to_ascii_lowercase();
    let status = answer.status;
    if start.starts_with("<!doctype html") || start.starts_with("<html") {
        return S3Error::Page { status };
    }
    let message = element(&text, "Message").and_then(plain);
    let message = secrets
        .iter()
        .fold(message.unwrap_or_default(), |text, own| own.redact(&text));
    let shown = message.chars().filter(|c| !c.is_control());
    S3Error::Refused {
        status,
        code: code_of(answer),
        message: shown.take(MOST_SHOWN).collect(),
    }
}

#[cfg(test)]
mod tests;
