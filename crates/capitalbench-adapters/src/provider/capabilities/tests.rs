use super::*;

use Family::{
    Anthropic, Bedrock, Cerebras, Cohere, Compatible, DeepSeek, Google, Groq, MiniMax, Mistral,
    Moonshot, Ollama, OpenAi, OpenWeights, Qwen, XAi, Zhipu,
};
use Temperature::{AboveZero, Left, OnlyOne, Refused, Taken, WithoutReasoning};

/// A model, its temperature, its efforts (`?` where nothing is known), what is asked for unasked
/// (`-` for nothing), and its schema mode.
type Line = (
    Family,
    &'static str,
    Temperature,
    &'static str,
    &'static str,
    &'static str,
);

/// What the makers' pages and kits of 16 November 2026 say, written down apart from the table.
#[rustfmt::skip]
const LIST: &[Line] = &[
    // developers.openai.com/api/docs: guides/reasoning, models/*; openai-python 3.3.1 (2026-08-21).
    (OpenAi, "gpt-4.1-mini", Taken, "", "-", "full"),
    (OpenAi, "gpt-4o-2024-08-06", Taken, "", "-", "full"),
    (OpenAi, "o3", Refused, "low medium high", "effort low", "full"),
    (OpenAi, "o4-mini-2025-04-16", Refused, "low medium high", "effort low", "full"),
    (OpenAi, "gpt-5-2025-08-07", Refused, "minimal low medium high", "effort minimal", "full"),
    (OpenAi, "gpt-5-mini", Refused, "minimal low medium high", "effort minimal", "full"),
    (OpenAi, "gpt-5-pro", Refused, "high", "effort high", "full"),
    (OpenAi, "gpt-5-codex", Refused, "low medium high", "effort low", "full"),
    (OpenAi, "gpt-5-chat-latest", Left, "?", "-", "full"),
    (OpenAi, "gpt-5.1", WithoutReasoning, "none low medium high", "effort none", "full"),
    (OpenAi, "gpt-5.1-codex-max", Refused, "low medium high xhigh", "effort low", "full"),
    (OpenAi, "gpt-5.1-chat-latest", Left, "?", "-", "full"),
    (OpenAi, "gpt-5.2", WithoutReasoning, "none low medium high xhigh", "effort none", "full"),
    (OpenAi, "gpt-5.2-pro", Refused, "medium high xhigh", "effort medium", "full"),
    (OpenAi, "gpt-5.3-codex", Refused, "low medium high xhigh", "effort low", "full"),
    (OpenAi, "gpt-5.4-pro", Refused, "medium high xhigh", "effort medium", "none"),
    (OpenAi, "gpt-5.5", WithoutReasoning, "none low medium high xhigh", "effort none", "full"),
    (OpenAi, "gpt-5.5-pro", Refused, "medium high xhigh", "effort medium", "none"),
    (OpenAi, "gpt-5.6-sol", Refused, "none low medium high xhigh max", "effort low", "full"),
    (OpenAi, "gpt-6.1-sol", Refused, "none low medium high xhigh max", "effort low", "full"),
    (OpenAi, "gpt-5.10", Refused, "minimal low medium high", "effort minimal", "full"),
    (OpenAi, "unheard-of", Left, "?", "-", "full"),
    // platform.claude.com/docs: models/*/overview, whats-new-opus-5, migration guides.
    (Anthropic, "claude-3-7-sonnet-20250219", WithoutReasoning, "", "off", "none"),
    (Anthropic, "claude-haiku-4-5", WithoutReasoning, "", "off", "full"),
    (Anthropic, "claude-opus-4-5-20251101", WithoutReasoning, "low medium high", "off", "full"),
    (Anthropic, "claude-opus-4-6", WithoutReasoning, "low medium high max", "off", "full"),
    (Anthropic, "claude-sonnet-4-6", WithoutReasoning, "low medium high max", "off", "full"),
    (Anthropic, "claude-opus-4-7", Refused, "low medium high xhigh max", "effort low", "full"),
    (Anthropic, "claude-opus-4-8", Refused, "low medium high xhigh max", "effort low", "full"),
    (Anthropic, "claude-opus-5", Refused, "low medium high xhigh max", "effort low", "full"),
    (Anthropic, "claude-opus-5-5", Refused, "low medium high xhigh max", "effort low", "full"),
    (Anthropic, "claude-sonnet-5-5", Refused, "low medium high xhigh max", "effort low", "full"),
    (Anthropic, "claude-haiku-5-5", Refused, "low medium high xhigh max", "effort low", "full"),
    (Anthropic, "claude-fable-5-1", Refused, "low medium high xhigh max", "effort low", "full"),
    (Anthropic, "claude-mythos-5", Left, "?", "-", "full"),
    // ai.google.dev/gemini-api/docs/thinking; docs.cloud.google.com model pages.
    (Google, "gemini-2.5-flash", Taken, "", "off", "full"),
    (Google, "gemini-2.5-flash-lite", Taken, "", "off", "full"),
    (Google, "gemini-2.5-pro", Taken, "", "budget 128", "full"),
    (Google, "gemini-3.1-pro-preview", Left, "low medium high", "effort low", "full"),
    (Google, "gemini-3-flash-preview", Left, "minimal low medium high", "effort minimal", "full"),
    (Google, "gemini-3.5-flash", Left, "minimal low medium high", "effort minimal", "full"),
    (Google, "gemini-3.5-flash-lite", Refused, "minimal low medium high", "effort minimal", "full"),
    (Google, "gemini-3.6-flash", Refused, "minimal low medium high", "effort minimal", "full"),
    (Google, "gemini-3.8-flash", Refused, "low medium high", "effort low", "full"),
    // docs.x.ai/developers/model-capabilities/text/reasoning.
    (XAi, "grok-4.3", Taken, "none low medium high xhigh", "effort none", "full"),
    (XAi, "grok-4.5", Taken, "low medium high", "effort low", "full"),
    (XAi, "grok-4.7", Taken, "low medium high xhigh", "effort low", "full"),
    (XAi, "grok-4.20-reasoning", Taken, "", "-", "full"),
    // api-docs.deepseek.com: guides/json_mode, guides/thinking_mode.
    (DeepSeek, "deepseek-chat", WithoutReasoning, "low medium high xhigh max", "off", "json"),
    (DeepSeek, "deepseek-reasoner", WithoutReasoning, "low medium high xhigh max", "off", "json"),
    (DeepSeek, "deepseek-flash", WithoutReasoning, "low medium high xhigh max", "off", "json"),
    (DeepSeek, "deepseek-v4-pro", WithoutReasoning, "low medium high xhigh max", "off", "json"),
    // docs.mistral.ai; console.groq.com/docs/structured-outputs and /reasoning.
    (Mistral, "mistral-large-2512", Taken, "?", "-", "full"),
    (Mistral, "mistral-medium-3.5", Taken, "none high", "-", "full"),
    (Groq, "openai/gpt-oss-20b", Taken, "low medium high", "effort low", "full"),
    (Groq, "openai/gpt-oss-120b", Taken, "low medium high", "effort low", "full"),
    (Groq, "openai/gpt-oss-safeguard-20b", Taken, "low medium high", "effort low", "json"),
    (Groq, "llama-3.3-70b-versatile", Taken, "?", "-", "json"),
    (Groq, "qwen/qwen3-32b", Taken, "none default", "effort none", "json"),
    // platform.moonshot.ai; Alibaba Model Studio; docs.z.ai; platform.minimax.io.
    (Moonshot, "kimi-k2.5", OnlyOne, "", "off", "json"),
    (Moonshot, "kimi-k2.7-code", OnlyOne, "?", "-", "json"),
    (Moonshot, "kimi-k3", OnlyOne, "low high max", "effort low", "json"),
    (Moonshot, "moonshot-v1-128k", Taken, "", "-", "json"),
    (Qwen, "qwen-plus", Taken, "?", "off", "json"),
    (Qwen, "qwen3.8-max", Taken, "?", "off", "full"),
    (Zhipu, "glm-5.2", Taken, "?", "off", "json"),
    (MiniMax, "MiniMax-M2.7", AboveZero, "?", "-", "none"),
    (MiniMax, "MiniMax-M3", AboveZero, "?", "off", "none"),
    // docs.cohere.com; inference-docs.cerebras.ai; docs.ollama.com; docs.aws.amazon.com/bedrock.
    (Cohere, "command-a-03-2025", Taken, "?", "-", "full"),
    (Cohere, "command-a-reasoning-08-2025", Taken, "none high", "effort none", "full"),
    (Cerebras, "gpt-oss-120b", Taken, "low medium high", "effort low", "full"),
    (Ollama, "gpt-oss:20b", Taken, "low medium high", "effort low", "full"),
    (Ollama, "qwen3.5:4b", Taken, "?", "off", "full"),
    (OpenWeights, "openai/gpt-oss-120b", Taken, "low medium high", "effort low", "full"),
    (OpenWeights, "Qwen/Qwen3-8B", Taken, "?", "-", "full"),
    (Bedrock, "openai.gpt-oss-120b-1:0", Taken, "low medium high", "effort low", "full"),
    (Bedrock, "us.openai.gpt-6-sol", Left, "?", "-", "full"),
    // openrouter.ai/docs/use-cases/reasoning-tokens: a router passes on what the maker takes.
    (Compatible, "anthropic/claude-opus-4.8", Refused, "low medium high xhigh max", "effort low", "full"),
    (Compatible, "google/gemini-2.5-flash", Taken, "?", "-", "full"),
    (Compatible, "openai/gpt-5.6-sol", Refused, "none low medium high xhigh max", "effort low", "full"),
    (Compatible, "openai/gpt-oss-120b", Taken, "low medium high", "effort low", "full"),
    (Compatible, "deepseek/deepseek-v4-flash", WithoutReasoning, "?", "-", "json"),
    (Compatible, "moonshotai/kimi-k2.6", OnlyOne, "?", "-", "json"),
    (Compatible, "m-1", Taken, "?", "-", "full"),
];

#[test]
fn the_table_says_what_the_makers_pages_say() {
    for (family, model, temperature, efforts, unset, schema) in LIST {
        let found = Capabilities::of(*family, model);
        assert_eq!(found.temperature, *temperature, "{model}");
        let listed = found.efforts.map(|words| words.join(" "));
        assert_eq!(listed.as_deref().unwrap_or("?"), *efforts, "{model}");
        let asked = found.unset.map(|setting| setting.to_string());
        assert_eq!(asked.as_deref().unwrap_or("-"), *unset, "{model}");
        assert_eq!(found.schema.as_str(), *schema, "{model}");
    }
}

#[test]
fn every_row_of_the_table_is_on_the_list() {
    for row in ROWS.iter().filter(|row| !row.start.is_empty()) {
        let used = |line: &&Line| {
            let model = line.1.to_ascii_lowercase();
            line.0 == row.family
                && super::row(line.0, &model).is_some_and(|at| at.start == row.start)
        };
        // Neighbours with the same values stand for each other.
        let same = |line: &&Line| {
            line.0 == row.family && Capabilities::of(line.0, line.1) == row.capabilities()
        };
        let listed = LIST.iter().any(|line| used(&line) || same(&line));
        assert!(listed, "{:?} {}", row.family, row.start);
    }
}

#[test]
fn an_unknown_model_gets_no_effort() {
    for family in [
        OpenAi,
        Anthropic,
        Google,
        XAi,
        Compatible,
        OpenWeights,
        Bedrock,
    ] {
        let found = Capabilities::of(family, "x");
        assert_eq!((found.efforts, found.unset), (None, None), "{family:?}");
    }
}

#[test]
fn who_can_be_asked_without_reasoning_is_known() {
    for (model, off) in [
        ("claude-opus-4-8", Off::Omission),
        ("claude-opus-5", Off::Written),
        ("claude-haiku-5-5", Off::Written),
        ("claude-opus-5-5", Off::Never),
        ("claude-sonnet-5-5", Off::Never),
        ("claude-fable-5", Off::Never),
    ] {
        assert_eq!(Capabilities::of(Anthropic, model).off, off, "{model}");
    }
    assert_eq!(
        Capabilities::of(Google, "gemini-2.5-pro").budgets,
        Some(128..=32_768)
    );
}

#[test]
fn models_with_tools_of_their_own_are_recognised() {
    for model in [
        "gpt-4o-search-preview",
        "groq/compound-mini",
        "a/b:online",
        "perplexity/sonar-pro",
    ] {
        assert!(uses_tools_by_itself(model), "{model}");
    }
    assert!(!uses_tools_by_itself("gpt-5.6-sol"));
}
