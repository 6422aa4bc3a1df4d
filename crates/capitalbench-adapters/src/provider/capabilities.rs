//! What each model takes, as data: beginnings of model names, the longest match wins.
//!
//! Temperature, efforts and schema are never found out by failing. A name that no row knows gets
//! the row of its family with the empty beginning, which sends nothing that could be refused; a
//! configuration may also bring its own [`Capabilities`].

/// What a model takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether a temperature may be sent.
    pub temperature: Temperature,
    /// The reasoning efforts it takes, lowest first; empty when none may be sent. A number is a
    /// budget of tokens.
    pub efforts: Vec<String>,
    /// Whether it takes a schema.
    pub schema: SchemaSupport,
}

/// Whether a temperature may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Temperature {
    /// Always.
    Taken,
    /// Never.
    Refused,
    /// Only with the effort `none`.
    WithoutReasoning,
}

/// Whether and how a schema may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaSupport {
    /// Reduced only by what the provider's dialect cannot say.
    Full,
    /// JSON is promised, its form is not.
    JsonMode,
    /// Nothing may be sent.
    Absent,
}

/// Whose models are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// `OpenAI`'s Responses.
    OpenAi,
    /// Anthropic's Messages.
    Anthropic,
    /// Google's `generateContent`.
    Google,
    /// xAI's chat completions.
    XAi,
    /// Whoever speaks like `OpenAI`'s chat completions.
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
use SchemaSupport::{Full, JsonMode};
use Temperature::{Refused, Taken, WithoutReasoning};

const NO_EFFORT: &[&str] = &[];
const GPT_5: &[&str] = &["minimal", "low", "medium", "high"];
const GPT_5_1: &[&str] = &["none", "low", "medium", "high"];
const GPT_5_2: &[&str] = &["none", "low", "medium", "high", "xhigh"];
const LOW_UP: &[&str] = &["low", "medium", "high"];
const LOW_TO_MAX: &[&str] = &["low", "medium", "high", "xhigh", "max"];
const MINIMAL_UP: &[&str] = &["minimal", "low", "medium", "high"];
const DEEPSEEK: &[&str] = &["none", "low", "high", "max"];

const ROWS: &[Row] = &[
    (OpenAi, "", Refused, NO_EFFORT, Full),
    (OpenAi, "gpt-4.1", Taken, NO_EFFORT, Full),
    (OpenAi, "gpt-4o", Taken, NO_EFFORT, Full),
    (OpenAi, "o1", Refused, LOW_UP, Full),
    (OpenAi, "o3", Refused, LOW_UP, Full),
    (OpenAi, "o4", Refused, LOW_UP, Full),
    (OpenAi, "gpt-5", Refused, GPT_5, Full),
    (OpenAi, "gpt-5.1", WithoutReasoning, GPT_5_1, Full),
    (OpenAi, "gpt-5.2", WithoutReasoning, GPT_5_2, Full),
    (OpenAi, "gpt-5.3", WithoutReasoning, GPT_5_2, Full),
    (OpenAi, "gpt-5.4", WithoutReasoning, GPT_5_2, Full),
    (OpenAi, "gpt-5.5", WithoutReasoning, GPT_5_2, Full),
    // Whether `none` is taken from 5.6 on is not proved; `low` is.
    (OpenAi, "gpt-5.6", Refused, LOW_TO_MAX, Full),
    (OpenAi, "gpt-6", Refused, LOW_TO_MAX, Full),
    (Anthropic, "", Refused, NO_EFFORT, Full),
    (
        Anthropic,
        "claude-3",
        Taken,
        NO_EFFORT,
        SchemaSupport::Absent,
    ),
    (Anthropic, "claude-opus-4", Taken, NO_EFFORT, Full),
    (Anthropic, "claude-sonnet-4", Taken, NO_EFFORT, Full),
    (Anthropic, "claude-haiku-4", Taken, NO_EFFORT, Full),
    (Anthropic, "claude-opus-4-7", Refused, LOW_TO_MAX, Full),
    (Anthropic, "claude-opus-4-8", Refused, LOW_TO_MAX, Full),
    (Anthropic, "claude-opus-5", Refused, LOW_TO_MAX, Full),
    (Anthropic, "claude-sonnet-5", Refused, LOW_TO_MAX, Full),
    (Anthropic, "claude-fable-5", Refused, LOW_TO_MAX, Full),
    (Google, "", Refused, NO_EFFORT, Full),
    (
        Google,
        "gemini-2.5-flash",
        Taken,
        &["0", "128", "1024"],
        Full,
    ),
    (Google, "gemini-2.5-pro", Taken, &["128", "1024"], Full),
    (Google, "gemini-3", Taken, LOW_UP, Full),
    (Google, "gemini-3-flash", Taken, MINIMAL_UP, Full),
    (Google, "gemini-3.5-flash", Taken, MINIMAL_UP, Full),
    (Google, "gemini-3.5-flash-lite", Refused, MINIMAL_UP, Full),
    (Google, "gemini-3.6-flash", Refused, MINIMAL_UP, Full),
    (Google, "gemini-3.7-flash", Refused, LOW_UP, Full),
    (Google, "gemini-3.8-flash", Refused, LOW_UP, Full),
    (XAi, "", Taken, NO_EFFORT, Full),
    (
        XAi,
        "grok-4.3",
        Taken,
        &["none", "low", "medium", "high"],
        Full,
    ),
    (XAi, "grok-4.5", Taken, LOW_UP, Full),
    (
        XAi,
        "grok-4.6",
        Taken,
        &["low", "medium", "high", "xhigh"],
        Full,
    ),
    (
        XAi,
        "grok-4.7",
        Taken,
        &["low", "medium", "high", "xhigh"],
        Full,
    ),
    (Compatible, "", Taken, NO_EFFORT, Full),
    (
        Compatible,
        "deepseek-v4",
        WithoutReasoning,
        DEEPSEEK,
        JsonMode,
    ),
    (Compatible, "openai/gpt-oss", Taken, LOW_UP, Full),
];

/// How routers name the makers of the models they pass on.
const MAKERS: [(&str, Family); 4] = [
    ("openai/", OpenAi),
    ("anthropic/", Anthropic),
    ("google/", Google),
    ("x-ai/", XAi),
];

/// Parts of the names of models that search, browse or call tools without being offered any.
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
    /// What the table says about a model; one that a router passes on takes what its maker says,
    /// though no budgets.
    pub fn of(family: Family, model: &str) -> Self {
        let own = row(family, model);
        let maker = MAKERS.iter().find(|(name, _)| model.starts_with(name));
        match (own, maker) {
            (Some((_, "", ..)) | None, Some((name, maker))) if family == Compatible => {
                // Routers write versions with a dot where Anthropic itself has a dash.
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

/// The row with the longest beginning that matches.
fn row(family: Family, model: &str) -> Option<&'static Row> {
    let rows = ROWS.iter().filter(|row| row.0 == family);
    let matching = rows.filter(|row| begins(model, row.1));
    matching.max_by_key(|row| row.1.len())
}

/// Whether a model's name begins so, and not in the middle of a number: `gpt-5.10` is no `gpt-5.1`.
fn begins(model: &str, start: &str) -> bool {
    let rest = model.strip_prefix(start);
    let in_number = |rest: &str| {
        start.ends_with(|last: char| last.is_ascii_digit())
            && rest.starts_with(|next: char| next.is_ascii_digit())
    };
    rest.is_some_and(|rest| !in_number(rest))
}

/// Whether a model is known to use tools that nobody offered.
pub(super) fn uses_tools_by_itself(model: &str) -> bool {
    let model = model.to_ascii_lowercase();
    TOOL_USERS.iter().any(|part| model.contains(part))
}

#[cfg(test)]
mod tests;
