//! Every way Tiingo is known to fail has its own message, and none of them shows the key.

use std::time::Duration;

use capitalbench_adapters::price_source::{PriceError, PriceFault, PriceSource as _};

use crate::fake_server::{FakeServer, Reply};
use crate::tiingo::{FROM, KEY, ROWS, TO, answer, limits, source};

/// The fault a reply leads to, after looking for the key in all it says.
pub(crate) async fn fault(reply: Reply) -> PriceError {
    let error = answer(reply).await.expect_err("a fault");
    assert_hides_key(&error);
    error
}

pub(crate) fn assert_hides_key(error: &PriceError) {
    for text in [
        error.to_string(),
        format!("{error:?}"),
        format!("{error:#?}"),
    ] {
        // Parts of it are looked for, so that no spelling and no cut can hide the rest.
        for part in ["ecognisab", "must3neve"] {
            assert!(KEY.contains(part));
            assert!(!text.to_lowercase().contains(part), "{text}");
        }
    }
}

pub(crate) async fn check(reply: Reply, expected: &str) {
    assert_eq!(fault(reply).await.to_string(), expected);
}

fn text(body: &str) -> Reply {
    Reply::new("200 OK", "text/plain", &[], body.as_bytes())
}

fn row(fields: &str) -> Reply {
    Reply::json(&format!(
        r#"[{{"date":"2026-08-13T00:00:00.000Z",{fields}}}]"#
    ))
}

#[tokio::test]
async fn an_unknown_ticker_is_named() {
    let expected = "tiingo does not know the symbol SPY; check its spelling in the universe \
                    (a share class takes a dash, as in BRK-B)";
    let detail = r#"{"detail":"Error: Ticker 'SPY' not found"}"#;
    check(Reply::status("404 Not Found", detail), expected).await;
    check(Reply::json(detail), expected).await;
    let short = r#"{"detail":"Not found."}"#;
    check(Reply::status("404 Not Found", short), expected).await;
    check(text("Error: Ticker 'SPY' not found"), expected).await;
}

#[tokio::test]
async fn a_bad_key_and_a_missing_key_are_told_apart() {
    let refused = "tiingo refused the API key; check that it is complete and still valid";
    check(Reply::status("403 Forbidden", "None"), refused).await;
    let detail = r#"{"detail":"Invalid token."}"#;
    check(Reply::status("401 Unauthorized", detail), refused).await;
    check(Reply::json(detail), refused).await;
    let missing = "tiingo says that no API key was sent; check that the base URL leads to it and \
                   that nothing in between removes headers";
    let detail = r#"{"detail":"Please supply a token"}"#;
    check(Reply::status("403 Forbidden", detail), missing).await;
}

#[tokio::test]
async fn each_limit_says_what_is_used_up_and_for_how_long() {
    let hourly = r#"{"detail":"Error: You have run over your hourly request allocation. Upgrade"}"#;
    let many = "429 Too Many Requests";
    let limited =
        |headers: &[&str]| Reply::new(many, "application/json", headers, hourly.as_bytes());
    let begin = "tiingo answers no more for now: the requests of this hour are used up; ";
    let silent = format!("{begin}it does not say for how long; try again in the next hour");
    check(limited(&[]), &silent).await;
    check(limited(&["Retry-After: later"]), &silent).await;
    let wait = format!("{begin}it asks to wait 90 s before the next request");
    check(limited(&["Retry-After: 90"]), &wait).await;
    let dated = [
        "Date: Sun, 15 Nov 2026 12:00:00 GMT",
        "Retry-After: Sun, 15 Nov 2026 12:30:00 GMT",
    ];
    let wait = format!("{begin}it asks to wait 30 min before the next request");
    check(limited(&dated), &wait).await;
    let error = fault(limited(&dated)).await;
    let wait = Duration::from_mins(30);
    assert!(
        matches!(error.fault, PriceFault::Limited { retry_after: Some(asked), .. } if asked == wait),
        "{error:?}"
    );
    assert!(error.concerns_every_symbol());

    let daily = "Error: You have run over your daily request allocation.";
    let expected = "tiingo answers no more for now: the requests of this day are used up; \
                    it does not say for how long; try again tomorrow";
    check(text(daily), expected).await;
    check(
        Reply::new(many, "text/plain", &[], daily.as_bytes()),
        expected,
    )
    .await;
    check(
        text("You have run over your 500 symbol look up for this month. Please upgrade."),
        "tiingo answers no more for now: the different symbols of this month are used up; \
         try again next month, or use a larger plan",
    )
    .await;
    check(
        Reply::status(many, ""),
        "tiingo answers no more for now: there were too many requests; \
         it does not say for how long; try again in some minutes",
    )
    .await;
}

#[tokio::test]
async fn success_without_prices_is_a_fault() {
    check(
        text("The service is\n\u{1b}[31mbusy."),
        r#"tiingo answered for SPY with a text in place of prices: "The service is [31mbusy."; if the text asks for nothing, try again later"#,
    )
    .await;
    check(
        Reply::json("[]"),
        "tiingo has no rows for SPY from 2026-08-13 to 2026-08-20; check that the market was open \
         and the symbol listed on these days",
    )
    .await;
    let not_rows = |reason: &str| {
        format!(
            "tiingo answered for SPY with something that is not its list of daily rows: {reason}; \
             check the base URL, or try again later"
        )
    };
    check(Reply::json(""), &not_rows("it is empty")).await;
    let object = r#"{"ticker":"SPY"}"#;
    check(
        Reply::json(object),
        &not_rows(&format!("an object, {object}")),
    )
    .await;
    check(
        Reply::json("[1]"),
        &not_rows("invalid type: integer `1`, expected a daily row at line 1 column 2"),
    )
    .await;
    check(
        row(r#""close":"530","adjClose":530"#),
        &not_rows(r#"invalid type: string "530", expected f64 at line 1 column 49"#),
    )
    .await;
}

#[tokio::test]
async fn a_web_page_is_not_an_answer() {
    let page = b"<!DOCTYPE html><html><body>We are down for maintenance</body></html>";
    let expected = |code: u16| {
        format!(
            "tiingo answered for SPY with a web page (status {code}), as it does during \
             maintenance; try again later, and check the base URL if it stays so"
        )
    };
    check(Reply::new("200 OK", "text/html", &[], page), &expected(200)).await;
    check(
        Reply::new("200 OK", "application/json", &[], page),
        &expected(200),
    )
    .await;
    let gone = Reply::new("404 Not Found", "text/html", &[], page);
    check(gone, &expected(404)).await;
}

#[tokio::test]
async fn a_limit_that_is_sent_as_a_web_page_reads_as_the_limit() {
    for body in [
        &b"Error: You have run over your daily request allocation. Please upgrade."[..],
        b"<html><body>You have run over your daily request allocation.</body></html>",
    ] {
        check(
            Reply::new("200 OK", "text/html", &[], body),
            "tiingo answers no more for now: the requests of this day are used up; it does not say \
             for how long; try again tomorrow",
        )
        .await;
    }
    check(
        Reply::new(
            "200 OK",
            "text/html; charset=utf-8",
            &["retry-after: 60"],
            b"You have run over your 500 symbol look up for this month.",
        ),
        "tiingo answers no more for now: the different symbols of this month are used up; it asks to \
         wait 60 s before the next request",
    )
    .await;
}

#[tokio::test]
async fn another_content_type_is_refused_even_around_good_rows() {
    let expected = |found: &str| {
        format!(
            "tiingo answered for SPY with content of the type \"{found}\" where application/json \
             was asked for; check the base URL"
        )
    };
    for found in ["text/plain", "application/xml"] {
        let reply = Reply::new("200 OK", found, &[], ROWS.as_bytes());
        check(reply, &expected(found)).await;
    }
    let picture = Reply::new("200 OK", "image/PNG", &[], b"PNG");
    check(picture, &expected("image/png")).await;
    let bytes = Reply::new("200 OK", "application/json", &[], b"\xff\xfe[]");
    let not_text = "the answer of tiingo for SPY is not text; check the base URL";
    check(bytes, not_text).await;
}

#[tokio::test]
async fn a_row_without_an_adjusted_close_is_refused() {
    let expected = "tiingo, SPY, row 1: 2026-08-13 has no adjusted close; returns would lose \
                    distributions, so the raw close is not used instead; try again later or use \
                    another source";
    check(row(r#""close":530"#), expected).await;
    check(row(r#""close":530,"adjClose":null"#), expected).await;
}

#[tokio::test]
async fn an_invalid_price_is_refused() {
    check(
        row(r#""close":null,"adjClose":530"#),
        "tiingo, SPY, row 1: 2026-08-13 has no close; a session without a price must have no row",
    )
    .await;
    for (fields, field, found) in [
        (r#""close":0,"adjClose":530"#, "close", "0"),
        (r#""close":530,"adjClose":-1.5"#, "adjusted close", "-1.5"),
        (r#""close":1,"adjClose":1,"splitFactor":0.0"#, "split", "0"),
    ] {
        let expected = format!(
            "tiingo, SPY, row 1: the {field} of 2026-08-13 is {found}, which is not above zero; \
             the row is wrong"
        );
        check(row(fields), &expected).await;
    }
    check(
        row(r#""close":1,"adjClose":1,"divCash":-0.5"#),
        "tiingo, SPY, row 1: the dividend of 2026-08-13 is -0.5, which is below zero; the row is \
         wrong",
    )
    .await;
    for (number, found) in [
        ("NaN", "NaN"),
        ("-Infinity", "Infinity"),
        ("1e999", "a number that is too large"),
    ] {
        let fields = format!(r#""close":{number},"adjClose":1"#);
        let expected = format!(
            "tiingo sent {found} in place of a number for SPY; the program makes up no price; \
             try again later or use another source"
        );
        check(row(&fields), &expected).await;
    }
}

#[tokio::test]
async fn duplicate_foreign_and_invalid_days_are_refused() {
    let rows = |days: [&str; 2]| {
        let row = |day| format!(r#"{{"date":"{day}","close":1,"adjClose":1}}"#);
        Reply::json(&format!("[{},{}]", row(days[0]), row(days[1])))
    };
    check(
        rows(["2026-08-13T00:00:00.000Z", "2026-08-13T00:00:00+00:00"]),
        "tiingo, SPY, row 2: 2026-08-13 appears a second time; nobody can know which row is \
         right, so none is used",
    )
    .await;
    for day in ["2026-08-12", "2026-08-21"] {
        let expected = format!(
            "tiingo, SPY, row 2: {day} is outside the range from 2026-08-13 to 2026-08-20 that \
             was asked for"
        );
        check(rows(["2026-08-13", day]), &expected).await;
    }
    for day in [
        "yesterday",
        "2026-02-30",
        "2026-08-13 16:00",
        "13/08/2026",
        "",
    ] {
        let expected = format!("tiingo, SPY, row 2: \"{day}\" is not a day written YYYY-MM-DD");
        check(rows(["2026-08-13", day]), &expected).await;
    }
}

#[tokio::test]
async fn failures_of_the_server_and_refusals_show_their_status() {
    check(
        Reply::new("500 Internal Server Error", "text/plain", &[], b"boom"),
        r#"tiingo failed on its side for SPY (status 500, "boom"); try again later"#,
    )
    .await;
    check(
        Reply::new("503 Unavailable", "text/html", &[], b"<html>down</html>"),
        "tiingo failed on its side for SPY (status 503); try again later",
    )
    .await;
    check(
        Reply::status("400 Bad Request", r#"{"detail":"bad startDate"}"#),
        r#"tiingo refused the question for SPY (status 400, "{\"detail\":\"bad startDate\"}"); check the symbol, the days and the base URL"#,
    )
    .await;
}

#[tokio::test]
async fn a_failing_server_may_say_how_long_to_wait() {
    for (headers, expected) in [
        (&[][..], None),
        (&["Retry-After: 90"], Some(Duration::from_secs(90))),
    ] {
        let error = fault(Reply::new("503 Unavailable", "text/plain", headers, b"")).await;
        let PriceFault::ServerFailed { retry_after, .. } = error.fault else {
            panic!("{error:?}");
        };
        assert_eq!(retry_after, expected);
    }
}

/// Everything a server can put the key into, in one spelling.
fn echoes(key: &str) -> Vec<Reply> {
    let mut replies = vec![Reply::raw(format!("{key}\r\n{key}: {key}\r\n\r\n"))];
    for body in [
        format!("Token {key} is unknown"),
        format!(r#"{{"detail":"no {key}, no {key}{key}"}}"#),
        format!(r#"[{{"date":"{key}","close":1,"adjClose":1}}]"#),
        format!(r#"[{{"date":"2026-08-13","close":"{key}","adjClose":1}}]"#),
        format!(r#"["{key}"]"#),
        format!("Invalid token. {key}"),
        format!("{}{key}", "x".repeat(190)),
    ] {
        let body = body.as_bytes();
        for status in ["200 OK", "400 Bad Request", "403 Forbidden", "500 Oh"] {
            for content_type in ["application/json", "text/plain", key] {
                replies.push(Reply::new(status, content_type, &[], body));
            }
        }
        let location = format!("Location: /?token={key}");
        replies.push(Reply::new("301 Moved", key, &[&location], body));
        let wait = format!("Retry-After: {key}");
        replies.push(Reply::new("429 Slow", key, &[&wait], body));
    }
    replies
}

#[tokio::test]
async fn a_server_that_repeats_the_key_does_not_reveal_it() {
    let replies: Vec<Reply> = [
        KEY.to_owned(),
        KEY.to_uppercase(),
        KEY.replace('r', "\\u0072"),
        KEY.replace('k', "%6B"),
    ]
    .iter()
    .flat_map(|key| echoes(key))
    .collect();
    let count = replies.len();
    let server = FakeServer::start(replies);
    let source = source(&server.url(), limits());
    for _ in 0..count {
        let error = source.answer("SPY", FROM, TO).await.expect_err("a fault");
        assert_hides_key(&error);
    }
    assert_eq!(server.questions().len(), count);
}
