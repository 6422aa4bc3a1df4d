//! Strict reading of JSON.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

/// Why a text is not JSON that the archive accepts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// There is nothing but white space.
    #[error("the file is empty")]
    Empty,
    /// The text breaks a rule at a known place.
    #[error("line {line}, column {column}: {message}")]
    Invalid {
        /// Line, counted from 1.
        line: usize,
        /// Column in bytes, counted from 1; 0 when the problem lies at the end of the line before.
        column: usize,
        /// What is wrong there.
        message: String,
    },
}

/// Reads one JSON value from a whole file.
///
/// Whole numbers outside 64 bits become floats, as in `serde_json`; the archive has none.
pub fn parse(bytes: &[u8]) -> Result<Value, JsonError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| invalid_at(bytes, error.valid_up_to(), "not UTF-8 text"))?;
    if text.bytes().all(|byte| byte.is_ascii_whitespace()) {
        return Err(JsonError::Empty);
    }
    if text.starts_with('\u{feff}') {
        let message = "the file starts with a byte order mark; save it as plain UTF-8";
        return Err(invalid_at(bytes, 0, message));
    }
    serde_json::from_str::<Unique>(text)
        .map(|unique| unique.0)
        .map_err(|error| readable(text, &error))
}

fn invalid_at(bytes: &[u8], offset: usize, message: &str) -> JsonError {
    let mut lines = bytes[..offset].rsplit(|byte| *byte == b'\n');
    let start_of_line = lines.next().unwrap_or_default();
    JsonError::Invalid {
        line: lines.count() + 1,
        column: start_of_line.len() + 1,
        message: message.to_owned(),
    }
}

fn readable(text: &str, error: &serde_json::Error) -> JsonError {
    let (line, column) = (error.line(), error.column());
    let full = error.to_string();
    let message = match full.strip_suffix(&format!(" at line {line} column {column}")) {
        _ if names_no_number(text, line, column) => "NaN and Infinity are not allowed",
        Some("recursion limit exceeded") => "nested too deeply; the limit is 128 levels",
        Some(message) => message,
        None => &full,
    };
    JsonError::Invalid {
        line,
        column,
        message: message.to_owned(),
    }
}

/// Whether the place holds one of the words that Python writes for numbers JSON does not have.
fn names_no_number(text: &str, line: usize, column: usize) -> bool {
    text.split('\n')
        .nth(line.saturating_sub(1))
        .and_then(|line| line.get(column.saturating_sub(1)..))
        .is_some_and(|rest| rest.starts_with("NaN") || rest.starts_with("Infinity"))
}

/// A JSON value in which no object names a key twice.
struct Unique(Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueVisitor).map(Self)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Unique(item)) = access.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            match object.entry(key) {
                Entry::Vacant(entry) => {
                    entry.insert(access.next_value::<Unique>()?.0);
                }
                Entry::Occupied(entry) => {
                    let message = format!("the object repeats the key {:?}", entry.key());
                    return Err(A::Error::custom(message));
                }
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refusal(text: &str) -> (usize, usize, String) {
        match parse(text.as_bytes()) {
            Err(JsonError::Invalid {
                line,
                column,
                message,
            }) => (line, column, message),
            other => panic!("{text:?} gave {other:?}"),
        }
    }

    #[test]
    fn reads_every_kind_of_value_and_keeps_the_order_of_keys() {
        let value =
            parse(br#" {"b": [1, -2, 0.5, 1e3], "a": {"x": null, "y": true}, "": "\u00e9\n"} "#);
        let expected =
            json!({"b": [1, -2, 0.5, 1000.0], "a": {"x": null, "y": true}, "": "\u{e9}\n"});
        let value = value.unwrap();
        assert_eq!(value, expected);
        let keys: Vec<_> = value.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["b", "a", ""]);
    }

    #[test]
    fn tells_an_empty_file_apart() {
        for text in ["", " ", "\n\r\n\t"] {
            assert_eq!(parse(text.as_bytes()), Err(JsonError::Empty));
        }
    }

    #[test]
    fn refuses_repeated_keys_at_any_depth() {
        let (line, column, message) = refusal("{\"a\": 1,\n \"a\": 2}");
        assert_eq!((line, column), (2, 4));
        assert_eq!(message, "the object repeats the key \"a\"");
        let (line, _, message) = refusal("[1,\n {\"k\": {\"b\": 1, \"\\u0062\": 2}}]");
        assert_eq!(line, 2);
        assert_eq!(message, "the object repeats the key \"b\"");
    }

    #[test]
    fn a_hostile_key_cannot_forge_the_position() {
        let key = "x at line 9 column 9";
        let (line, _, _) = refusal(&format!("{{\"{key}\": 1, \"{key}\": 1}}"));
        assert_eq!(line, 1);
    }

    #[test]
    fn refuses_numbers_that_json_does_not_have() {
        for text in ["NaN", "[1, NaN]", "{\"a\":\n Infinity}", "[-Infinity]"] {
            assert_eq!(
                refusal(text).2,
                "NaN and Infinity are not allowed",
                "{text}"
            );
        }
        assert_eq!(refusal("[1e999]").2, "number out of range");
        assert_eq!(refusal("[01]").2, "invalid number");
        assert_eq!(refusal("[nan]").2, "expected ident");
    }

    #[test]
    fn refuses_deep_nesting_and_takes_shallow() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parse(nested(127).as_bytes()).is_ok());
        let message = "nested too deeply; the limit is 128 levels";
        assert_eq!(refusal(&nested(128)).2, message);
        assert_eq!(refusal(&nested(100_000)).2, message);
    }

    #[test]
    fn names_the_place_of_broken_text() {
        assert_eq!(
            refusal("{\n  \"a\": 1,\n}"),
            (3, 1, "trailing comma".to_owned())
        );
        assert_eq!(refusal("{} x"), (1, 4, "trailing characters".to_owned()));
        assert_eq!(refusal("[1").2, "EOF while parsing a list");
        assert_eq!(refusal("\u{feff}{}").0, 1);
        assert!(parse(br#""\ud800""#).is_err());
    }

    #[test]
    fn names_the_place_of_bytes_that_are_not_utf8() {
        assert_eq!(
            parse(b"{\n \"a\": \"\xff\"}").unwrap_err().to_string(),
            "line 2, column 8: not UTF-8 text"
        );
    }
}
