//! What is asked again, how often and after which wait.

use std::time::{Duration, Instant};

use capitalbench_adapters::price_source::{PriceError, PriceSource as _, RetryPolicy};

use crate::fake_server::{FakeServer, Reply};
use crate::tiingo::{FROM, ROWS, TO, expected, limits, source};
use crate::tiingo_faults::assert_hides_key;

const HOURLY: &str = r#"{"detail":"Error: You have run over your hourly request allocation."}"#;

fn quick() -> RetryPolicy {
    RetryPolicy {
        delays: vec![Duration::from_millis(1); 2],
        longest_wait: Duration::from_millis(50),
    }
}

/// The outcome and the number of questions.
async fn tries(replies: Vec<Reply>) -> (Option<PriceError>, usize) {
    let server = FakeServer::start(replies);
    let source = source(&server.url(), limits(), quick());
    let error = match source.answer("SPY", FROM, TO).await {
        Ok(history) => {
            assert_eq!(history.rows, expected());
            None
        }
        Err(error) => {
            assert_hides_key(&error);
            Some(error)
        }
    };
    (error, server.questions().len())
}

fn limited(body: &str, headers: &[&str]) -> Reply {
    let status = "429 Too Many Requests";
    Reply::new(status, "application/json", headers, body.as_bytes())
}

#[tokio::test]
async fn what_passes_is_asked_again() {
    for passing in [
        Reply::status("500 Internal Server Error", ""),
        Reply::status("503 Unavailable", ""),
        Reply::new("503 Unavailable", "text/plain", &["Retry-After: 0.01"], b""),
        Reply::raw(""),
        Reply::json(ROWS).cut(10),
        limited("", &[]),
        limited("", &["Retry-After: 0"]),
        limited(HOURLY, &["Retry-After: 0.01"]),
    ] {
        let (error, asked) = tries(vec![passing.clone(), passing, Reply::json(ROWS)]).await;
        assert_eq!((error, asked), (None, 3));
    }
}

#[tokio::test]
async fn what_does_not_pass_is_asked_once() {
    let wait = ["Retry-After: 3600"];
    for lasting in [
        Reply::status("404 Not Found", r#"{"detail":"Not found."}"#),
        Reply::status("403 Forbidden", "None"),
        Reply::json("[]"),
        Reply::json(r#"[{"date":"2026-08-13","close":1}]"#),
        Reply::new("200 OK", "text/html", &[], b"<html>"),
        Reply::new("302 Found", "text/plain", &["Location: /"], b""),
        limited(HOURLY, &[]),
        limited(HOURLY, &wait),
        limited("", &wait),
        Reply::new("503 Unavailable", "text/plain", &wait, b""),
    ] {
        let (error, asked) = tries(vec![lasting.clone()]).await;
        assert!(error.is_some(), "{lasting:?}");
        assert_eq!(asked, 1, "{lasting:?}");
    }
}

#[tokio::test]
async fn tries_are_bounded_and_the_last_fault_is_returned() {
    let first = Reply::status("500 Internal Server Error", "first");
    let last = Reply::status("502 Bad Gateway", "last");
    let (error, asked) = tries(vec![first.clone(), first, last]).await;
    assert_eq!(asked, 3);
    assert_eq!(
        error.map(|error| error.to_string()),
        Some(r#"tiingo failed on its side for SPY (status 502, "last"); try again later"#.into())
    );
}

#[tokio::test]
async fn a_wait_longer_than_allowed_is_left_to_the_caller() {
    let begin = Instant::now();
    let (error, asked) = tries(vec![limited(HOURLY, &["Retry-After: 1800"])]).await;
    assert_eq!(asked, 1);
    assert!(begin.elapsed() < Duration::from_mins(1));
    let wait = error.and_then(|error| error.retry_after());
    assert_eq!(wait, Some(Duration::from_mins(30)));
}

#[tokio::test]
async fn the_wait_a_server_asks_for_is_kept() {
    let begin = Instant::now();
    let (error, asked) = tries(vec![limited("", &["Retry-After: 0.04"]), Reply::json(ROWS)]).await;
    assert_eq!((error, asked), (None, 2));
    assert!(begin.elapsed() >= Duration::from_millis(40));
}

#[test]
fn the_default_is_bounded() {
    let policy = RetryPolicy::default();
    assert_eq!(policy.delays, [1, 2, 4].map(Duration::from_secs));
    assert_eq!(policy.longest_wait, Duration::from_mins(1));
    assert!(RetryPolicy::none().delays.is_empty());
}
