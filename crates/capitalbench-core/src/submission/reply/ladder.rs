//! The ladder: strict object, fence taken off, one brace added, cut out of prose.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::lacks_one_brace;

/// Deepest nesting of a reply.
const DEEPEST: usize = 64;

/// Whether the provider says that the model had finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It had; one missing brace may be added.
    Complete,
    /// It had not, or nobody said; nothing is added.
    Unsure,
}

/// The step on which the object was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The text is exactly one object.
    Strict,
    /// It stood in one fence.
    Fence,
    /// One closing brace was missing and was added.
    ClosingBrace,
    /// It was the only object in surrounding text.
    Prose,
}

impl Step {
    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Fence => "fence",
            Self::ClosingBrace => "closing_brace",
            Self::Prose => "prose",
        }
    }
}

/// Why a reply holds no object that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplyFault {
    /// There is nothing but white space.
    #[error("the reply is empty")]
    Empty,
    /// No step finds an object.
    #[error("no complete JSON object: {0}")]
    NoObject(String),
    /// A key stands twice in one object.
    #[error("{0}")]
    Repeated(String),
    /// More than one object, and nobody can say which is meant.
    #[error("{0} objects, and nothing says which is the answer")]
    Ambiguous(usize),
    /// Nested beyond reason.
    #[error("nested more than {DEEPEST} levels")]
    TooDeep,
}

/// Finds the one object of a reply, step by step.
pub fn read_reply(text: &str, ending: Ending) -> Result<(Value, Step), ReplyFault> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err(ReplyFault::Empty);
    }
    let fault = match strict(text) {
        Ok(value) => return Ok((value, Step::Strict)),
        Err(fault @ ReplyFault::NoObject(_)) => fault,
        Err(fault) => return Err(fault),
    };
    if let Some(inner) = fenced(text) {
        return strict(inner.trim()).map(|value| (value, Step::Fence));
    }
    let open = text.starts_with('{') && !text.ends_with('}') && lacks_one_brace(text);
    if open && ending == Ending::Complete {
        return strict(&format!("{text}}}")).map(|value| (value, Step::ClosingBrace));
    }
    from_prose(text, fault)
}

fn from_prose(text: &str, fault: ReplyFault) -> Result<(Value, Step), ReplyFault> {
    let (objects, rest) = top_level_objects(text);
    match objects.as_slice() {
        // An object that was closed early and goes on is no prose around an object.
        [one] if !rest.contains(['{', '}']) && !goes_on(text, one) => {
            strict(one).map(|value| (value, Step::Prose))
        }
        [] | [_] => Err(fault),
        several => Err(ReplyFault::Ambiguous(several.len())),
    }
}

/// Whether what follows an object reads like more members of it.
fn goes_on(text: &str, object: &str) -> bool {
    let after = text.find(object).map(|at| &text[at + object.len()..]);
    after.is_some_and(|after| after.trim_start().starts_with([',', ':', ']']))
}

/// Complete objects outside of each other, and the text between them.
fn top_level_objects(text: &str) -> (Vec<&str>, String) {
    let (mut objects, mut rest) = (Vec::new(), String::new());
    let (mut depth, mut start, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for (at, c) in text.char_indices() {
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
            // A quotation mark in prose opens no string.
            '"' if depth > 0 => in_string = true,
            '{' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            '}' if depth == 1 => {
                depth = 0;
                objects.push(&text[start..=at]);
            }
            '}' if depth > 1 => depth -= 1,
            _ if depth == 0 => rest.push(c),
            _ => {}
        }
    }
    if depth > 0 {
        rest.push_str(&text[start..]);
    }
    (objects, rest)
}

/// The inside of a text that is one Markdown fence.
fn fenced(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("```")?.strip_suffix("```")?;
    let (tag, body) = inner.split_once('\n')?;
    let known = ["", "json", "JSON"].contains(&tag.trim());
    (known && !body.contains("```")).then_some(body)
}

fn strict(text: &str) -> Result<Value, ReplyFault> {
    let Unique(value) = serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        if message.starts_with(REPEATED) {
            ReplyFault::Repeated(message)
        } else {
            ReplyFault::NoObject(message)
        }
    })?;
    if !value.is_object() {
        return Err(ReplyFault::NoObject("the text is not an object".to_owned()));
    }
    if depth(&value) > DEEPEST {
        return Err(ReplyFault::TooDeep);
    }
    Ok(value)
}

fn depth(value: &Value) -> usize {
    let below = match value {
        Value::Object(members) => members.values().map(depth).max(),
        Value::Array(items) => items.iter().map(depth).max(),
        _ => return 0,
    };
    1 + below.unwrap_or(0)
}

const REPEATED: &str = "a key stands twice";

/// A value without repeated keys; the usual reader keeps the last one in silence.
struct Unique(Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueVisitor).map(Self)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("a number is not finite"))?;
        Ok(Value::Number(number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Unique(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if object.contains_key(&name) {
                return Err(A::Error::custom(format!("{REPEATED}: {name}")));
            }
            let Unique(value) = members.next_value()?;
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
#[path = "ladder_tests.rs"]
mod tests;
