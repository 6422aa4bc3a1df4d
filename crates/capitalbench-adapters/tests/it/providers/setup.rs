//! Providers that must not come about, and what is shown of those that do.

use capitalbench_adapters::provider::{
    Anthropic, Family, Google, Host, OpenAi, OpenAiCompatible, SetupError, XAi,
};

use super::{hides_key, http, key, settings};

fn compatible(url: &str, host: Host) -> Result<OpenAiCompatible, SetupError> {
    let settings = settings(Family::Compatible, "m");
    OpenAiCompatible::new(http(), url, key(), settings, host)
}

#[test]
fn openrouter_needs_a_routing_pin() {
    let url = "https://openrouter.ai/api/v1";
    for only in [vec![], vec![" ".to_owned()]] {
        let found = compatible(url, Host::OpenRouter { only });
        assert_eq!(found.err(), Some(SetupError::NoRoutingPin));
    }
    // Nor is there a way around it by another name.
    assert_eq!(
        compatible(url, Host::Other).err(),
        Some(SetupError::NoRoutingPin)
    );
    let only = vec!["anthropic".to_owned()];
    assert!(compatible(url, Host::OpenRouter { only }).is_ok());
}

#[test]
fn models_with_tools_of_their_own_are_refused() {
    for model in [
        "gpt-4o-search-preview",
        "o3-deep-research",
        "grok-4.20-multi-agent",
    ] {
        let settings = settings(Family::OpenAi, model);
        let found = OpenAi::new(http(), OpenAi::DEFAULT_BASE_URL, key(), settings);
        let model = model.to_owned();
        assert_eq!(found.err(), Some(SetupError::UsesTools { model }));
    }
}

#[test]
fn an_effort_that_would_be_refused_is_not_tried() {
    let mut settings = settings(Family::OpenAi, "gpt-5.5");
    settings.reasoning_effort = Some("minimal".to_owned());
    let found = OpenAi::new(http(), OpenAi::DEFAULT_BASE_URL, key(), settings);
    assert_eq!(
        found.expect_err("an effort refused").to_string(),
        "gpt-5.5 does not take the reasoning effort minimal; it takes: none, low, medium, high, \
         xhigh"
    );
}

#[test]
fn an_address_that_is_none_or_holds_more_is_refused_without_repeating_it() {
    for (url, expected) in [
        ("", SetupError::NotHttp),
        ("api.openai.com", SetupError::NotHttp),
        ("file:///etc/hosts", SetupError::NotHttp),
        ("https://a:hidden@b.example", SetupError::HoldsMore),
        ("https://b.example/?key=hidden", SetupError::HoldsMore),
        ("https://b.example/#hidden", SetupError::HoldsMore),
    ] {
        let error = compatible(url, Host::Other).expect_err("refused");
        assert!(!error.to_string().contains("hidden"));
        assert_eq!(error, expected, "{url}");
    }
}

#[test]
fn nobody_prints_a_key() {
    let url = "http://127.0.0.1:1";
    let shown = [
        format!(
            "{:?}",
            OpenAi::new(http(), url, key(), settings(Family::OpenAi, "a"))
        ),
        format!(
            "{:?}",
            Anthropic::new(http(), url, key(), settings(Family::Anthropic, "a"))
        ),
        format!(
            "{:?}",
            Google::new(http(), url, key(), settings(Family::Google, "a"))
        ),
        format!(
            "{:#?}",
            XAi::new(http(), url, key(), settings(Family::XAi, "a"))
        ),
        format!("{:#?}", compatible(url, Host::Vllm)),
    ];
    for text in shown {
        assert!(text.contains("ApiKey(…)"), "{text}");
        hides_key(&text);
    }
}
