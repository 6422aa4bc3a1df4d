//! The ladder of readings, strictest first: plain object, object after the model's thoughts, fenced
//! object, YAML mapping, repaired object, object cut out of prose.

use serde_json::Value;

use super::lacks_one_brace;
use super::repair::{Inside, without_raw_line_ends, without_trailing_commas};
use super::think::{Thought, thought};
use crate::encoding::yaml::from_plain_yaml;
use crate::encoding::yaml::unique_keys::{REPEATS, UniqueKeys};

/// Deepest nesting of a reply.
const DEEPEST: usize = 64;

/// Longest reply in bytes; the token limits of a round allow far less.
const LONGEST: usize = 4 << 20;

/// Whether the provider says that the model had finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The model had finished; one missing brace may be added.
    Complete,
    /// The model had not finished, or the provider did not say; nothing is added.
    Unsure,
}

/// The step on which the object was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The text is exactly one object.
    Strict,
    /// It was found, on any other step, after the thoughts that the model wrote before it.
    AfterThink,
    /// It stood in one fence.
    Fence,
    /// The text is exactly one YAML mapping.
    Yaml,
    /// A YAML mapping stood in one fence.
    FencedYaml,
    /// One closing brace was missing and was added.
    ClosingBrace,
    /// Commas before a closing brace or bracket were left out.
    TrailingComma,
    /// Line ends inside texts were written as escapes.
    RawLineEnd,
    /// It was the only object in surrounding text.
    Prose,
}

impl Step {
    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::AfterThink => "after_think",
            Self::Fence => "fence",
            Self::Yaml => "yaml",
            Self::FencedYaml => "fenced_yaml",
            Self::ClosingBrace => "closing_brace",
            Self::TrailingComma => "trailing_comma",
            Self::RawLineEnd => "raw_line_end",
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
    /// Longer than any answer.
    #[error("the reply has {0} bytes; at most {LONGEST} are read")]
    TooLong(usize),
    /// The model had finished, and nothing in its reply begins an object or a mapping: it declined.
    #[error("the reply is finished and contains no object")]
    NothingBegun,
    /// The thoughts before the answer never end.
    #[error("the reply ends inside the model's thoughts")]
    OnlyThoughts,
    /// No step finds an object.
    #[error("no complete JSON object or YAML mapping: {0}")]
    NoObject(String),
    /// One object repeats a key.
    #[error("{0}")]
    Repeated(String),
    /// Several objects, without a way to know which one is the answer.
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
    if text.len() > LONGEST {
        return Err(ReplyFault::TooLong(text.len()));
    }
    let (answer, thought_before) = match thought(text) {
        Thought::None => (text, false),
        Thought::Before("") => return Err(ReplyFault::Empty),
        Thought::Before(answer) => (answer, true),
        Thought::Open => return Err(ReplyFault::OnlyThoughts),
    };
    match climb(answer, ending) {
        Ok((value, _)) if thought_before => Ok((value, Step::AfterThink)),
        Err(ReplyFault::NoObject(_)) if ending == Ending::Complete && begins_nothing(answer) => {
            Err(ReplyFault::NothingBegun)
        }
        found => found,
    }
}

/// Whether a text holds neither a brace nor two lines that name members as a mapping does.
fn begins_nothing(text: &str) -> bool {
    let names_member = |line: &&str| {
        let name = line.trim_start_matches([' ', '-']).split_once(':');
        name.is_some_and(|(name, rest)| {
            is_member_name(name) && (rest.is_empty() || rest.starts_with(' '))
        })
    };
    !text.contains('{') && text.lines().filter(names_member).nth(1).is_none()
}

/// The steps from the plain object down, for a text without thoughts.
fn climb(text: &str, ending: Ending) -> Result<(Value, Step), ReplyFault> {
    let fault = match strict(text) {
        Ok(value) => return Ok((value, Step::Strict)),
        Err(fault @ ReplyFault::NoObject(_)) => fault,
        Err(fault) => return Err(fault),
    };
    if let Some(inner) = fenced(text) {
        let inner = inner.trim();
        return match strict(inner) {
            Err(fault @ ReplyFault::NoObject(_)) => yaml(inner)
                .map(|value| (value, Step::FencedYaml))
                .map_err(|other| clearer(other, fault)),
            found => found.map(|value| (value, Step::Fence)),
        };
    }
    if text.starts_with('{') {
        return mended(text, ending).unwrap_or_else(|| from_prose(text, fault));
    }
    match yaml(text) {
        Ok(value) => Ok((value, Step::Yaml)),
        Err(other) => from_prose(text, clearer(other, fault)),
    }
}

/// The closed list of repairs that cannot change what was meant, one at a time.
fn mended(text: &str, ending: Ending) -> Option<Result<(Value, Step), ReplyFault>> {
    let open = !text.ends_with('}') && lacks_one_brace(text);
    if open && ending == Ending::Complete {
        let closed = strict(&format!("{text}}}"));
        return Some(closed.map(|value| (value, Step::ClosingBrace)));
    }
    let repairs = [
        (without_trailing_commas(text), Step::TrailingComma),
        (without_raw_line_ends(text), Step::RawLineEnd),
    ];
    repairs.into_iter().find_map(|(mended, step)| {
        let found = strict(&mended?);
        // A text that is still broken is told by its first fault, a repeated key by itself.
        match found {
            Err(ReplyFault::NoObject(_)) => None,
            found => Some(found.map(|value| (value, step))),
        }
    })
}

/// A mapping whose members are named like those of an answer; a sentence with a colon in it, or a
/// heading above an object, is none.
fn yaml(text: &str) -> Result<Value, ReplyFault> {
    let UniqueKeys(value) = from_plain_yaml(text).map_err(|error| {
        let message = error.to_string();
        if message.contains(REPEATS) {
            ReplyFault::Repeated(message)
        } else {
            ReplyFault::NoObject(message)
        }
    })?;
    match value.as_object() {
        Some(members) if members.len() > 1 && members.keys().all(|name| is_member_name(name)) => {
            Ok(value)
        }
        _ => Err(ReplyFault::NoObject("the text is not an object".to_owned())),
    }
}

/// Whether a name is written like the members of an answer.
fn is_member_name(name: &str) -> bool {
    let known = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(known)
}

/// What YAML says about repeated keys tells more than that the text is no JSON.
fn clearer(yaml: ReplyFault, json: ReplyFault) -> ReplyFault {
    match yaml {
        ReplyFault::NoObject(_) => json,
        told => told,
    }
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
    let (mut depth, mut start, mut inside) = (0_usize, 0, Inside::default());
    for (at, c) in text.char_indices() {
        // A quotation mark in prose opens no string.
        if depth > 0 {
            inside.step(c);
        }
        match c {
            _ if inside.string => {}
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
    let known = ["", "json", "yaml", "yml"].contains(&tag.trim().to_lowercase().as_str());
    (known && !body.contains("```")).then_some(body)
}

fn strict(text: &str) -> Result<Value, ReplyFault> {
    let UniqueKeys(value) = serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        if message.contains(REPEATS) {
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

#[cfg(test)]
mod tests;
