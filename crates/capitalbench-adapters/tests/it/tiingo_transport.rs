//! What goes wrong on the way to Tiingo and back.

use std::net::TcpListener;
use std::time::Duration;

use capitalbench_adapters::price_source::{PriceFault, PriceSource as _};

use crate::fake_server::{FakeServer, Reply};
use crate::tiingo::{FROM, ROWS, TO, gzip, limits, source};
use crate::tiingo_faults::{assert_hides_key, check, fault};

#[tokio::test]
async fn slow_answers_end_at_the_timeout() {
    let silent = Reply::raw("");
    let head_only = Reply::json(ROWS).cut(ROWS.len());
    let half = Reply::json(ROWS).cut(ROWS.len() / 2);
    let zipped = gzip(ROWS);
    let encoding = ["Content-Encoding: gzip"];
    let half_zipped = Reply::new("200 OK", "application/json", &encoding, &zipped).cut(20);
    for reply in [silent, head_only, half, half_zipped] {
        let server = FakeServer::start(vec![reply.then_hang()]);
        let mut limits = limits();
        limits.total_timeout = Duration::from_millis(200);
        let source = source(&server.url(), limits);
        let error = source.answer("SPY", FROM, TO).await.expect_err("a fault");
        assert_hides_key(&error);
        assert_eq!(
            error.to_string(),
            "tiingo sent no complete answer for SPY within 200 ms; try again, or allow more time"
        );
    }
}

#[tokio::test]
async fn cut_off_answers_are_recognised() {
    let expected = "the answer of tiingo for SPY was cut off; try again";
    check(Reply::raw(""), expected).await;
    check(Reply::raw("HTTP/1.1 200 OK\r\nContent-Ty"), expected).await;
    check(Reply::json(ROWS).cut(40), expected).await;
    // The length is right, but whoever wrote the body was interrupted.
    check(Reply::json(&ROWS[..ROWS.len() - 40]), expected).await;
    let zipped = gzip(ROWS);
    let encoding = ["Content-Encoding: gzip"];
    let whole = Reply::new("200 OK", "application/json", &encoding, &zipped);
    check(whole.cut(20), expected).await;
    let short = &zipped[..zipped.len() - 20];
    let short = Reply::new("200 OK", "application/json", &encoding, short);
    check(short, expected).await;
    let chunked = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\
                   Transfer-Encoding: chunked\r\n\r\n5\r\n[{\"da\r\n";
    check(Reply::raw(chunked), expected).await;
}

#[tokio::test]
async fn broken_http_is_not_taken_for_a_cut() {
    let encoding = ["Content-Encoding: gzip"];
    let not_zipped = Reply::new("200 OK", "application/json", &encoding, ROWS.as_bytes());
    let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n[]\r\n0\r\n\r\n";
    for reply in [
        Reply::raw("220 mail.example ESMTP ready\r\n\r\n"),
        Reply::raw(chunks),
        not_zipped,
    ] {
        let error = fault(reply).await;
        assert!(
            matches!(error.fault, PriceFault::Garbled { .. }),
            "{error:?}"
        );
        let text = error.to_string();
        assert!(
            text.starts_with("the answer of tiingo for SPY breaks the rules of HTTP ("),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let target = FakeServer::start(vec![Reply::json(ROWS)]);
    let location = format!("Location: {}/elsewhere", target.url());
    let reply = Reply::new("302 Found", "text/plain", &[&location], b"");
    check(
        reply,
        "tiingo points to another address for SPY (status 302), which the program does not \
         follow because the key would go with it; correct the base URL",
    )
    .await;
    assert!(target.questions().is_empty());
}

#[tokio::test]
async fn a_refused_connection_says_so() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("its address");
    drop(listener);
    let source = source(&format!("http://{address}"), limits());
    let error = source.answer("SPY", FROM, TO).await.expect_err("a fault");
    assert_hides_key(&error);
    assert!(error.concerns_every_symbol());
    assert_eq!(
        error.to_string(),
        "tiingo cannot be reached: Connection refused (os error 111); check the network and the \
         base URL, then try again"
    );
}
