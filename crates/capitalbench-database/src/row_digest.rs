//! What the digest of a row is taken of, the same here and in `migrations/0014_content_holds.sql`.
//!
//! One line `name=value` per column that has a value, in byte order of the names: text with its length in
//! bytes before it, a fraction as the sixteen digits of its bits, an instant in microseconds since 1970. So
//! two rows with one digest have one content, and everybody can compute it again.

use capitalbench_core::values::ids::Digest;
use jiff::Timestamp;
use serde_json::{Map, Value};

/// Columns that are not content: where a row belongs, its digest, where its files lie, and whether the
/// operator shows it.
const NOT_CONTENT: [&str; 4] = ["part", "content_sha256", "object", "published"];

/// Instants end like this.
pub(crate) const INSTANT: &str = "_utc";

/// The digest of a row.
pub fn row_digest(row: &Map<String, Value>) -> Digest {
    let mut columns: Vec<(&String, &Value)> = row.iter().collect();
    columns.sort_by_key(|(name, _)| *name);
    let mut text = String::new();
    for (name, value) in columns {
        if let Some(value) = line(name, value) {
            text.push_str(name);
            text.push('=');
            text.push_str(&value);
            text.push('\n');
        }
    }
    Digest::of(text.as_bytes())
}

/// A value as it is in the text; none for one that is not there or no content.
fn line(name: &str, value: &Value) -> Option<String> {
    if NOT_CONTENT.contains(&name) {
        return None;
    }
    // Packed files have a digest of their own; the database says here whether it holds.
    if name == "content" {
        return Some("true".to_owned());
    }
    match value {
        Value::Null | Value::Array(_) | Value::Object(_) => None,
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(number) if number.is_f64() => {
            // The tables know no negative zero.
            let bits = (number.as_f64()? + 0.0).to_bits();
            Some(format!("{bits:016x}"))
        }
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(match instant(name, text) {
            Some(instant) => instant.as_microsecond().to_string(),
            None => format!("{}:{text}", text.len()),
        }),
    }
}

/// The instant of a column that holds one.
pub(crate) fn instant(name: &str, text: &str) -> Option<Timestamp> {
    let named = name.ends_with(INSTANT).then_some(text);
    named.and_then(|text| text.parse().ok())
}

#[cfg(test)]
mod tests;
