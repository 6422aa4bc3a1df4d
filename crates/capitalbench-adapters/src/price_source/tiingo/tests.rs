use jiff::civil::date;

use super::*;
use crate::http::{HttpLimits, Reach};

fn source(base_url: &str) -> Result<Tiingo, BaseUrlError> {
    within(Reach::Local, base_url)
}

fn within(reach: Reach, base_url: &str) -> Result<Tiingo, BaseUrlError> {
    let limits = HttpLimits::default();
    let http = HttpClient::new(HttpLimits { reach, ..limits }).unwrap();
    Tiingo::new(http, base_url, ApiKey::new("abc".to_owned()).unwrap())
}

#[test]
fn the_url_is_the_documented_one_and_holds_no_key() {
    let question = Question {
        symbol: "BRK-B",
        from: date(2026, 8, 13),
        to: date(2026, 8, 20),
    };
    let tail = "/tiingo/daily/BRK-B/prices?startDate=2026-08-13&endDate=2026-08-20";
    for (base, prefix) in [
        (Tiingo::DEFAULT_BASE_URL, Tiingo::DEFAULT_BASE_URL),
        ("http://127.0.0.1:81", "http://127.0.0.1:81"),
        ("http://127.0.0.1:81/", "http://127.0.0.1:81"),
        ("https://gate.example/a/b/", "https://gate.example/a/b"),
    ] {
        let url = source(base).unwrap().url(question);
        assert_eq!(url.as_str(), format!("{prefix}{tail}"));
    }
}

#[test]
fn an_invalid_base_url_is_refused_and_not_repeated_in_the_error() {
    for (text, expected) in [
        ("", BaseUrlError::NotHttp),
        ("api.tiingo.com", BaseUrlError::NotHttp),
        ("file:///etc/hosts", BaseUrlError::NotHttp),
        ("https://a:hidden@b.example", BaseUrlError::HoldsMore),
        ("https://b.example/?token=hidden", BaseUrlError::HoldsMore),
        ("https://b.example/#hidden", BaseUrlError::HoldsMore),
        ("http://api.tiingo.com", BaseUrlError::InClear),
    ] {
        let error = source(text).unwrap_err();
        assert_eq!(error, expected, "{text}");
        assert!(!error.to_string().contains("hidden"));
    }
}

#[test]
fn a_private_address_is_refused_unless_allowed() {
    for text in [
        "http://127.0.0.1:81",
        "http://localhost",
        "http://[fd00::1]/x",
    ] {
        let error = within(Reach::Public, text).unwrap_err();
        assert_eq!(error, BaseUrlError::Private, "{text}");
        assert!(
            error
                .to_string()
                .contains("CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES")
        );
    }
    let metadata = source("http://169.254.169.254/latest").unwrap_err();
    assert_eq!(metadata, BaseUrlError::Private);
}

#[test]
fn a_source_does_not_print_its_key() {
    let source = Tiingo::new(
        HttpClient::new(HttpLimits::default()).unwrap(),
        Tiingo::DEFAULT_BASE_URL,
        ApiKey::new("recognisable".to_owned()).unwrap(),
    );
    assert!(!format!("{source:?}").contains("recognisable"));
}
