//! The digest of a row, computed in the same way here and in `migrations/0014_content_holds.sql`.
//!
//! The digested text has one line `name=value` per column with a value, in byte order of the names. A text
//! has its length in bytes before it, a fraction is the sixteen hexadecimal digits of its bits, and an
//! instant is in microseconds since 1970. So two rows with the same digest have the same content, and
//! everybody can compute the digest again.

use capitalbench_core::values::ids::Digest;
use jiff::Timestamp;
use serde_json::{Map, Value};

/// Columns that are not content: the part of the row, its digest, the place of its files, and whether the
/// operator publishes it.
const NOT_CONTENT: [&str; 4] = ["part", "content_sha256", "object", "published"];

/// How the names of columns with instants end.
pub(crate) const INSTANT: &str = "_utc";

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

/// The value in the digested text; none if the column is empty or not content.
fn line(name: &str, value: &Value) -> Option<String> {
    if NOT_CONTENT.contains(&name) {
        return None;
    }
    // Packed files have a digest of their own; in this line the database says whether that digest holds.
    if name == "content" {
        return Some("true".to_owned());
    }
    match value {
        Value::Null | Value::Array(_) | Value::Object(_) => None,
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(number) if number.is_f64() => {
            // The database stores negative zero as zero.
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

/// The instant in a column of instants.
pub(crate) fn instant(name: &str, text: &str) -> Option<Timestamp> {
    let named = name.ends_with(INSTANT).then_some(text);
    named.and_then(|text| text.parse().ok())
}

/// The members of a row that was written as a JSON object.
pub(crate) fn members(row: Value) -> Map<String, Value> {
    match row {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests;
