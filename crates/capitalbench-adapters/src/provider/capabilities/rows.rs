//! The rows of the table, each block with the source it was taken from and the day it was read.
//!
//! Starts are in lower case. A row's efforts are what its source lists, lowest first.

use capitalbench_core::asking::call_settings::{ReasoningSetting, SchemaMode};

use super::Family::{
    Anthropic, Bedrock, Cerebras, Cohere, Compatible, DeepSeek, Google, Groq, MiniMax, Mistral,
    Moonshot, Ollama, OpenAi, OpenWeights, Qwen, XAi, Zhipu,
};
use super::Off::{Never, Omission, Written};
use super::Temperature::{AboveZero, Left, OnlyOne, Refused, Taken, WithoutReasoning};
use super::{Capabilities, Family, Off, Temperature};

/// What is known about models whose names begin alike.
pub(super) struct Row {
    pub(super) family: Family,
    pub(super) start: &'static str,
    temperature: Temperature,
    thinking: Thinking,
    schema: SchemaMode,
}

/// What is known about the reasoning of a model.
#[derive(Clone, Copy)]
struct Thinking {
    efforts: Option<&'static [&'static str]>,
    budgets: Option<(u64, u64)>,
    off: Off,
    on: bool,
    unset: Unset,
}

/// What is asked for where the models file says nothing.
#[derive(Clone, Copy)]
enum Unset {
    Nothing,
    Lowest,
    Low,
    Off,
    LeastBudget,
}

impl Row {
    pub(super) fn capabilities(&self) -> Capabilities {
        let Thinking {
            efforts,
            budgets,
            off,
            on,
            unset,
        } = self.thinking;
        let owned = |list: &[&str]| list.iter().map(|&word| word.to_owned()).collect();
        let efforts: Option<Vec<String>> = efforts.map(owned);
        let lowest = || efforts.as_ref().and_then(|all| all.first()).cloned();
        let unset = match unset {
            Unset::Nothing => None,
            Unset::Off => Some(ReasoningSetting::Off),
            Unset::Low => Some(ReasoningSetting::Effort("low".to_owned())),
            Unset::Lowest => lowest().map(ReasoningSetting::Effort),
            Unset::LeastBudget => budgets.map(|(least, _)| ReasoningSetting::Budget(least)),
        };
        Capabilities {
            temperature: self.temperature,
            budgets: budgets.map(|(least, most)| least..=most),
            off,
            on,
            unset,
            schema: self.schema,
            efforts,
        }
    }
}

const fn row(
    family: Family,
    start: &'static str,
    temperature: Temperature,
    thinking: Thinking,
    schema: SchemaMode,
) -> Row {
    Row {
        family,
        start,
        temperature,
        thinking,
        schema,
    }
}

/// Nothing is known, so nothing is sent unasked and everything may be tried.
const ANY: Thinking = Thinking {
    efforts: None,
    budgets: None,
    off: Written,
    on: true,
    unset: Unset::Nothing,
};
/// Takes no word about reasoning at all.
const FIXED: Thinking = Thinking {
    efforts: Some(&[]),
    off: Never,
    on: false,
    ..ANY
};
/// Reasons unless told not to, by a switch.
const SWITCH: Thinking = Thinking {
    unset: Unset::Off,
    ..ANY
};

/// Reasons as much as one of these words says.
const fn by(efforts: &'static [&'static str]) -> Thinking {
    Thinking {
        efforts: Some(efforts),
        unset: Unset::Lowest,
        ..FIXED
    }
}

/// Reasons within a budget of tokens.
const fn within(least: u64, most: u64, off: Off, unset: Unset) -> Thinking {
    Thinking {
        budgets: Some((least, most)),
        off,
        on: true,
        unset,
        ..FIXED
    }
}

/// Claude until 4.6: says nothing about thinking unless asked, and thinks within a budget.
const EXTENDED: Thinking = Thinking {
    budgets: Some((1_024, 128_000)),
    off: Omission,
    on: false,
    efforts: Some(&[]),
    unset: Unset::Off,
};
const EXTENDED_BY_EFFORT: Thinking = Thinking {
    efforts: Some(&["low", "medium", "high"]),
    ..EXTENDED
};
/// Claude 4.6: a budget still works, adaptive thinking is advised.
const ADAPTIVE_OR_BUDGET: Thinking = Thinking {
    efforts: Some(&["low", "medium", "high", "max"]),
    on: true,
    ..EXTENDED
};
/// Claude from 4.7 on: no budgets.
const fn adaptive(off: Off) -> Thinking {
    Thinking {
        efforts: Some(LOW_TO_MAX),
        budgets: None,
        off,
        on: true,
        unset: Unset::Lowest,
    }
}

const NONE_TO_HIGH: &[&str] = &["none", "low", "medium", "high"];
const NONE_TO_XHIGH: &[&str] = &["none", "low", "medium", "high", "xhigh"];
const NONE_TO_MAX: &[&str] = &["none", "low", "medium", "high", "xhigh", "max"];
const NONE_OR_HIGH: &[&str] = &["none", "high"];
const MINIMAL_TO_HIGH: &[&str] = &["minimal", "low", "medium", "high"];
const LOW_TO_HIGH: &[&str] = &["low", "medium", "high"];
const LOW_TO_XHIGH: &[&str] = &["low", "medium", "high", "xhigh"];
const LOW_TO_MAX: &[&str] = &["low", "medium", "high", "xhigh", "max"];
const MEDIUM_TO_XHIGH: &[&str] = &["medium", "high", "xhigh"];

/// `none` is documented from 5.6 on but one catalogue denies it, so `low` is the default.
const FROM_5_6: Thinking = Thinking {
    unset: Unset::Low,
    ..by(NONE_TO_MAX)
};
/// Reasons by a word, but nothing is sent unasked.
const fn may(efforts: &'static [&'static str]) -> Thinking {
    Thinking {
        unset: Unset::Nothing,
        ..by(efforts)
    }
}
const DEEPSEEK: Thinking = Thinking {
    efforts: Some(LOW_TO_MAX),
    ..SWITCH
};
const KIMI: Thinking = Thinking {
    efforts: Some(&[]),
    ..SWITCH
};
const ALWAYS: Thinking = Thinking { off: Never, ..ANY };

const FULL: SchemaMode = SchemaMode::Full;
const JSON: SchemaMode = SchemaMode::Json;
const PROMPT: SchemaMode = SchemaMode::None;

/// The row for a family without rows.
pub(super) const NOTHING_KNOWN: Row = row(Compatible, "", Left, ANY, FULL);

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    // OpenAI. Efforts: API reference of `reasoning.effort` and the reasoning guide
    // (developers.openai.com/api/docs/guides/reasoning, read 2026-11-16); gpt-5-pro "only supports
    // high": the same text in Azure's `ReasoningEffort`. Codex: developers.openai.com/api/docs/models.
    // Pro from 5.4 on without schemas: litellm's model_prices table, 2026-10. Temperature: openai-python
    // 3.3.1 (2026-08-21) and refusals "Only the default (1) value is supported".
    row(OpenAi, "", Left, ANY, FULL),
    row(OpenAi, "gpt-4.1", Taken, FIXED, FULL),
    row(OpenAi, "gpt-4o", Taken, FIXED, FULL),
    row(OpenAi, "o1", Refused, by(LOW_TO_HIGH), FULL),
    row(OpenAi, "o3", Refused, by(LOW_TO_HIGH), FULL),
    row(OpenAi, "o4", Refused, by(LOW_TO_HIGH), FULL),
    row(OpenAi, "gpt-5", Refused, by(MINIMAL_TO_HIGH), FULL),
    row(OpenAi, "gpt-5-chat", Left, ANY, FULL),
    row(OpenAi, "gpt-5-codex", Refused, by(LOW_TO_HIGH), FULL),
    row(OpenAi, "gpt-5-pro", Refused, by(&["high"]), FULL),
    row(OpenAi, "gpt-5.1", WithoutReasoning, by(NONE_TO_HIGH), FULL),
    row(OpenAi, "gpt-5.1-chat", Left, ANY, FULL),
    row(OpenAi, "gpt-5.1-codex", Refused, by(LOW_TO_HIGH), FULL),
    row(OpenAi, "gpt-5.1-codex-max", Refused, by(LOW_TO_XHIGH), FULL),
    row(OpenAi, "gpt-5.2", WithoutReasoning, by(NONE_TO_XHIGH), FULL),
    row(OpenAi, "gpt-5.2-chat", Left, ANY, FULL),
    row(OpenAi, "gpt-5.2-codex", Refused, by(LOW_TO_XHIGH), FULL),
    row(OpenAi, "gpt-5.2-pro", Refused, by(MEDIUM_TO_XHIGH), FULL),
    row(OpenAi, "gpt-5.3", WithoutReasoning, by(NONE_TO_XHIGH), FULL),
    row(OpenAi, "gpt-5.3-chat", Left, ANY, FULL),
    row(OpenAi, "gpt-5.3-codex", Refused, by(LOW_TO_XHIGH), FULL),
    row(OpenAi, "gpt-5.4", WithoutReasoning, by(NONE_TO_XHIGH), FULL),
    row(OpenAi, "gpt-5.4-pro", Refused, by(MEDIUM_TO_XHIGH), PROMPT),
    row(OpenAi, "gpt-5.5", WithoutReasoning, by(NONE_TO_XHIGH), FULL),
    row(OpenAi, "gpt-5.5-pro", Refused, by(MEDIUM_TO_XHIGH), PROMPT),
    row(OpenAi, "gpt-5.6", Refused, FROM_5_6, FULL),
    row(OpenAi, "gpt-6", Refused, FROM_5_6, FULL),
    // Anthropic. platform.claude.com/docs: models/*/overview, whats-new-opus-5, the 4.6, 4.7 and 5.5
    // migration guides there and at openrouter.ai/docs (read 2026-11-16): effort from Opus 4.5 on, `max`
    // from 4.6, `xhigh` from 4.7; omitted thinking is off until 4.8 and on from 5; always on for Fable 5
    // and Opus 5.5; Sonnet 5.5 knows only `between_tools`. Sampling refused from 4.7 on.
    row(Anthropic, "", Left, ANY, FULL),
    row(Anthropic, "claude-3", WithoutReasoning, EXTENDED, PROMPT),
    row(Anthropic, "claude-opus-4", WithoutReasoning, EXTENDED, FULL),
    row(Anthropic, "claude-sonnet-4", WithoutReasoning, EXTENDED, FULL),
    row(Anthropic, "claude-haiku-4", WithoutReasoning, EXTENDED, FULL),
    row(Anthropic, "claude-opus-4-5", WithoutReasoning, EXTENDED_BY_EFFORT, FULL),
    row(Anthropic, "claude-opus-4-6", WithoutReasoning, ADAPTIVE_OR_BUDGET, FULL),
    row(Anthropic, "claude-sonnet-4-6", WithoutReasoning, ADAPTIVE_OR_BUDGET, FULL),
    row(Anthropic, "claude-opus-4-7", Refused, adaptive(Omission), FULL),
    row(Anthropic, "claude-opus-4-8", Refused, adaptive(Omission), FULL),
    row(Anthropic, "claude-opus-5", Refused, adaptive(Written), FULL),
    row(Anthropic, "claude-opus-5-5", Refused, adaptive(Never), FULL),
    row(Anthropic, "claude-sonnet-5", Refused, adaptive(Written), FULL),
    row(Anthropic, "claude-sonnet-5-5", Refused, adaptive(Never), FULL),
    row(Anthropic, "claude-haiku-5-5", Refused, adaptive(Written), FULL),
    row(Anthropic, "claude-fable-5", Refused, adaptive(Never), FULL),
    // Google. ai.google.dev thinking guide and docs.cloud.google.com model pages (read 2026-11-16):
    // budgets for 2.5 (Pro cannot be switched off), levels from 3 on; python-genai 2.19.0
    // (2026-08-21). Google advises to leave the temperature of Gemini 3 to 3.5 at 1.0; 3.5
    // Flash-Lite and everything from 3.6 on ignores it.
    row(Google, "", Left, ANY, FULL),
    row(Google, "gemini-2.5-flash", Taken, within(0, 24_576, Written, Unset::Off), FULL),
    row(Google, "gemini-2.5-flash-lite", Taken, within(512, 24_576, Written, Unset::Off), FULL),
    row(Google, "gemini-2.5-pro", Taken, within(128, 32_768, Never, Unset::LeastBudget), FULL),
    row(Google, "gemini-3", Left, by(LOW_TO_HIGH), FULL),
    row(Google, "gemini-3-flash", Left, by(MINIMAL_TO_HIGH), FULL),
    row(Google, "gemini-3.5-flash", Left, by(MINIMAL_TO_HIGH), FULL),
    row(Google, "gemini-3.5-flash-lite", Refused, by(MINIMAL_TO_HIGH), FULL),
    row(Google, "gemini-3.6-flash", Refused, by(MINIMAL_TO_HIGH), FULL),
    row(Google, "gemini-3.7-flash", Refused, by(LOW_TO_HIGH), FULL),
    row(Google, "gemini-3.8-flash", Refused, by(LOW_TO_HIGH), FULL),
    // xAI. docs.x.ai reasoning page as quoted by @ai-sdk/xai 4.0.0-canary.61 (2026-05) and
    // xai-sdk-python 1.19.0 (2026-08-18). Grok 4.20 answers any effort with an error.
    row(XAi, "", Taken, ANY, FULL),
    row(XAi, "grok-4.3", Taken, by(NONE_TO_XHIGH), FULL),
    row(XAi, "grok-4.5", Taken, by(LOW_TO_HIGH), FULL),
    row(XAi, "grok-4.6", Taken, by(LOW_TO_XHIGH), FULL),
    row(XAi, "grok-4.7", Taken, by(LOW_TO_XHIGH), FULL),
    row(XAi, "grok-4.20", Taken, FIXED, FULL),
    // DeepSeek. api-docs.deepseek.com: JSON mode only, for all names; thinking is on unless switched
    // off and ignores a temperature (read 2026-11-16).
    row(DeepSeek, "", WithoutReasoning, DEEPSEEK, JSON),
    // Mistral. docs.mistral.ai, mistral client 2.5.1 (2026-06-30): only `none` and `high` have an
    // effect on the two models that reason by a setting.
    row(Mistral, "", Taken, ANY, FULL),
    row(Mistral, "mistral-small-2603", Taken, may(NONE_OR_HIGH), FULL),
    row(Mistral, "mistral-medium-3.5", Taken, may(NONE_OR_HIGH), FULL),
    // Groq. console.groq.com/docs/structured-outputs (read 2026-11-16): strict schemas for gpt-oss-20b
    // and -120b alone; /docs/reasoning: qwen3 takes `none` and `default`.
    row(Groq, "", Taken, ANY, JSON),
    row(Groq, "openai/gpt-oss", Taken, by(LOW_TO_HIGH), JSON),
    row(Groq, "openai/gpt-oss-20b", Taken, by(LOW_TO_HIGH), FULL),
    row(Groq, "openai/gpt-oss-120b", Taken, by(LOW_TO_HIGH), FULL),
    row(Groq, "openai/gpt-oss-safeguard", Taken, by(LOW_TO_HIGH), JSON),
    row(Groq, "qwen/qwen3", Taken, by(&["none", "default"]), JSON),
    // Moonshot. platform.moonshot.ai as quoted by AgentScope's and promptfoo's provider pages (read
    // 2026-11-16): sampling of kimi-* is fixed by the platform; K2.5 and K2.6 have a switch, K2.7-code
    // and K3 always reason.
    row(Moonshot, "", Left, ANY, JSON),
    row(Moonshot, "moonshot-v1", Taken, FIXED, JSON),
    row(Moonshot, "kimi", OnlyOne, ALWAYS, JSON),
    row(Moonshot, "kimi-k2.5", OnlyOne, KIMI, JSON),
    row(Moonshot, "kimi-k2.6", OnlyOne, KIMI, JSON),
    row(Moonshot, "kimi-k3", OnlyOne, by(&["low", "high", "max"]), JSON),
    // Qwen. Alibaba Model Studio by way of instructorphp's and agno's provider pages (read 2026-11-16):
    // thinking must be off without streaming; schemas for Qwen3.8-Max, JSON mode before.
    row(Qwen, "", Taken, SWITCH, JSON),
    row(Qwen, "qwen3.8-max", Taken, SWITCH, FULL),
    // Zhipu. docs.z.ai by way of @ai-sdk/zai and AgentScope (read 2026-11-16): `json_object` only.
    row(Zhipu, "", Taken, SWITCH, JSON),
    // MiniMax. platform.minimax.io by way of promptfoo and AgentScope (read 2026-11-16): temperature
    // in (0, 1], no promise of JSON; M2 always reasons, M3 has a switch.
    row(MiniMax, "", AboveZero, ANY, PROMPT),
    row(MiniMax, "minimax-m2", AboveZero, ALWAYS, PROMPT),
    row(MiniMax, "minimax-m3", AboveZero, SWITCH, PROMPT),
    // Cohere. docs.cohere.com/docs/compatibility-api and /docs/reasoning (read 2026-11-16).
    row(Cohere, "", Taken, ANY, FULL),
    row(Cohere, "command-a-reasoning", Taken, by(NONE_OR_HIGH), FULL),
    // Cerebras. inference-docs.cerebras.ai/capabilities/structured-outputs (read 2026-11-16).
    row(Cerebras, "", Taken, ANY, FULL),
    row(Cerebras, "gpt-oss", Taken, by(LOW_TO_HIGH), FULL),
    // Ollama. docs.ollama.com/capabilities/thinking (read 2026-11-16): `think` is a switch, for gpt-oss
    // a level.
    row(Ollama, "", Taken, SWITCH, FULL),
    row(Ollama, "gpt-oss", Taken, by(LOW_TO_HIGH), FULL),
    // Hosts of open weights and own servers: gpt-oss by its model card (2025-08-05).
    row(OpenWeights, "", Taken, ANY, FULL),
    row(OpenWeights, "gpt-oss", Taken, by(LOW_TO_HIGH), FULL),
    row(OpenWeights, "openai/gpt-oss", Taken, by(LOW_TO_HIGH), FULL),
    row(OpenWeights, "accounts/fireworks/models/gpt-oss", Taken, by(LOW_TO_HIGH), FULL),
    // Bedrock. docs.aws.amazon.com/bedrock, inference-chat-completions (read 2026-11-16).
    row(Bedrock, "", Left, ANY, FULL),
    row(Bedrock, "openai.gpt-oss", Taken, by(LOW_TO_HIGH), FULL),
    row(Compatible, "", Taken, ANY, FULL),
    row(Compatible, "openai/gpt-oss", Taken, by(LOW_TO_HIGH), FULL),
];
