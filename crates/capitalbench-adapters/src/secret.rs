//! [`ApiKey`]: a key that can be used by this crate and shown by nobody.

use std::fmt;

use secrecy::{ExposeSecret as _, SecretString};

/// Text or bytes that may hold a key, overwritten when dropped.
pub use secrecy::zeroize::Zeroizing as Wiped;

/// What stands in a text where a key was.
const REDACTED: char = '…';

/// The key of an outside service: neither printable nor serialisable, wiped when dropped.
#[derive(Clone)]
pub struct ApiKey(SecretString);

impl ApiKey {
    /// A key; nothing when the text is blank or holds a space, a line break or any other
    /// character that no header can carry.
    pub fn new(text: String) -> Option<Self> {
        let secret = SecretString::from(text);
        let key = secret.expose_secret();
        let usable = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
        usable.then_some(Self(secret))
    }

    /// The key itself, to be sent and for nothing else.
    pub(crate) fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// A text without the key: in any case, and also where a server escaped it for a link or
    /// for JSON.
    pub(crate) fn redact(&self, text: &str) -> String {
        let mut clean = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            if let Some(after) = after_key(rest, self.expose().as_bytes()) {
                clean.push(REDACTED);
                rest = after;
            } else {
                clean.push(next);
                rest = &rest[next.len_utf8()..];
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

/// What follows the key when the text begins with it. A byte that begins escapes itself is read both
/// ways, escaped first.
fn after_key<'a>(text: &'a str, key: &[u8]) -> Option<&'a str> {
    let Some((byte, others)) = key.split_first() else {
        return Some(text);
    };
    let escaped = after_escaped(text, *byte).and_then(|rest| after_key(rest, others));
    escaped.or_else(|| after_key(after_plain(text, *byte)?, others))
}

/// What follows one byte of the key as it is, in any case.
fn after_plain(text: &str, byte: u8) -> Option<&str> {
    let mut characters = text.chars();
    let next = characters.next()?;
    let same = next.eq_ignore_ascii_case(&char::from(byte));
    same.then_some(characters.as_str())
}

/// What follows one byte of the key that was escaped.
fn after_escaped(text: &str, byte: u8) -> Option<&str> {
    let plain = char::from(byte);
    let hexadecimal = |digits: &str| u8::from_str_radix(digits, 16) == Ok(byte);
    let escaped = |prefix: &str| {
        let (digits, after) = text.strip_prefix(prefix)?.split_at_checked(2)?;
        hexadecimal(digits).then_some(after)
    };
    escaped("%")
        .or_else(|| escaped("\\u00"))
        .or_else(|| text.strip_prefix('\\')?.strip_prefix(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> ApiKey {
        ApiKey::new(text.to_owned()).unwrap()
    }

    #[test]
    fn blank_and_broken_keys_are_refused() {
        for text in [
            "",
            " ",
            "\n",
            "abc\n",
            "ab c",
            "\tabc",
            "abc\r\n",
            "schlüssel",
            "a\0b",
        ] {
            assert!(ApiKey::new(text.to_owned()).is_none(), "{text:?}");
        }
        assert_eq!(key("abc-123_=/+").expose(), "abc-123_=/+");
    }

    #[test]
    fn a_key_is_not_printed() {
        assert_eq!(format!("{:?}", key("abc")), "ApiKey(…)");
        assert_eq!(
            format!("{:#?}", Some(key("abc"))),
            "Some(\n    ApiKey(…),\n)"
        );
    }

    #[test]
    fn a_key_is_taken_out_of_a_text_in_every_spelling() {
        let key = key("Ab/9\"z");
        for (text, expected) in [
            ("", ""),
            ("nothing here, Ab/9", "nothing here, Ab/9"),
            ("Token Ab/9\"z!", "Token …!"),
            ("Ab/9\"zAb/9\"z", "……"),
            ("é aB/9\"Z é", "é … é"),
            ("?token=Ab%2F9%22z&x", "?token=…&x"),
            ("?token=Ab%2f9%22z&x", "?token=…&x"),
            (r#"{"key":"Ab\/9\"z"}"#, r#"{"key":"…"}"#),
            (r"\u0041b/9\u0022z", "…"),
            ("AAb/9\"z", "A…"),
        ] {
            assert_eq!(key.redact(text), expected, "{text}");
        }
    }

    #[test]
    fn a_key_of_signs_that_begin_escapes_is_found_both_ways() {
        let key = key(r"a%b\c");
        for text in [
            r"a%b\c",
            r"a%25b\c",
            r"a%25b%5Cc",
            r"a%b\\c",
            r"A\u0025b\u005cc",
        ] {
            assert_eq!(key.redact(text), "…", "{text}");
        }
        assert_eq!(key.redact("a%26b"), "a%26b");
    }
}
