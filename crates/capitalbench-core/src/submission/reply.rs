//! A model's text → the object in it.
//!
//! [`read_reply`] is the ladder that new runs use; [`find_object`] is the looser rule by which the
//! replies of older rounds were read, kept so that they read the same.

use serde_json::Value;

mod ladder;
mod repair;
mod unique;

pub use ladder::{Ending, ReplyFault, Step, read_reply};

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
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn objects_are_found_where_the_rule_allows() {
        let found = |text| find_object(text).map(|(_, how)| how);
        assert_eq!(found(" {\"a\": 1}\n"), Some(Found::Whole));
        assert_eq!(found("{\"a\": [1, 2]"), Some(Found::ClosedByUs));
        assert_eq!(found("```json\n{\"a\": 1}\n```"), Some(Found::CutOut));
        assert_eq!(found("\"{}"), Some(Found::CutOut));
        for text in [
            "",
            "no",
            "[1]",
            "{\"a\": [1",
            "{\"a\": {\"b\": 1",
            "{\"a",
            "}{",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_answered_without_a_panic(text in ".{0,200}") {
            let _ = find_object(&text);
        }

        #[test]
        fn json_like_text_is_answered_without_a_panic(text in "[\\[\\]{}\",:a1\\\\ ]{0,80}") {
            let _ = find_object(&text);
        }
    }
}
