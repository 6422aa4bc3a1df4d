use super::*;

fn wait(headers: &[(&str, &str)]) -> Option<f64> {
    let headers: Vec<(String, String)> = headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    wait_for_allowance(&headers).map(|wait| wait.as_secs_f64())
}

#[test]
fn only_an_exhausted_rate_limit_causes_a_wait() {
    let left = "x-ratelimit-remaining-requests";
    let reset = "x-ratelimit-reset-requests";
    assert_eq!(wait(&[(left, "1"), (reset, "6m0s")]), None);
    assert_eq!(wait(&[(left, "0"), (reset, "6m0s")]), Some(360.0));
    assert_eq!(wait(&[(left, "0"), (reset, "12ms")]), Some(0.012));
    assert_eq!(wait(&[(left, "0"), (reset, "1.5")]), Some(1.5));
    assert_eq!(wait(&[(left, "0"), (reset, "soon")]), None);
    assert_eq!(wait(&[(left, "0")]), None);
    let both = [
        (left, "0"),
        (reset, "2s"),
        ("x-ratelimit-remaining-tokens", "0"),
        ("x-ratelimit-reset-tokens", "1h1m1s"),
    ];
    assert_eq!(wait(&both), Some(3661.0));
}

#[test]
fn an_instant_is_counted_from_the_answers_own_date() {
    let left = ("anthropic-ratelimit-output-tokens-remaining", "0");
    let reset = (
        "anthropic-ratelimit-output-tokens-reset",
        "2026-11-15T12:01:30Z",
    );
    let date = ("date", "Sun, 15 Nov 2026 12:00:00 GMT");
    assert_eq!(wait(&[left, reset, date]), Some(90.0));
    assert_eq!(wait(&[left, reset]), None);
    let past = ("date", "Sun, 15 Nov 2026 13:00:00 GMT");
    assert_eq!(wait(&[left, reset, past]), Some(0.0));
}

#[test]
fn every_services_names_of_an_allowance_are_understood() {
    let date = ("date", "Sun, 15 Nov 2026 12:00:00 GMT");
    // OpenRouter: milliseconds since 1970. Others: seconds since 1970.
    let router = [
        ("x-ratelimit-limit", "20"),
        ("x-ratelimit-remaining", "0"),
        ("x-ratelimit-reset", "1794744090000"),
        date,
    ];
    assert_eq!(wait(&router), Some(90.0));
    let seconds = [
        ("ratelimit-remaining", "0"),
        ("ratelimit-reset", "1794744090"),
        date,
    ];
    assert_eq!(wait(&seconds), Some(90.0));
    assert_eq!(wait(&router[..3]), None, "no date to count from");
    // Mistral: the span is in the name, with or without a reset.
    let left = "x-ratelimit-remaining-req-minute";
    assert_eq!(wait(&[(left, "717")]), None);
    assert_eq!(wait(&[(left, "0")]), Some(60.0));
    let reset = ("x-ratelimit-reset-req-minute", "7");
    assert_eq!(wait(&[(left, "0"), reset]), Some(7.0));
    let month = ("x-ratelimit-remaining-tokens-month", "0");
    assert_eq!(wait(&[month, reset, (left, "0")]), Some(31.0 * 86_400.0));
    // Cerebras.
    let day = [
        ("x-ratelimit-remaining-requests-day", "0"),
        ("x-ratelimit-reset-requests-day", "33011.382867"),
    ];
    assert_eq!(wait(&day), Some(33_011.382_867));
    // A header about something else that happens to be zero.
    assert_eq!(wait(&[("x-remaining-credits", "0")]), None);
    assert_eq!(
        wait(&[
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", "1e308"),
            date
        ]),
        None
    );
}
