use super::*;

#[test]
fn the_longest_start_decides() {
    let cases: [(Family, &str, Temperature, Option<&str>); 18] = [
        (OpenAi, "gpt-4.1-mini", Taken, None),
        (OpenAi, "gpt-5-2025-08-07", Refused, Some("minimal")),
        (OpenAi, "gpt-5.5", WithoutReasoning, Some("none")),
        (OpenAi, "gpt-5.6-sol", Refused, Some("low")),
        (OpenAi, "gpt-5.10", Refused, Some("minimal")),
        (OpenAi, "gpt-6.1-sol", Refused, Some("low")),
        (OpenAi, "unheard-of", Refused, None),
        (Anthropic, "claude-opus-4-6", Taken, None),
        (Anthropic, "claude-opus-4-8", Refused, Some("low")),
        (Anthropic, "claude-opus-5-5", Refused, Some("low")),
        (Google, "gemini-2.5-flash", Taken, Some("0")),
        (Google, "gemini-3.1-pro-preview", Taken, Some("low")),
        (XAi, "grok-4.20-reasoning", Taken, None),
        (
            Compatible,
            "anthropic/claude-opus-4.8",
            Refused,
            Some("low"),
        ),
        (Compatible, "google/gemini-2.5-flash", Taken, None),
        (Compatible, "openai/gpt-5.6-sol", Refused, Some("low")),
        (Compatible, "openai/gpt-oss-120b", Taken, Some("low")),
        (
            Compatible,
            "deepseek-v4-pro",
            WithoutReasoning,
            Some("none"),
        ),
    ];
    for (family, model, temperature, lowest) in cases {
        let found = Capabilities::of(family, model);
        assert_eq!(found.temperature, temperature, "{model}");
        assert_eq!(found.efforts.first().map(String::as_str), lowest, "{model}");
    }
}

#[test]
fn an_unknown_model_gets_no_effort() {
    for family in [OpenAi, Anthropic, Google, XAi, Compatible] {
        assert!(Capabilities::of(family, "x").efforts.is_empty());
    }
}

#[test]
fn models_with_tools_of_their_own_are_recognised() {
    for model in ["gpt-4o-search-preview", "groq/compound-mini", "a/b:online"] {
        assert!(uses_tools_by_itself(model), "{model}");
    }
    assert!(!uses_tools_by_itself("gpt-5.6-sol"));
}
