//! Tiingo's answers when all is well, and the means the other tests share.

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

use capitalbench_adapters::http::{HttpClient, HttpLimits, Reach};
use capitalbench_adapters::price_source::{DailyClose, PriceError, PriceSource, Tiingo};
use capitalbench_adapters::secret::ApiKey;
use flate2::{Compression, write::GzEncoder};
use jiff::civil::{Date, date};

use crate::fake_server::{FakeServer, Reply};

/// A key that cannot be overlooked.
pub(crate) const KEY: &str = "recognisable0key1that2must3never4appear";

pub(crate) const FROM: Date = date(2026, 8, 13);
pub(crate) const TO: Date = date(2026, 8, 20);

/// Two sessions as Tiingo writes them, with a dividend on the second.
pub(crate) const ROWS: &str = r#"[{"date":"2026-08-13T00:00:00.000Z","close":529.55,"high":535.8,"low":527.88,"open":532.6,"volume":1327870,"adjClose":528.05,"adjHigh":534.3,"adjLow":526.4,"adjOpen":531.1,"adjVolume":1327870,"divCash":0.0,"splitFactor":1.0},{"date":"2026-08-14T00:00:00.000Z","close":530.0,"high":531.0,"low":529.0,"open":530.0,"volume":900000,"adjClose":530.0,"adjHigh":531.0,"adjLow":529.0,"adjOpen":530.0,"adjVolume":900000,"divCash":1.5,"splitFactor":1.0}]"#;

pub(crate) fn limits() -> HttpLimits {
    HttpLimits {
        connect_timeout: Duration::from_secs(20),
        total_timeout: Duration::from_secs(20),
        body_bytes: 1 << 20,
        reach: Reach::Local,
    }
}

pub(crate) fn source(base_url: &str, limits: HttpLimits) -> Tiingo {
    let key = ApiKey::new(KEY.to_owned()).expect("a usable key");
    let http = HttpClient::new(limits).expect("a client");
    Tiingo::new(http, base_url, key).expect("a usable address")
}

/// What one reply leads to, from one question.
pub(crate) async fn answer(reply: Reply) -> Result<Vec<DailyClose>, PriceError> {
    let server = FakeServer::start(vec![reply]);
    let source = source(&server.url(), limits());
    Ok(source.answer("SPY", FROM, TO).await?.rows)
}

/// The two sessions of [`ROWS`].
pub(crate) fn expected() -> Vec<DailyClose> {
    vec![
        DailyClose {
            date: date(2026, 8, 13),
            close: Some(529.55),
            adjusted: Some(528.05),
            volume: Some(1_327_870.0),
            dividend: Some(0.0),
            split: Some(1.0),
        },
        DailyClose {
            date: date(2026, 8, 14),
            close: Some(530.0),
            adjusted: Some(530.0),
            volume: Some(900_000.0),
            dividend: Some(1.5),
            split: Some(1.0),
        },
    ]
}

pub(crate) fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).expect("memory");
    encoder.finish().expect("memory")
}

#[tokio::test]
async fn one_question_is_asked_with_the_key_in_a_header() {
    let server = FakeServer::start(vec![Reply::json(ROWS)]);
    let source = source(&server.url(), limits());
    assert_eq!(source.name(), "tiingo");
    assert_eq!(source.stored_label(), "tiingo_eod");
    let history = source.answer("SPY", FROM, TO).await.expect("rows");
    assert_eq!(history.rows, expected());

    let questions = server.questions();
    assert_eq!(questions.len(), 1);
    let lines: Vec<&str> = questions[0].lines().collect();
    assert_eq!(
        lines[0],
        "GET /tiingo/daily/SPY/prices?startDate=2026-08-13&endDate=2026-08-20 HTTP/1.1"
    );
    let header = |name: &str| {
        let value = |line: &&str| line.to_lowercase().starts_with(&format!("{name}: "));
        lines
            .iter()
            .find(|line| value(line))
            .map(|line| &line[name.len() + 2..])
    };
    assert_eq!(header("authorization"), Some(&*format!("Token {KEY}")));
    assert_eq!(header("accept"), Some("application/json"));
    assert_eq!(header("user-agent"), Some("capitalbench/0.1.0"));
    assert_eq!(header("accept-encoding"), Some("gzip"));
    assert_eq!(questions[0].matches(KEY).count(), 1);
}

#[tokio::test]
async fn compressed_and_chunked_bodies_are_read() {
    let zipped = gzip(ROWS);
    let encoding = ["Content-Encoding: gzip"];
    let whole = Reply::new("200 OK", "application/json", &encoding, &zipped);
    assert_eq!(answer(whole).await, Ok(expected()));

    let chunked = |header: &str, body: &[u8]| {
        let mut bytes = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\n{header}\
             Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        )
        .into_bytes();
        for part in body.chunks(100) {
            bytes.extend(format!("{:x}\r\n", part.len()).bytes());
            bytes.extend(part);
            bytes.extend(b"\r\n");
        }
        bytes.extend(b"0\r\n\r\n");
        Reply::raw(bytes)
    };
    assert_eq!(answer(chunked("", ROWS.as_bytes())).await, Ok(expected()));
    let both = chunked("Content-Encoding: gzip\r\n", &zipped);
    assert_eq!(answer(both).await, Ok(expected()));
}

#[tokio::test]
async fn rows_come_back_in_the_order_of_their_days() {
    let (first, second) = ROWS.split_once("},{").expect("two rows");
    let reversed = format!(
        "[{{{}}},{{{}}}]",
        second.trim_end_matches("}]"),
        &first[2..]
    );
    assert!(reversed.find("08-14") < reversed.find("08-13"));
    assert_eq!(answer(Reply::json(&reversed)).await, Ok(expected()));
}

#[tokio::test]
async fn days_are_taken_as_written_and_unneeded_fields_may_be_missing() {
    let mut rows = String::new();
    for day in [
        "2026-08-13",
        "2026-08-14T00:00:00+00:00",
        "2026-08-17T00:00:00.000Z",
        "2026-08-18T23:59:59-10:00",
    ] {
        let row = format!(r#"{{"date":"{day}","close":1,"adjClose":2,"new":null}},"#);
        rows.write_str(&row).expect("memory");
    }
    let body = format!("\n [{}] ", rows.trim_end_matches(','));
    let rows = answer(Reply::json(&body)).await.expect("four rows");
    let days: Vec<String> = rows.iter().map(|row| row.date.to_string()).collect();
    assert_eq!(
        days,
        ["2026-08-13", "2026-08-14", "2026-08-17", "2026-08-18"]
    );
    assert!(
        rows.iter()
            .all(|row| row.split.is_none() && row.volume.is_none())
    );
}

#[tokio::test]
async fn a_source_can_be_chosen_at_run_time_and_used_from_several_tasks() {
    let server = FakeServer::start(vec![Reply::json(ROWS)]);
    let tiingo = source(&server.url(), limits());
    let chosen: Box<dyn PriceSource> = Box::new(tiingo);
    let (one, two) = tokio::join!(
        chosen.answer("SPY", FROM, TO),
        chosen.answer("QQQ", FROM, TO)
    );
    for history in [one, two] {
        assert_eq!(history.expect("rows").rows, expected());
    }
    assert_eq!(server.questions().len(), 2);
}

#[tokio::test]
async fn a_pair_is_asked_at_the_endpoint_of_its_own_and_has_one_bar_a_day() {
    let bars = r#"[{"ticker":"btcusd","baseCurrency":"btc","quoteCurrency":"usd","priceData":[
        {"date":"2026-08-13T00:00:00+00:00","open":1.0,"high":3.0,"low":1.0,"close":2.5,"volume":7.5,"volumeNotional":18.75,"tradesDone":9.0},
        {"date":"2026-08-21T00:00:00+00:00","open":2.5,"high":3.0,"low":1.0,"close":2.0,"volume":7.5,"volumeNotional":15.0,"tradesDone":9.0}
    ]}]"#;
    let server = FakeServer::start(vec![Reply::json(bars)]);
    let source = source(&server.url(), limits());
    let history = source.answer("BTC-USD", FROM, TO).await.expect("rows");
    let day = DailyClose {
        date: FROM,
        close: Some(2.5),
        adjusted: Some(2.5),
        volume: Some(7.5),
        dividend: Some(0.0),
        split: Some(1.0),
    };
    // The bar of the day after was sent too, and was not asked for.
    assert_eq!(history.rows, [day]);
    let head = server.questions().remove(0);
    assert!(
        head.contains(
            "/tiingo/crypto/prices?tickers=btcusd&startDate=2026-08-13&endDate=2026-08-21&resampleFreq=1day"
        ),
        "{head}"
    );
}

#[tokio::test]
async fn an_answer_about_another_pair_or_another_hour_is_refused() {
    for (body, part) in [
        ("[]", "does not know"),
        (
            r#"[{"ticker":"ethusd","priceData":[]}]"#,
            "in place of btcusd",
        ),
        (
            r#"[{"ticker":"btcusd","priceData":[{"date":"2026-08-13T05:00:00+00:00","close":2.5}]}]"#,
            "2026-08-13T05:00:00",
        ),
    ] {
        let server = FakeServer::start(vec![Reply::json(body)]);
        let source = source(&server.url(), limits());
        let error = source.answer("BTC-USD", FROM, TO).await.expect_err(body);
        assert!(error.to_string().contains(part), "{error}");
    }
}
