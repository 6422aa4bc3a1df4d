//! A table of what each model accepts, by the start of its name; the longest match wins.
//!
//! The program never finds out by a failed call whether a model accepts a temperature, an effort or a
//! schema. An unknown name gets the row of its family with the empty start, which sends nothing that
//! the provider could refuse. A configuration may also bring its own [`Capabilities`].

/// What a model accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capabilities {
    pub temperature: Temperature,
    /// The accepted reasoning efforts, lowest first; empty when none may be sent. A number is a
    /// budget of tokens.
    pub efforts: Vec<String>,
    pub schema: SchemaSupport,
}

/// Whether a temperature may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Temperature {
    Taken,
    Refused,
    /// Only with the effort `none`.
    WithoutReasoning,
}

/// Whether and how a schema may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaSupport {
    /// The provider accepts a schema, reduced to its own dialect.
    Full,
    /// The provider promises JSON, but no particular form.
    JsonMode,
    Absent,
}

/// The wire format that a table row belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    OpenAi,
    Anthropic,
    Google,
    XAi,
    /// Hosts that speak `OpenAI`'s chat completions.
    Compatible,
}

type Row = (
    Family,
    &'static str,
    Temperature,
    &'static [&'static str],
    SchemaSupport,
);

use Family::{Anthropic, Compatible, Google, OpenAi, XAi};
use SchemaSupport::{Absent, Full, JsonMode};
use Temperature::{Refused, Taken, WithoutReasoning};

const NO_EFFORT: &[&str] = &[];
const NONE_TO_HIGH: &[&str] = &["none", "low", "medium", "high"];
const NONE_TO_XHIGH: &[&str] = &["none", "low", "medium", "high", "xhigh"];
const MINIMAL_TO_HIGH: &[&str] = &["minimal", "low", "medium", "high"];
const LOW_TO_HIGH: &[&str] = &["low", "medium", "high"];
const LOW_TO_XHIGH: &[&str] = &["low", "medium", "high", "xhigh"];
const LOW_TO_MAX: &[&str] = &["low", "medium", "high", "xhigh", "max"];
const BUDGETS: &[&str] = &["0", "128", "1024"];
const BUDGETS_FROM_128: &[&str] = &["128", "1024"];
const DEEPSEEK: &[&str] = &["none", "low", "high", "max"];

const ROWS: &[Row] = &[
    (OpenAi, "", Refused, NO_EFFORT, Full),
    (OpenAi, "gpt-4.1", Taken, NO_EFFORT, Full),
    (OpenAi, "gpt-4o", Taken, NO_EFFORT, Full),
    (OpenAi, "o1", Refused, LOW_TO_HIGH, Full),
    (OpenAi, "o3", Refused, LOW_TO_HIGH, Full),
    (OpenAi, "o4", Refused, LOW_TO_HIGH, Full),
    (OpenAi, "gpt-5", Refused, MINIMAL_TO_HIGH, Full),
    (OpenAi, "gpt-5.1", WithoutReasoning, NONE_TO_HIGH, Full),
    (OpenAi, "gpt-5.2", WithoutReasoning, NONE_TO_XHIGH, Full),
    (OpenAi, "gpt-5.3", WithoutReasoning, NONE_TO_XHIGH, Full),
    (OpenAi, "gpt-5.4", WithoutReasoning, NONE_TO_XHIGH, Full),
    (OpenAi, "gpt-5.5", WithoutReasoning, NONE_TO_XHIGH, Full),
    // It is not proved that models from 5.6 on accept `none`; `low` is proved.
    (OpenAi, "gpt-5.6", Refused, LOW_TO_MAX, Full),
    (OpenAi, "gpt-6", Refused, LOW_TO_MAX, Full),
    (Anthropic, "", Refused, NO_EFFORT, Full),
    (Anthropic, "claude-3", Taken, NO_EFFORT, Absent),
    (Anthropic, "claude-opus-4", Taken, NO_EFFORT, Full),
    (Anthropic, "claude-sonnet-4", Taken, NO_EFFORT, Full),
    (Anthropic, "claude-haiku-4", Taken, NO_EFFORT, Full),
    (Anthropic, "claude-opus-4-7", Refused, LOW_TO_MAX, Full),
    (Anthropic, "claude-opus-4-8", Refused, LOW_TO_MAX, Full),
    (Anthropic, "claude-opus-5", Refused, LOW_TO_MAX, Full),
    (Anthropic, "claude-sonnet-5", Refused, LOW_TO_MAX, Full),
    (Anthropic, "claude-fable-5", Refused, LOW_TO_MAX, Full),
    (Google, "", Refused, NO_EFFORT, Full),
    (Google, "gemini-2.5-flash", Taken, BUDGETS, Full),
    (Google, "gemini-2.5-pro", Taken, BUDGETS_FROM_128, Full),
    (Google, "gemini-3", Taken, LOW_TO_HIGH, Full),
    (Google, "gemini-3-flash", Taken, MINIMAL_TO_HIGH, Full),
    (Google, "gemini-3.5-flash", Taken, MINIMAL_TO_HIGH, Full),
    (
        Google,
        "gemini-3.5-flash-lite",
        Refused,
        MINIMAL_TO_HIGH,
        Full,
    ),
    (Google, "gemini-3.6-flash", Refused, MINIMAL_TO_HIGH, Full),
    (Google, "gemini-3.7-flash", Refused, LOW_TO_HIGH, Full),
    (Google, "gemini-3.8-flash", Refused, LOW_TO_HIGH, Full),
    (XAi, "", Taken, NO_EFFORT, Full),
    (XAi, "grok-4.3", Taken, NONE_TO_HIGH, Full),
    (XAi, "grok-4.5", Taken, LOW_TO_HIGH, Full),
    (XAi, "grok-4.6", Taken, LOW_TO_XHIGH, Full),
    (XAi, "grok-4.7", Taken, LOW_TO_XHIGH, Full),
    (Compatible, "", Taken, NO_EFFORT, Full),
    (
        Compatible,
        "deepseek-v4",
        WithoutReasoning,
        DEEPSEEK,
        JsonMode,
    ),
    (Compatible, "openai/gpt-oss", Taken, LOW_TO_HIGH, Full),
];

/// The prefixes that routers put before model names, and the makers they stand for.
const MAKERS: [(&str, Family); 4] = [
    ("openai/", OpenAi),
    ("anthropic/", Anthropic),
    ("google/", Google),
    ("x-ai/", XAi),
];

/// Parts of the names of models that search, browse or call tools although none was offered.
const TOOL_USERS: [&str; 8] = [
    "search",
    "deep-research",
    "computer-use",
    "multi-agent",
    "groq/compound",
    ":online",
    ":free",
    "openrouter/auto",
];

impl Capabilities {
    /// Looks a model up. A model behind a router accepts what its maker's row says, except budgets,
    /// which routers do not pass on.
    pub fn of(family: Family, model: &str) -> Self {
        let own = row(family, model);
        let maker = MAKERS.iter().find(|(name, _)| model.starts_with(name));
        match (own, maker) {
            (Some((_, "", ..)) | None, Some((name, maker))) if family == Compatible => {
                // Routers write a dot in versions where Anthropic itself writes a dash.
                let inner = match maker {
                    Anthropic => model[name.len()..].replace('.', "-"),
                    _ => model[name.len()..].to_owned(),
                };
                let mut passed_on = Self::of(*maker, &inner);
                passed_on
                    .efforts
                    .retain(|effort| effort.parse::<u64>().is_err());
                passed_on
            }
            (Some((_, _, temperature, efforts, schema)), _) => Self {
                temperature: *temperature,
                efforts: efforts.iter().map(|&effort| effort.to_owned()).collect(),
                schema: *schema,
            },
            (None, _) => Self {
                temperature: Refused,
                efforts: Vec::new(),
                schema: Full,
            },
        }
    }
}

/// The matching row with the longest start.
fn row(family: Family, model: &str) -> Option<&'static Row> {
    let rows = ROWS.iter().filter(|row| row.0 == family);
    let matching = rows.filter(|row| begins(model, row.1));
    matching.max_by_key(|row| row.1.len())
}

/// Whether a model's name starts like this without cutting a number: `gpt-5.10` is not a `gpt-5.1`.
fn begins(model: &str, start: &str) -> bool {
    let rest = model.strip_prefix(start);
    let in_number = |rest: &str| {
        start.ends_with(|last: char| last.is_ascii_digit())
            && rest.starts_with(|next: char| next.is_ascii_digit())
    };
    rest.is_some_and(|rest| !in_number(rest))
}

/// Whether a model is known to use tools that were not offered.
pub(super) fn uses_tools_by_itself(model: &str) -> bool {
    let model = model.to_ascii_lowercase();
    TOOL_USERS.iter().any(|part| model.contains(part))
}

#[cfg(test)]
mod tests;
