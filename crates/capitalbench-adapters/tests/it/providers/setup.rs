//! Providers that must not come about, and what is shown of those that do.

use std::fmt::Write as _;

use capitalbench_adapters::http::BaseUrlError;
use capitalbench_adapters::provider::{
    Anthropic, Family, Google, Host, Ollama, OpenAi, RemoteModel, Settings, SetupError, XAi, check,
};
use capitalbench_core::asking::call_settings::{CallSettings, ReasoningSetting};

use super::{KEY, hides_key, http, key, openai_compatible, question, schema, settings};
use crate::fake_server::{FakeServer, Reply};

fn compatible(url: &str, host: Host) -> Result<RemoteModel<Host>, SetupError> {
    let settings = settings(Family::Compatible, "m");
    RemoteModel::new(host, http(), url, key(), settings)
}

/// Settings of a model with this about its calls.
fn with(family: Family, model: &str, calls: CallSettings) -> Settings {
    settings(family, model).with_calls(calls)
}

fn routed(only: &[&str]) -> CallSettings {
    CallSettings {
        routing: only.iter().map(|&name| name.to_owned()).collect(),
        ..CallSettings::default()
    }
}

fn reasoning(setting: ReasoningSetting) -> CallSettings {
    CallSettings {
        reasoning: Some(setting),
        ..CallSettings::default()
    }
}

fn effort(word: &str) -> CallSettings {
    reasoning(ReasoningSetting::Effort(word.to_owned()))
}

#[test]
fn openrouter_needs_a_routing_pin() {
    let host = "openrouter.ai";
    let asks = |wire: &Host, calls| check(wire, host, &with(Family::Compatible, "m", calls));
    for only in [&[][..], &[" "]] {
        let found = asks(&Host::OpenRouter, routed(only));
        assert_eq!(found, Err(SetupError::NoRoutingPin));
    }
    // Nor is there a way around it by another name.
    let pinned = routed(&["anthropic"]);
    assert_eq!(
        asks(&Host::Other, pinned.clone()),
        Err(SetupError::NoRoutingPin)
    );
    let found = check(&OpenAi, host, &settings(Family::OpenAi, "m"));
    assert_eq!(found, Err(SetupError::NoRoutingPin));
    assert_eq!(asks(&Host::OpenRouter, pinned.clone()), Ok(()));
    // Elsewhere a list of hosts would promise what nobody keeps.
    let elsewhere = with(Family::Groq, "m", pinned);
    let found = check(&Host::Groq, "api.groq.com", &elsewhere);
    assert_eq!(found, Err(SetupError::NoRouter));
}

#[test]
fn hugging_face_needs_a_host_after_the_name() {
    let asks = |model: &str| {
        let settings = settings(Family::OpenWeights, model);
        check(&Host::HuggingFace, "router.huggingface.co", &settings)
    };
    for model in ["zai-org/GLM-5", "zai-org/GLM-5:fastest", "zai-org/GLM-5:"] {
        let found = asks(model).expect_err("no host").to_string();
        assert!(found.ends_with("as zai-org/GLM-5:HOST"), "{found}");
    }
    assert_eq!(asks("zai-org/GLM-5:novita"), Ok(()));
}

#[test]
fn fireworks_answers_no_long_reply_without_streaming() {
    let asks = |tokens| {
        let calls = CallSettings {
            max_output_tokens: Some(tokens),
            ..CallSettings::default()
        };
        let settings = with(Family::OpenWeights, "m", calls);
        check(&Host::Fireworks, "api.fireworks.ai", &settings)
    };
    assert_eq!(asks(4_096), Ok(()));
    assert_eq!(
        asks(4_097).expect_err("too long").to_string(),
        "fireworks answers at most 4096 tokens without streaming, which the program does not use; \
         set max_output_tokens to 4096 or less"
    );
}

#[test]
fn models_with_tools_of_their_own_are_refused() {
    for model in [
        "gpt-4o-search-preview",
        "o3-deep-research",
        "grok-4.20-multi-agent",
    ] {
        let settings = settings(Family::OpenAi, model);
        let found = RemoteModel::new(OpenAi, http(), OpenAi::DEFAULT_BASE_URL, key(), settings);
        let model = model.to_owned();
        assert_eq!(found.err(), Some(SetupError::UsesTools { model }));
    }
}

/// A provider, a model, settings, and why they are refused.
#[rustfmt::skip]
const REFUSED: &[(&str, &str, &str, &str)] = &[
    (
        "openai",
        "gpt-5.5",
        r#"{"reasoning": {"effort": "minimal"}}"#,
        "gpt-5.5 does not take the reasoning effort minimal; it takes: none, low, medium, high, xhigh",
    ),
    (
        "openai",
        "gpt-5-pro",
        r#"{"reasoning": {"effort": "low"}}"#,
        "gpt-5-pro does not take the reasoning effort low; it takes: high",
    ),
    (
        "openai",
        "gpt-4.1",
        r#"{"reasoning": {"effort": "low"}}"#,
        "gpt-4.1 does not take the reasoning effort low; it takes none",
    ),
    (
        "openai",
        "o3",
        r#"{"reasoning": "off"}"#,
        "o3 does not take the setting reasoning: off; it always reasons; it takes: low, medium, high",
    ),
    (
        "openai",
        "unheard-of",
        r#"{"reasoning": {"budget": 1024}}"#,
        "unheard-of does not take the setting reasoning: budget 1024; requests to openai have no field for it",
    ),
    (
        "openai",
        "gpt-6-sol",
        r#"{"temperature": 0.0}"#,
        "gpt-6-sol does not take the temperature 0; it takes none: write temperature: omit, or leave it out",
    ),
    (
        "openai",
        "gpt-5.5",
        r#"{"temperature": 0.0, "reasoning": {"effort": "high"}}"#,
        "gpt-5.5 does not take the temperature 0; it takes a temperature only without reasoning: write reasoning: off or temperature: omit",
    ),
    (
        "anthropic",
        "claude-opus-4-8",
        r#"{"reasoning": {"budget": 2048}}"#,
        "claude-opus-4-8 does not take the setting reasoning: budget 2048; it takes: low, medium, high, xhigh, max",
    ),
    (
        "anthropic",
        "claude-fable-5-1",
        r#"{"reasoning": "off"}"#,
        "claude-fable-5-1 does not take the setting reasoning: off; it always reasons; it takes: low, medium, high, xhigh, max",
    ),
    (
        "anthropic",
        "claude-haiku-4-5",
        r#"{"reasoning": "on"}"#,
        "claude-haiku-4-5 does not take the setting reasoning: on; give a budget, as reasoning: {budget: TOKENS}",
    ),
    (
        "anthropic",
        "claude-opus-5",
        r#"{"schema_mode": "json"}"#,
        "anthropic has no JSON mode; write schema_mode: full or schema_mode: none",
    ),
    (
        "google",
        "gemini-2.5-pro",
        r#"{"reasoning": {"budget": 64}}"#,
        "gemini-2.5-pro does not take a reasoning budget of 64 tokens; it takes 128 to 32768",
    ),
    (
        "moonshot",
        "kimi-k2.6",
        r#"{"temperature": 0.0}"#,
        "kimi-k2.6 does not take the temperature 0; it takes only 1: write temperature: omit, or leave it out",
    ),
    (
        "minimax",
        "MiniMax-M3",
        r#"{"temperature": 0.0}"#,
        "MiniMax-M3 does not take the temperature 0; it takes more than 0: write a small number such as 0.01, or temperature: omit",
    ),
];

#[test]
fn a_setting_that_would_be_refused_is_not_tried() {
    for (wire, model, calls, expected) in REFUSED {
        let calls: CallSettings = serde_json::from_str(calls).expect("settings");
        let of = |family| settings(family, model).with_calls(calls.clone());
        let found = match *wire {
            "openai" => check(&OpenAi, "", &of(Family::OpenAi)),
            "anthropic" => check(&Anthropic, "", &of(Family::Anthropic)),
            "google" => check(&Google, "", &of(Family::Google)),
            "moonshot" => check(&Host::Moonshot, "", &of(Family::Moonshot)),
            _ => check(&Host::MiniMax, "", &of(Family::MiniMax)),
        };
        assert_eq!(found.expect_err(expected).to_string(), *expected);
    }
}

#[test]
fn what_the_table_does_not_know_may_be_tried() {
    let openai = check(&OpenAi, "", &with(Family::OpenAi, "gpt-7", effort("tiny")));
    let haiku = with(Family::Anthropic, "claude-mythos-5", effort("max"));
    let budget = reasoning(ReasoningSetting::Budget(777));
    let gemini = with(Family::Google, "gemini-2.5-flash", budget.clone());
    let kimi = with(Family::Compatible, "moonshotai/kimi-k2.5", effort("high"));
    let ollama = with(
        Family::Ollama,
        "qwen3.5:4b",
        reasoning(ReasoningSetting::On),
    );
    let router = CallSettings {
        routing: vec!["novita".to_owned()],
        ..budget
    };
    let deepseek = with(Family::Compatible, "deepseek/deepseek-v4", router);
    assert_eq!(openai, Ok(()));
    assert_eq!(check(&Anthropic, "", &haiku), Ok(()));
    assert_eq!(check(&Google, "", &gemini), Ok(()));
    assert_eq!(check(&Host::Other, "", &kimi), Ok(()));
    assert_eq!(check(&Ollama, "", &ollama), Ok(()));
    assert_eq!(check(&Host::OpenRouter, "openrouter.ai", &deepseek), Ok(()));
}

#[test]
fn an_invalid_base_url_is_refused_and_not_repeated_in_the_error() {
    for (url, expected) in [
        ("", BaseUrlError::NotHttp),
        ("api.openai.com", BaseUrlError::NotHttp),
        ("file:///etc/hosts", BaseUrlError::NotHttp),
        ("https://a:hidden@b.example", BaseUrlError::HoldsMore),
        ("https://b.example/?key=hidden", BaseUrlError::HoldsMore),
        ("https://b.example/#hidden", BaseUrlError::HoldsMore),
        ("http://b.example/hidden", BaseUrlError::InClear),
    ] {
        let error = compatible(url, Host::Other).expect_err("refused");
        assert!(!error.to_string().contains("hidden"));
        assert_eq!(error, SetupError::BaseUrl(expected), "{url}");
    }
}

#[test]
fn no_provider_prints_its_key() {
    let url = "http://127.0.0.1:1";
    let shown = [
        format!(
            "{:?}",
            RemoteModel::new(OpenAi, http(), url, key(), settings(Family::OpenAi, "a"))
        ),
        format!(
            "{:?}",
            RemoteModel::new(
                Anthropic,
                http(),
                url,
                key(),
                settings(Family::Anthropic, "a")
            )
        ),
        format!(
            "{:?}",
            RemoteModel::new(Google, http(), url, key(), settings(Family::Google, "a"))
        ),
        format!(
            "{:#?}",
            RemoteModel::new(XAi, http(), url, key(), settings(Family::XAi, "a"))
        ),
        format!("{:#?}", compatible(url, Host::Vllm)),
    ];
    for text in shown {
        assert!(text.contains("ApiKey(…)"), "{text}");
        hides_key(&text);
    }
}

/// What a panic about a value would print: its message, and every cause below it.
fn panic_text<T: std::fmt::Debug, E: std::error::Error + 'static>(result: Result<T, E>) -> String {
    let mut text = String::new();
    if let Err(error) = &result {
        let mut cause: Option<&dyn std::error::Error> = Some(error);
        while let Some(error) = cause {
            let _ = writeln!(text, "{error} {error:?} {error:#?}");
            cause = error.source();
        }
    }
    let broken = std::panic::AssertUnwindSafe(|| {
        let value = result.expect("a panic about an error");
        panic!("{value:?} {value:#?}");
    });
    let payload = std::panic::catch_unwind(broken).expect_err("a panic");
    text + payload.downcast_ref::<String>().expect("a message")
}

#[tokio::test]
async fn a_panic_about_any_of_it_shows_no_key() {
    let body = format!("{{\"error\": {{\"message\": \"no such key: {KEY}\", \"code\": 401}}}}");
    let cut = Reply::json(&body).cut(20);
    let html = Reply::new("200 OK", "text/html", &[], body.as_bytes());
    let refused = Reply::new("401 No", "application/json", &[], body.as_bytes());
    let told = format!("x-request-id: {KEY}");
    let good = openai_compatible::complete(&format!("the key is {KEY}")).to_string();
    let good = Reply::new("200 OK", "application/json", &[&told], good.as_bytes());
    for reply in [Reply::raw("nonsense"), cut, html, refused, good] {
        let server = FakeServer::start(vec![reply]);
        let provider = openai_compatible::make(&server.url());
        let schema = schema();
        let sent = provider.send(question(&schema)).await;
        hides_key(&panic_text(sent.clone()));
        hides_key(&panic_text(sent.and_then(|answer| provider.read(&answer))));
    }
    let url = format!("http://{KEY}@127.0.0.1:1");
    hides_key(&panic_text(compatible(&url, Host::Other)));
    hides_key(&panic_text(compatible("http://127.0.0.1:1", Host::Other)));
    let key = key().expect("a key");
    let printed: Result<_, std::fmt::Error> = Ok((key.clone(), Some(&key)));
    hides_key(&panic_text(printed));
}
