//! RFC 8785 JSON for values without fractions: one byte sequence per value.
//!
//! Only integers that every reader can represent exactly are accepted: two programs may write one
//! double in two ways, and a leaf must have one form.

use serde_json::{Map, Number, Value};

/// The largest integer that a double represents exactly together with its neighbours.
const LARGEST: i64 = (1 << 53) - 1;

/// Why a value or a text is not canonical JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CanonicalError {
    #[error("the text is not JSON: {0}")]
    NotJson(String),
    #[error("the number {0} is not an integer between -(2^53-1) and 2^53-1")]
    Number(String),
    #[error("the JSON is not in canonical form (RFC 8785): byte {0} differs")]
    Form(usize),
}

pub fn to_bytes(value: &Value) -> Result<Vec<u8>, CanonicalError> {
    let mut text = String::new();
    write(value, &mut text)?;
    Ok(text.into_bytes())
}

/// Reads a value from its canonical bytes; duplicate keys have no canonical form.
pub fn parse(bytes: &[u8]) -> Result<Value, CanonicalError> {
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| CanonicalError::NotJson(error.to_string()))?;
    let canonical = to_bytes(&value)?;
    if canonical == bytes {
        return Ok(value);
    }
    let same = canonical.iter().zip(bytes).take_while(|(a, b)| a == b);
    Err(CanonicalError::Form(same.count()))
}

fn write(value: &Value, text: &mut String) -> Result<(), CanonicalError> {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(flag) => text.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => text.push_str(&integer(number)?),
        Value::String(string) => write_string(string, text),
        Value::Array(items) => {
            text.push('[');
            for (position, item) in items.iter().enumerate() {
                if position > 0 {
                    text.push(',');
                }
                write(item, text)?;
            }
            text.push(']');
        }
        Value::Object(object) => write_object(object, text)?,
    }
    Ok(())
}

fn write_object(object: &Map<String, Value>, text: &mut String) -> Result<(), CanonicalError> {
    let mut members: Vec<(&String, &Value)> = object.iter().collect();
    members.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
    text.push('{');
    for (position, (name, value)) in members.into_iter().enumerate() {
        if position > 0 {
            text.push(',');
        }
        write_string(name, text);
        text.push(':');
        write(value, text)?;
    }
    text.push('}');
    Ok(())
}

fn integer(number: &Number) -> Result<String, CanonicalError> {
    let within = number
        .as_i64()
        .filter(|value| (-LARGEST..=LARGEST).contains(value));
    let refused = || CanonicalError::Number(number.to_string());
    within.map(|value| value.to_string()).ok_or_else(refused)
}

fn write_string(string: &str, text: &mut String) {
    use std::fmt::Write as _;
    text.push('"');
    for character in string.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\u{8}' => text.push_str("\\b"),
            '\t' => text.push_str("\\t"),
            '\n' => text.push_str("\\n"),
            '\u{c}' => text.push_str("\\f"),
            '\r' => text.push_str("\\r"),
            control if control < ' ' => {
                // Writing to a string cannot fail.
                let _ = write!(text, "\\u{:04x}", u32::from(control));
            }
            other => text.push(other),
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests;
