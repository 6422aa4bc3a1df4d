//! A model's text → the object in it.
//!
//! [`read_reply`] is the ladder that new runs use; [`find_object`] is the looser rule by which the
//! replies of older rounds were read, kept so that they read the same.

use serde_json::Value;

mod ladder;
mod repair;
mod think;

pub use ladder::{Ending, ReplyFault, Step, read_reply};
use repair::Inside;

/// Finds the JSON object in a reply; none when there is no complete one.
pub fn find_object(text: &str) -> Option<Value> {
    let trimmed = text.trim();
    if let Some(object) = parse_object(trimmed) {
        return Some(object);
    }
    if trimmed.starts_with('{')
        && !trimmed.ends_with('}')
        && lacks_one_brace(trimmed)
        && let Some(object) = parse_object(&format!("{trimmed}}}"))
    {
        return Some(object);
    }
    let start = trimmed.find('{')?;
    let end = trimmed.rfind('}')?;
    let inner = trimmed.get(start..=end)?;
    parse_object(inner)
}

fn parse_object(text: &str) -> Option<Value> {
    serde_json::from_str::<Value>(text)
        .ok()
        .filter(Value::is_object)
}

/// Exactly one object, and no array or string, is left open at the end.
fn lacks_one_brace(text: &str) -> bool {
    let (mut open, mut inside) = (Vec::new(), Inside::default());
    for c in text.chars() {
        inside.step(c);
        match c {
            _ if inside.string => {}
            '{' | '[' => open.push(c),
            '}' | ']' => _ = open.pop(),
            _ => {}
        }
    }
    !inside.string && open == ['{']
}

#[cfg(test)]
mod tests;
