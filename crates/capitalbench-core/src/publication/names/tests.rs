use super::*;

#[test]
fn only_safe_names_are_made() {
    for (id, name) in [
        ("openai-gpt-5-5", Some("GPT-5.5")),
        ("openai-gpt-5-6-sol", Some("GPT-5.6 Sol")),
        ("anthropic-claude-opus-4-7", Some("Claude Opus 4.7")),
        ("anthropic-claude-fable-5", Some("Claude Fable 5")),
        ("google-gemini-3-1-pro", Some("Gemini 3.1 Pro")),
        ("xai-grok-4-3", Some("Grok 4.3")),
        ("openai-gpt-4o", None),
        ("openai-gpt-5-2026-08-01", None),
        ("openai-gpt-5-20260801", None),
        ("openai-gpt-20260801", Some("GPT-20260801")),
        ("mock-amber", None),
        ("local-small", None),
        ("gpt", None),
    ] {
        assert_eq!(name_of(id).as_deref(), name, "{id}");
    }
}

#[test]
fn two_models_of_one_name_keep_their_ids() {
    let ids = ["openai-sol-5", "xai-sol-5", "xai-grok-4"];
    let ids: Vec<ModelId> = ids.iter().map(|id| ModelId::parse(id).unwrap()).collect();
    let names = names_of(&ids);
    assert_eq!(names.values().collect::<Vec<_>>(), ["Grok 4"]);
}
