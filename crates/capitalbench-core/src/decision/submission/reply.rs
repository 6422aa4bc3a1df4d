//! A model's text → the object in it.
//!
//! [`read_reply`] is the ladder that new runs use; [`find_object`] is the looser rule by which the
//! replies of older rounds were read, kept so that they read the same.

use serde_json::Value;

mod ladder;
mod repair;
mod unique;

pub use ladder::{Ending, ReplyFault, Step, read_reply};
pub use unique::Unique;

/// How the object was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// The text is exactly one object.
    Whole,
    /// One closing brace was missing and was added.
    ClosedByUs,
    /// The object was cut out of surrounding text.
    CutOut,
}

/// Finds the JSON object in a reply; none when there is no complete one.
pub fn find_object(text: &str) -> Option<(Value, Found)> {
    let trimmed = text.trim();
    if let Some(object) = parse_object(trimmed) {
        return Some((object, Found::Whole));
    }
    if trimmed.starts_with('{')
        && !trimmed.ends_with('}')
        && lacks_one_brace(trimmed)
        && let Some(object) = parse_object(&format!("{trimmed}}}"))
    {
        return Some((object, Found::ClosedByUs));
    }
    let start = trimmed.find('{')?;
    let end = trimmed.rfind('}')?;
    let inner = trimmed.get(start..=end)?;
    parse_object(inner).map(|object| (object, Found::CutOut))
}

fn parse_object(text: &str) -> Option<Value> {
    serde_json::from_str::<Value>(text)
        .ok()
        .filter(Value::is_object)
}

/// Exactly one object, and no array or string, is left open at the end.
fn lacks_one_brace(text: &str) -> bool {
    let (mut open, mut in_string, mut escaped) = (Vec::new(), false, false);
    for c in text.chars() {
        if in_string {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match c {
            '"' => in_string = true,
            '{' | '[' => open.push(c),
            '}' | ']' => _ = open.pop(),
            _ => {}
        }
    }
    !in_string && open == ['{']
}

#[cfg(test)]
mod tests;
