//! Providers that must not come about, and what is shown of those that do.

use std::fmt::Write as _;

use capitalbench_adapters::http::BaseUrlError;
use capitalbench_adapters::provider::{
    Anthropic, Family, Google, Host, OpenAi, RemoteModel, SetupError, XAi,
};

use super::{KEY, hides_key, http, key, openai_compatible, question, schema, settings};
use crate::fake_server::{FakeServer, Reply};

fn compatible(url: &str, host: Host) -> Result<RemoteModel<Host>, SetupError> {
    let settings = settings(Family::Compatible, "m");
    RemoteModel::new(host, http(), url, key(), settings)
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
        let found = RemoteModel::new(OpenAi, http(), OpenAi::DEFAULT_BASE_URL, key(), settings);
        let model = model.to_owned();
        assert_eq!(found.err(), Some(SetupError::UsesTools { model }));
    }
}

#[test]
fn an_effort_that_would_be_refused_is_not_tried() {
    let mut settings = settings(Family::OpenAi, "gpt-5.5");
    settings.reasoning_effort = Some("minimal".to_owned());
    let found = RemoteModel::new(OpenAi, http(), OpenAi::DEFAULT_BASE_URL, key(), settings);
    assert_eq!(
        found.expect_err("an effort refused").to_string(),
        "gpt-5.5 does not take the reasoning effort minimal; it takes: none, low, medium, high, \
         xhigh"
    );
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
