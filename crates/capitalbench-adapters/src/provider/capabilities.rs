//! What each model accepts, and what is sent where the models file says nothing.
//!
//! The program never finds out by a failed call whether a model accepts a temperature, an effort or a
//! schema: `rows` says it, by the start of a model's name; the longest match wins. An unknown name
//! gets the row of its family with the empty start, which sends nothing that the provider could
//! refuse. What the table lacks, the models file can bring: a setting that no row forbids is passed
//! on wherever the provider has a field for it.

use std::ops::RangeInclusive;

use capitalbench_core::asking::call_settings::{ReasoningSetting, SchemaMode};

mod rows;

use rows::{ROWS, Row};

/// What a model accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capabilities {
    pub temperature: Temperature,
    /// The accepted reasoning efforts, lowest first; none where they are not known, so that any word
    /// may be tried.
    pub efforts: Option<Vec<String>>,
    /// The accepted budgets of reasoning tokens.
    pub budgets: Option<RangeInclusive<u64>>,
    pub off: Off,
    /// Whether reasoning can be switched on without an effort or a budget.
    pub on: bool,
    /// What is asked for where the models file says nothing: as little reasoning as the model
    /// offers, so that models are compared alike.
    pub unset: Option<ReasoningSetting>,
    pub schema: SchemaMode,
}

/// Which temperature may be sent, and what is sent where the models file says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Temperature {
    /// Any; 0 unless the models file says otherwise.
    Taken,
    /// Any, but the provider advises its own, or nothing is known: none unless the models file
    /// gives one.
    Left,
    /// Any but 0: none unless the models file gives one.
    AboveZero,
    /// 1 or none at all.
    OnlyOne,
    /// Any, but only without reasoning; then 0 unless the models file says otherwise.
    WithoutReasoning,
    Refused,
}

/// How a model is asked not to reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Off {
    /// By a field of the request.
    Written,
    /// By saying nothing about reasoning.
    Omission,
    /// It cannot be switched off.
    Never,
}

/// Whose rows of the table apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    OpenAi,
    Anthropic,
    Google,
    XAi,
    DeepSeek,
    Mistral,
    Groq,
    Moonshot,
    Qwen,
    Zhipu,
    MiniMax,
    Cohere,
    Cerebras,
    Ollama,
    /// Hosts of open weights and servers of the operator's own.
    OpenWeights,
    /// Bedrock, whose names have prefixes of its own.
    Bedrock,
    /// Routers and other `OpenAI`-compatible addresses, whose names may begin with a maker's.
    Compatible,
}

/// The prefixes that routers put before model names, and the makers they stand for.
const MAKERS: [(&str, Family); 7] = [
    ("openai/", Family::OpenAi),
    ("anthropic/", Family::Anthropic),
    ("google/", Family::Google),
    ("x-ai/", Family::XAi),
    ("deepseek/", Family::DeepSeek),
    ("moonshotai/", Family::Moonshot),
    ("minimax/", Family::MiniMax),
];

/// Parts of the names of models that search, browse or call tools although none was offered.
const TOOL_USERS: [&str; 10] = [
    "search",
    "deep-research",
    "computer-use",
    "multi-agent",
    "groq/compound",
    "compound-beta",
    "sonar",
    ":online",
    ":free",
    "openrouter/auto",
];

impl Capabilities {
    /// Looks a model up. A model behind a router accepts what its maker's row says.
    pub fn of(family: Family, model: &str) -> Self {
        let model = model.to_ascii_lowercase();
        let own = row(family, &model);
        let maker = MAKERS.iter().find(|(name, _)| model.starts_with(name));
        match (own, maker) {
            (Some(Row { start: "", .. }) | None, Some((name, maker)))
                if family == Family::Compatible =>
            {
                // Routers write a dot in versions where Anthropic itself writes a dash.
                let inner = match maker {
                    Family::Anthropic => model[name.len()..].replace('.', "-"),
                    _ => model[name.len()..].to_owned(),
                };
                Self::of(*maker, &inner).behind_a_router(*maker)
            }
            (Some(row), _) => row.capabilities(),
            (None, _) => rows::NOTHING_KNOWN.capabilities(),
        }
    }

    /// A router translates efforts and budgets to what the host takes. What only the maker's own
    /// address is known to take is not sent unasked.
    fn behind_a_router(self, maker: Family) -> Self {
        use Family::{Anthropic, Google, OpenAi, XAi};
        let listed = matches!(maker, OpenAi | Anthropic | Google | XAi);
        let passed_on = |setting: &ReasoningSetting| match setting {
            ReasoningSetting::Off => self.off == Off::Omission,
            ReasoningSetting::Effort(_) => listed,
            _ => false,
        };
        let unset = self.unset.clone().filter(passed_on);
        Self {
            unset,
            efforts: self.efforts.filter(|all| listed && !all.is_empty()),
            on: true,
            ..self
        }
    }

    /// Whether an effort is known to be accepted.
    pub(super) fn lists(&self, effort: &str) -> bool {
        let efforts = self.efforts.iter().flatten();
        efforts.into_iter().any(|known| known == effort)
    }
}

/// The matching row with the longest start.
fn row(family: Family, model: &str) -> Option<&'static Row> {
    let rows = ROWS.iter().filter(|row| row.family == family);
    let matching = rows.filter(|row| begins(model, row.start));
    matching.max_by_key(|row| row.start.len())
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
