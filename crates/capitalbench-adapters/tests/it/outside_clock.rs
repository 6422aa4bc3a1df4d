//! Time stamp authorities and calendars: what is sent, what is handed on, what is refused.

use std::time::Duration;

use capitalbench_adapters::http::{HttpClient, HttpError};
use capitalbench_adapters::outside_clock::{ClockUrl, ask_authority, ask_calendar};

use crate::fake_server::{FakeServer, Reply};
use crate::tiingo::limits;

const PATIENCE: Duration = Duration::from_secs(20);

fn client() -> HttpClient {
    HttpClient::new(limits()).expect("a client")
}

fn url(server: &FakeServer, path: &str) -> ClockUrl {
    format!("{}{path}", server.url()).parse().expect("a URL")
}

#[tokio::test]
async fn an_authority_gets_the_query_and_its_reply_comes_back_as_it_is() {
    let reply = [0x30, 0x00, 0xff, 0x80];
    let kind = "application/timestamp-reply";
    let server = FakeServer::start(vec![Reply::new("200 OK", kind, &[], &reply)]);
    let answer = ask_authority(
        &client(),
        &url(&server, "/tsr"),
        b"query".to_vec(),
        PATIENCE,
    )
    .await;
    assert_eq!(answer.as_deref(), Ok(&reply[..]));
    let asked = &server.questions()[0];
    assert!(asked.starts_with("POST /tsr HTTP/1.1"), "{asked}");
    let head = asked.to_ascii_lowercase();
    assert!(
        head.contains("content-type: application/timestamp-query\r\n"),
        "{head}"
    );
    assert!(
        head.contains("accept: application/timestamp-reply\r\n"),
        "{head}"
    );
    assert!(asked.ends_with("query"), "{asked}");
}

#[tokio::test]
async fn an_address_where_clouds_keep_credentials_is_not_asked() {
    let url: ClockUrl = "http://169.254.169.254/tsr".parse().expect("a URL");
    let asked = ask_authority(&client(), &url, b"query".to_vec(), PATIENCE).await;
    assert!(
        matches!(asked, Err(HttpError::NotAsked { .. })),
        "{asked:?}"
    );
}

#[tokio::test]
async fn a_calendar_is_asked_below_its_address() {
    let server = FakeServer::start(vec![Reply::new("200 OK", "text/plain", &[], b"proof")]);
    let answer = ask_calendar(&client(), &url(&server, "/pool/"), &[b'd'; 32], PATIENCE).await;
    assert_eq!(answer.as_deref(), Ok(&b"proof"[..]));
    let asked = &server.questions()[0];
    assert!(asked.starts_with("POST /pool/digest HTTP/1.1"), "{asked}");
    assert!(asked.ends_with(&"d".repeat(32)), "{asked}");
}

#[tokio::test]
async fn refusals_redirects_and_floods_are_errors() {
    for (reply, code) in [
        (Reply::status("503 Service Unavailable", "later"), 503),
        (
            Reply::new(
                "302 Found",
                "text/plain",
                &["Location: http://127.0.0.1:1/"],
                b"",
            ),
            302,
        ),
    ] {
        let server = FakeServer::start(vec![reply]);
        let answer = ask_authority(&client(), &url(&server, "/"), Vec::new(), PATIENCE).await;
        assert!(
            matches!(answer, Err(HttpError::Status { code: found, .. }) if found == code),
            "{answer:?}"
        );
    }
    let flood = vec![b'x'; (256 << 10) + 1];
    for bytes in [&flood[1..], &flood] {
        let server = FakeServer::start(vec![Reply::new("200 OK", "text/plain", &[], bytes)]);
        let answer = ask_authority(&client(), &url(&server, "/"), Vec::new(), PATIENCE).await;
        let told = answer
            .map(|answer| answer.len())
            .map_err(|error| error.to_string());
        let expected = if bytes.len() < flood.len() {
            Ok(bytes.len())
        } else {
            Err("the answer is larger than 262144 bytes".to_owned())
        };
        assert_eq!(told, expected);
    }
}

#[test]
fn only_bare_addresses_of_the_web_are_asked() {
    for text in [
        "freetsa.org/tsr",
        "ftp://x/",
        "https://u:p@x/",
        "https://x/?k=1",
        "https://x/#a",
    ] {
        let error = text.parse::<ClockUrl>().expect_err(text).to_string();
        assert!(
            error.contains("must look like https://freetsa.org/tsr"),
            "{error}"
        );
    }
}
