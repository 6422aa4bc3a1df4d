use super::*;
use proptest::prelude::*;

/// Requested name, served name: the same model.
const SAME: &[(&str, &str)] = &[
    ("gpt-5", "gpt-5"),
    ("gpt-5", "GPT-5"),
    ("gpt-5.2", "gpt-5.2-2025-12-11"),
    ("gpt-5.4", "gpt-5.4-2026-03-05"),
    ("gpt-5.5", "gpt-5.5-2026-04-23"),
    ("gpt-5-mini", "gpt-5-mini-2025-08-07"),
    ("gpt-4", "gpt-4-0613"),
    ("gpt-4o", "gpt-4o-2024-08-06"),
    ("o3", "o3-2025-04-16"),
    ("claude-haiku-4-5", "claude-haiku-4-5-20251001"),
    ("claude-sonnet-4", "claude-sonnet-4-20250514"),
    ("claude-sonnet-4-5", "claude-sonnet-4-5@20250929"),
    ("claude-sonnet-4-5", "claude-sonnet-4-5:20250929"),
    ("claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022"),
    ("mistral-large", "mistral-large-2512"),
    ("mistral-large-latest", "mistral-large-2512"),
    ("mistral-large-latest", "mistral-large-latest"),
    ("magistral-medium", "magistral-medium-2509"),
    ("gemini-2.0-flash", "gemini-2.0-flash-001"),
    ("gemini-2.5-pro", "models/gemini-2.5-pro"),
    ("models/gemini-2.5-pro", "gemini-2.5-pro"),
    ("gemini-2.0-flash", "models/gemini-2.0-flash-001"),
    ("deepseek-r1", "deepseek-r1-0528"),
    ("deepseek-reasoner", "deepseek-reasoner"),
    ("DeepSeek-R1", "deepseek-r1"),
    ("kimi-k2", "kimi-k2-0905"),
    ("grok-4", "grok-4-0709"),
    ("qwen-max", "qwen-max-2025-01-25"),
    ("doubao-seed-1.6", "doubao-seed-1.6-250615"),
    ("command-r", "command-r-03-2024"),
    ("openai/gpt-5", "openai/gpt-5-2025-08-07"),
    ("openai/gpt-5", "gpt-5"),
    ("openai/gpt-5", "gpt-5-2025-08-07"),
    ("gpt-5", "openai/gpt-5"),
    ("x-ai/grok-4", "grok-4-0709"),
    ("x-ai/grok-4", "x-ai/grok-4-07-09"),
    ("gemini-2.5-pro-preview", "gemini-2.5-pro-preview-06-05"),
    ("google/gemini-2.5-pro", "google/gemini-2.5-pro"),
    (
        "mistralai/mistral-small:free",
        "mistralai/mistral-small-2503:free",
    ),
    ("llama3.2", "llama3.2:latest"),
    ("llama3.2:latest", "llama3.2"),
    ("gpt-oss:20b", "gpt-oss:20b"),
    ("gpt-4-0613", "gpt-4-0613"),
    ("claude-haiku-4-5-20251001", "claude-haiku-4-5-20251001"),
    (
        "accounts/fireworks/models/kimi-k2",
        "accounts/fireworks/models/kimi-k2",
    ),
    (
        "accounts/fireworks/models/kimi-k2",
        "accounts/fireworks/models/kimi-k2-0905",
    ),
];

/// Requested name, served name: another model.
const OTHER: &[(&str, &str)] = &[
    ("gpt-5", "gpt-5-mini"),
    ("gpt-5", "gpt-5-nano"),
    ("gpt-5", "gpt-5-mini-2025-08-07"),
    ("gpt-5", "gpt-5-nano-2025-08-07"),
    ("gpt-5", "gpt-5-pro-2025-10-06"),
    ("gpt-5", "gpt-5.1"),
    ("gpt-5", "gpt-5.1-2025-11-13"),
    ("gpt-5", "gpt-5-1"),
    ("gpt-5", "gpt-5-1-2025-11-13"),
    ("gpt-5", "gpt-5-10"),
    ("gpt-5", "gpt-50"),
    ("gpt-5", "gpt-5-codex"),
    ("gpt-5", "gpt-5-chat-latest"),
    ("gpt-5", "gpt"),
    ("gpt-5-mini", "gpt-5"),
    ("gpt-5.6", "gpt-5.6-sol"),
    ("gpt-5.6-sol", "gpt-5.6"),
    ("gpt-4", "gpt-4-1106-preview"),
    ("gpt-4", "gpt-4-32k-0613"),
    ("gpt-4-0613", "gpt-4"),
    ("gpt-4-0613", "gpt-4-1106"),
    ("gpt-4-0613", "gpt-4-0613-2024-01-01"),
    ("gpt-5.2-2025-12-11", "gpt-5.2-2026-01-01"),
    ("gpt-5.2-2025-12-11", "gpt-5.2"),
    ("claude-sonnet-4", "claude-sonnet-4-5"),
    ("claude-sonnet-4", "claude-sonnet-4-5-20250929"),
    ("claude-sonnet-4", "claude-sonnet-4-6"),
    ("claude-sonnet-4-5", "claude-sonnet-4"),
    ("claude-opus-4-7", "claude-sonnet-4-7"),
    ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
    (
        "anthropic/claude-sonnet-4.6",
        "anthropic/claude-4.6-sonnet-20260217",
    ),
    ("anthropic/claude-sonnet-4", "openai/claude-sonnet-4"),
    ("gemini-2.5-flash", "gemini-2.5-flash-lite"),
    ("gemini-2.5-flash", "gemini-2.5-flash-lite-001"),
    ("gemini-2.5", "gemini-2.5-flash"),
    ("gemini-2.5-pro", "gemini-2.5-pro-preview-06-05"),
    (
        "gemini-2.5-pro-preview-05-06",
        "gemini-2.5-pro-preview-06-05",
    ),
    ("gpt-5", "gpt-5-13-01"),
    ("gpt-5", "gpt-5-1-1"),
    ("gpt-5", "gpt-5-4-05"),
    ("gemini-2.0-flash-001", "gemini-2.0-flash-002"),
    ("gemini-flash-latest", "gemini-2.5-flash-preview-09-2025"),
    ("deepseek-reasoner", "deepseek-v4-flash"),
    ("deepseek-v3", "deepseek-v3.1"),
    ("grok-4", "grok-4-fast"),
    ("grok-4", "grok-4-20"),
    ("grok-4", "grok-4.20-0309"),
    ("llama3-70b", "llama3-70b-8192"),
    ("llama3", "llama3:70b"),
    ("llama3:8b", "llama3:70b"),
    ("llama3", "somebody/llama3"),
    ("my-model", "gpt-3.5-turbo"),
    ("mistral-large-latest", "mistral-large"),
    ("mistral-large-latest", "mistral-medium-2508"),
    ("mistral-large", "mistral-large-latest"),
    ("qwen-max", "qwen-max-2025-13-25"),
    ("qwen-max", "qwen-max-2025-02-30"),
    ("qwen-max", "qwen-max-2024"),
    ("qwen-max", "qwen-max-000"),
    ("qwen-max", "qwen-max-128"),
    ("qwen-max", "qwen-max-"),
    ("qwen-max", "qwen-max2512"),
    ("qwen-max", "qwen-max@2512"),
    ("qwen-max", "qwen-max-２５１２"),
    ("qwen-max", ""),
    ("", "2512"),
    ("", "-2512"),
    ("latest", "-2512"),
];

#[test]
fn a_date_or_a_numeric_build_is_the_same_model_and_nothing_else_is() {
    assert!(SAME.len() + OTHER.len() >= 60);
    for (requested, served) in SAME {
        assert!(fits(requested, served, &[]), "{requested} as {served}");
    }
    for (requested, served) in OTHER {
        assert!(!fits(requested, served, &[]), "{requested} as {served}");
    }
}

#[test]
fn a_listed_name_counts_exactly_as_it_is_written() {
    let also = ["gpt-5.6-sol".to_owned(), "deepseek-v4-flash".to_owned()];
    assert!(fits("gpt-5.6", "gpt-5.6-sol", &also));
    assert!(fits("deepseek-reasoner", "deepseek-v4-flash", &also));
    // A build of a listed name is another name, and so is another spelling.
    assert!(!fits("gpt-5.6", "gpt-5.6-sol-2026-07-01", &also));
    assert!(!fits("gpt-5.6", "GPT-5.6-SOL", &also));
    assert!(!fits("gpt-5.6", "gpt-5.6-luna", &also));
}

#[test]
fn the_operator_is_told_what_is_compared() {
    assert_eq!(
        accepted_names("gpt-5.6", &["gpt-5.6".to_owned(), "gpt-5.6-sol".to_owned()]),
        "gpt-5.6, gpt-5.6 with a date or numeric build, gpt-5.6-sol"
    );
    assert_eq!(accepted_names("gpt-4-0613", &[]), "gpt-4-0613");
    assert_eq!(
        served_models_line("anthropic/claude-4.6-sonnet-20260217"),
        "served_models: [anthropic/claude-4.6-sonnet-20260217]"
    );
    assert_eq!(
        served_models_line("a, b]\u{1b}[2J"),
        "served_models: [\"a, b]\\u{1b}[2J\"]"
    );
}

proptest! {
    #[test]
    fn any_names_are_compared_without_a_panic(requested in ".{0,30}", more in ".{0,30}") {
        let _ = fits(&requested, &format!("{requested}{more}"), &[]);
        let _ = fits(&requested, &more, &[]);
        let _ = accepted_names(&requested, &[]);
        let _ = served_models_line(&more);
    }

    /// Whatever is added to a name, letters in it make it another model.
    #[test]
    fn letters_after_a_name_make_another_model(
        name in "[a-z]{2,6}-[1-9]", digits in "[-0-9]{0,10}", word in "[a-km-z]{1,8}", tail in "[-0-9]{0,10}",
    ) {
        let served = format!("{name}{digits}-{word}{tail}");
        prop_assert!(!fits(&name, &served, &[]), "{}", served);
    }

    #[test]
    fn every_date_after_a_name_is_the_same_model(
        name in "[a-z]{2,6}-[1-9]", year in 2020_u32..2039, month in 1_u32..=12, day in 1_u32..=28,
    ) {
        let dashed = format!("{name}-{year}-{month:02}-{day:02}");
        let joined = format!("{name}-{year}{month:02}{day:02}");
        prop_assert!(fits(&name, &dashed, &[]), "{}", dashed);
        prop_assert!(fits(&name, &joined, &[]), "{}", joined);
        // The other way round, another build than the requested one would count.
        prop_assert!(!fits(&dashed, &name, &[]));
        prop_assert!(!fits(&dashed, &joined, &[]));
    }

    #[test]
    fn a_version_after_a_name_is_another_model(
        name in "[a-z]{2,6}-[1-9]", version in 0_u32..100, sign in "[-.]",
    ) {
        let served = format!("{name}{sign}{version}");
        prop_assert!(!fits(&name, &served, &[]), "{}", served);
    }
}
