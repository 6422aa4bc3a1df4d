
use super::*;

fn wait(headers: &[(&str, &str)]) -> Option<f64> {
    let headers: Vec<(String, String)> = headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    wait_for_allowance(&headers).map(|wait| wait.as_secs_f64())
}

#[test]
fn a_used_up_allowance_sets_the_wait() {
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
