//! The public store over HTTP: which key goes where, what is repeated, and what is told.

use std::time::Duration;

use capitalbench_adapters::http::{HttpClient, HttpError};
use capitalbench_adapters::secret::ApiKey;
use capitalbench_adapters::supabase::{Patience, Supabase, SupabaseError};
use serde_json::json;

use crate::fake_server::{FakeServer, Reply};
use crate::tiingo::limits;

const KEY: &str = "sb_secret_recognisable5key7must3never9show";

fn store(server: &FakeServer, key: &str) -> Supabase {
    store_within(server, key, Duration::from_secs(20))
}

/// The same with a limit for each call.
fn store_within(server: &FakeServer, key: &str, time_limit: Duration) -> Supabase {
    let http = HttpClient::new(limits()).expect("a client");
    let key = ApiKey::new(key.to_owned()).expect("a key");
    let store = Supabase::new(http, &server.url(), key).expect("an address");
    store.with_patience(Patience {
        tries: 4,
        first_wait: Duration::from_millis(1),
        time_limit,
    })
}

#[tokio::test]
async fn only_a_token_travels_as_a_token() {
    let server = FakeServer::start(vec![Reply::json("{}")]);
    let token = format!("eyJ{}", "x".repeat(40));
    for key in [KEY, &token] {
        let called = store(&server, key).call("f", &json!({"a": 1})).await;
        assert_eq!(called, Ok(json!({})));
    }
    let asked = server.questions();
    assert!(
        asked[0].starts_with("POST /rest/v1/rpc/f HTTP/1.1"),
        "{}",
        asked[0]
    );
    assert!(asked[0].contains(&format!("apikey: {KEY}")), "{}", asked[0]);
    assert!(
        !asked[0].to_lowercase().contains("authorization"),
        "{}",
        asked[0]
    );
    assert!(asked[0].ends_with("{\"a\":1}"), "{}", asked[0]);
    assert!(
        asked[1].contains(&format!("apikey: {token}")),
        "{}",
        asked[1]
    );
    assert!(
        asked[1].contains(&format!("authorization: Bearer {token}")),
        "{}",
        asked[1]
    );
}

#[tokio::test]
async fn pages_are_asked_for_until_nothing_comes() {
    let replies = ["[{\"n\":1},{\"n\":2}]", "[{\"n\":3}]", "[]"].map(Reply::json);
    let server = FakeServer::start(replies.to_vec());
    let query = [("select", "n"), ("order", "n")];
    let store = store(&server, KEY);
    let rows = store.rows_in_pages("t", &query, 20).await;
    let rows = rows.expect("rows");
    assert_eq!(rows, [json!({"n": 1}), json!({"n": 2}), json!({"n": 3})]);
    let offsets: Vec<bool> = server
        .questions()
        .iter()
        .zip([
            "limit=20&offset=0 ",
            "limit=20&offset=2 ",
            "limit=20&offset=3 ",
        ])
        .map(|(asked, offset)| asked.contains(offset))
        .collect();
    assert_eq!(offsets, [true; 3]);
}

/// A fault comes twice and then the whole answer; the same is asked three times.
async fn retried(fault: Reply, time_limit: Duration) {
    let whole = Reply::json("{\"written\":1}");
    let server = FakeServer::start(vec![fault.clone(), fault.clone(), whole]);
    let store = store_within(&server, KEY, time_limit);
    let called = store.call("f", &json!({})).await;
    assert_eq!(called, Ok(json!({"written": 1})), "{fault:?}");
    let asked = server.questions();
    assert_eq!(asked.len(), 3, "{fault:?}");
    let body = |asked: &String| asked.rsplit("\r\n\r\n").next().map(str::to_owned);
    assert_eq!(body(&asked[0]), body(&asked[2]), "the same is sent again");
}

#[tokio::test]
async fn transient_failures_are_retried() {
    let whole = Reply::json("{\"written\":1}");
    let limited = Reply::new(
        "429 Too Many Requests",
        "text/plain",
        &["Retry-After: 0"],
        b"slow",
    );
    for fault in [
        Reply::status("500 Internal Server Error", "{}"),
        Reply::status("503 Service Unavailable", "gone"),
        limited,
        whole.cut(4),
        Reply::raw(""),
    ] {
        retried(fault, Duration::from_secs(20)).await;
    }
    retried(Reply::raw("").then_hang(), Duration::from_secs(2)).await;
}

#[tokio::test]
async fn permanent_failures_stop_and_do_not_show_the_key() {
    let body = format!("{{\"message\":\"no {KEY}\",\"code\":\"42501\"}}");
    let server = FakeServer::start(vec![Reply::status("500 Oops", &body)]);
    let failed = store(&server, KEY).call("f", &json!({})).await;
    assert_eq!(server.questions().len(), 4);
    let failed = failed.expect_err("an error");
    assert!(
        matches!(
            &failed,
            SupabaseError::Http(HttpError::Status { code: 500, .. })
        ),
        "{failed:?}"
    );
    assert!(!format!("{failed} {failed:?}").contains(KEY));

    for status in [
        "401 Unauthorized",
        "404 Not Found",
        "400 Bad Request",
        "302 Found",
    ] {
        let server = FakeServer::start(vec![Reply::status(status, &body)]);
        let refused = store(&server, KEY).call("f", &json!({})).await;
        assert_eq!(server.questions().len(), 1, "a refusal is final");
        let Err(SupabaseError::Refused { code, message, .. }) = refused else {
            panic!("{status}: {refused:?}");
        };
        assert_eq!(code.as_deref(), Some("42501"));
        assert_eq!(message, "no …");
    }
    let garbage = FakeServer::start(vec![Reply::json("not json")]);
    let refused = store(&garbage, KEY).call("f", &json!({})).await;
    assert!(
        matches!(refused, Err(SupabaseError::Unreadable(_))),
        "{refused:?}"
    );
}

#[tokio::test]
async fn objects_go_in_come_back_and_go() {
    let bytes = [0x1f, 0x8b, 0x00, 0xff];
    let server = FakeServer::start(vec![
        Reply::json("{\"Key\":\"b/r/x.tar.gz\"}"),
        Reply::new("200 OK", "application/octet-stream", &[], &bytes),
        Reply::json("[]"),
    ]);
    let store = store(&server, KEY);
    store
        .upload("b", "r/x.tar.gz", &bytes)
        .await
        .expect("an upload");
    assert_eq!(
        store.download("b", "r/x.tar.gz").await.as_deref(),
        Ok(&bytes[..])
    );
    store
        .remove("b", &["r/x.tar.gz".to_owned()])
        .await
        .expect("gone");
    let asked = server.questions();
    assert!(
        asked[0].starts_with("POST /storage/v1/object/b/r/x.tar.gz "),
        "{}",
        asked[0]
    );
    assert!(asked[0].contains("x-upsert: true"), "{}", asked[0]);
    assert!(
        asked[1].starts_with("GET /storage/v1/object/public/b/r/x.tar.gz "),
        "{}",
        asked[1]
    );
    assert!(
        asked[2].starts_with("DELETE /storage/v1/object/b "),
        "{}",
        asked[2]
    );
    assert!(
        asked[2].ends_with("{\"prefixes\":[\"r/x.tar.gz\"]}"),
        "{}",
        asked[2]
    );
}

#[test]
fn addresses_that_could_hold_a_key_are_refused() {
    for address in [
        "",
        "ftp://x",
        "https://u:p@x.co",
        "https://x.co/?apikey=1",
        "data:x",
        "http://x.co",
        "http://169.254.169.254",
    ] {
        let http = HttpClient::new(limits()).expect("a client");
        let key = ApiKey::new(KEY.to_owned()).expect("a key");
        assert!(Supabase::new(http, address, key).is_err(), "{address}");
    }
}

#[tokio::test]
async fn a_statement_at_its_time_limit_is_not_repeated() {
    let body = r#"{"code":"57014","details":null,"hint":null,"message":"canceling statement due to statement timeout"}"#;
    let server = FakeServer::start(vec![Reply::status("500 Internal Server Error", body)]);
    let failed = store(&server, KEY).call("f", &json!({})).await;
    assert_eq!(server.questions().len(), 1, "it would take as long again");
    let Err(SupabaseError::Refused {
        status,
        code,
        message,
    }) = failed
    else {
        panic!("{failed:?}");
    };
    assert_eq!((status, code.as_deref()), (500, Some("57014")));
    assert_eq!(message, "canceling statement due to statement timeout");
}

#[tokio::test]
async fn a_paused_project_is_named_and_not_asked_again() {
    let page = "<html>Project paused</html>";
    let server = FakeServer::start(vec![Reply::status("540 Project Paused", page)]);
    let store = store(&server, KEY);
    let called = store.call("f", &json!({})).await;
    assert_eq!(called, Err(SupabaseError::Paused));
    assert_eq!(store.download("b", "o").await, Err(SupabaseError::Paused));
    assert_eq!(server.questions().len(), 2, "once for each request");
}

#[tokio::test]
async fn a_thousand_names_at_most_are_removed_at_once() {
    let server = FakeServer::start(vec![Reply::json("[]")]);
    let names: Vec<String> = (0..2_001).map(|n| format!("r/{n}.tar.gz")).collect();
    let store = store(&server, KEY);
    store.remove("b", &names).await.expect("gone");
    let removed: Vec<Vec<String>> = server
        .questions()
        .iter()
        .map(|asked| {
            let body = asked.rsplit("\r\n\r\n").next().expect("a body");
            let body: serde_json::Value = serde_json::from_str(body).expect("JSON");
            serde_json::from_value(body["prefixes"].clone()).expect("names")
        })
        .collect();
    let counts: Vec<usize> = removed.iter().map(Vec::len).collect();
    assert_eq!(counts, [1_000, 1_000, 1]);
    assert_eq!(removed.concat(), names);
    store.remove("b", &[]).await.expect("nothing to do");
    assert_eq!(server.questions().len(), 3);
}
