//! [`ApiKey`]: a key that only this crate can use and that nothing can print.

use std::fmt;

use secrecy::{ExposeSecret as _, SecretString};

/// Text or bytes that may hold a key, overwritten when dropped.
pub use secrecy::zeroize::Zeroizing as Wiped;

mod spellings;

use spellings::{beginnings, is_base64, spellings};

/// Replaces a key in a text.
const REDACTED: char = '…';

/// The key of an outside service. It cannot be printed or serialised, and it is wiped when dropped.
#[derive(Clone)]
pub struct ApiKey(SecretString);

impl ApiKey {
    /// None if the text is blank or holds a space, a line break or another character that no header can
    /// carry.
    pub fn new(text: String) -> Option<Self> {
        let secret = SecretString::from(text);
        let key = secret.expose_secret();
        let usable = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
        usable.then_some(Self(secret))
    }

    /// The key itself, for sending only.
    pub(crate) fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// Removes the key from a text in every spelling: in any case, escaped for a link, for JSON or for HTML,
    /// in base64 anywhere in a longer text, and in hexadecimal.
    pub(crate) fn redact(&self, text: &str) -> String {
        let spellings = spellings(self.expose());
        let begins = beginnings(&spellings);
        let mut clean = String::with_capacity(text.len());
        let mut at = 0;
        while let Some(next) = text[at..].chars().next() {
            let begun = begins[usize::from(text.as_bytes()[at])];
            let found = spellings
                .iter()
                .filter(|_| begun)
                .filter_map(|spelling| Some((spelling.end(text, at)?, spelling)))
                .max_by_key(|(end, _)| *end);
            if let Some((end, spelling)) = found {
                if spelling.shares_before() && clean.bytes().next_back().is_some_and(is_base64) {
                    clean.pop();
                }
                clean.push(REDACTED);
                at = end;
            } else {
                clean.push(next);
                at += next.len_utf8();
            }
        }
        clean
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ApiKey({REDACTED})")
    }
}

#[cfg(test)]
mod tests;
