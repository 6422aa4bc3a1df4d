//! The client's own promises: size, encryption without certificates of the machine, slow errors.

use std::time::Duration;

use capitalbench_adapters::http::HttpLimits;
use capitalbench_adapters::price_source::{PriceError, PriceFault, PriceSource as _};

use crate::fake_server::{FakeServer, Reply};
use crate::tiingo::{FROM, ROWS, TO, expected, gzip, limits, source};
use crate::tiingo_faults::assert_hides_key;

async fn ask(reply: Reply, limits: HttpLimits) -> Result<usize, PriceError> {
    let server = FakeServer::start(vec![reply]);
    let source = source(&server.url(), limits);
    let answer = source.answer("SPY", FROM, TO).await;
    if let Err(error) = &answer {
        assert_hides_key(error);
    }
    answer.map(|history| history.rows.len())
}

#[tokio::test]
async fn a_body_may_fill_the_limit_and_not_a_byte_more() {
    let mut limits = limits();
    limits.body_bytes = ROWS.len();
    assert_eq!(ask(Reply::json(ROWS), limits).await, Ok(expected().len()));
    let error = ask(Reply::json(&format!("{ROWS} ")), limits)
        .await
        .expect_err("a fault");
    let limit = ROWS.len();
    assert_eq!(
        error.to_string(),
        format!(
            "the answer of tiingo for SPY is larger than {limit} bytes; ask for a shorter range"
        )
    );
}

#[test]
fn default_limits_match_the_documentation() {
    let limits = HttpLimits::default();
    assert_eq!(limits.body_bytes, 33_554_432);
    assert_eq!(limits.connect_timeout, Duration::from_secs(10));
    assert_eq!(limits.total_timeout, Duration::from_secs(30));
}

#[tokio::test]
async fn an_answer_with_more_than_a_hundred_headers_is_refused() {
    let reply = |count: usize| {
        let length = format!("Content-Length: {}\r\n", ROWS.len());
        let more = "A: b\r\n".repeat(count - 2);
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n{length}{more}");
        Reply::raw(format!("{head}\r\n{ROWS}"))
    };
    assert_eq!(ask(reply(100), limits()).await, Ok(expected().len()));
    let error = ask(reply(101), limits()).await.expect_err("a fault");
    let text = error.to_string();
    assert!(text.contains("breaks the rules of HTTP"), "{text}");
}

#[tokio::test]
async fn a_small_body_that_unpacks_to_a_large_one_is_stopped() {
    let bomb = gzip(&" ".repeat(8 << 20));
    assert!(bomb.len() < 64 << 10);
    let encoding = ["Content-Encoding: gzip"];
    let reply = Reply::new("200 OK", "application/json", &encoding, &bomb);
    let error = ask(reply, limits()).await.expect_err("a fault");
    assert!(matches!(error.fault, PriceFault::TooLarge { limit } if limit == 1 << 20));
}

#[tokio::test]
async fn a_status_is_not_lost_when_its_body_never_ends() {
    let mut limits = limits();
    limits.total_timeout = Duration::from_secs(2);
    let reply = Reply::status("403 Forbidden", "None").cut(2).then_hang();
    let error = ask(reply, limits).await.expect_err("a fault");
    assert!(matches!(error.fault, PriceFault::KeyRefused), "{error:?}");
}

#[tokio::test]
async fn encryption_needs_nothing_from_the_machine() {
    let server = FakeServer::start(vec![Reply::raw("this is not TLS\r\n\r\n")]);
    let url = server.url().replace("http:", "https:");
    let source = source(&url, limits());
    let error = source.answer("SPY", FROM, TO).await.expect_err("a fault");
    assert_hides_key(&error);
    assert!(
        matches!(error.fault, PriceFault::Unreachable { .. }),
        "{error:?}"
    );
    // The greeting went out encrypted from the first byte: the key was not in it.
    let questions = server.questions();
    assert_eq!(questions.len(), 1);
    assert!(questions[0].starts_with('\u{16}'), "a TLS greeting");
    assert!(!questions[0].contains("Token"));
}
