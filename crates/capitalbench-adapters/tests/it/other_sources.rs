//! Yahoo's chart and Alpha Vantage: good answers, and each way in which they say no.

use capitalbench_adapters::http::HttpClient;
use capitalbench_adapters::price_source::{
    AlphaVantage, History, Limit, PriceError, PriceFault, PriceSource, YahooChart,
};
use capitalbench_adapters::secret::ApiKey;
use capitalbench_core::values::ids::Digest;
use jiff::civil::{Date, date};

use crate::fake_server::{FakeServer, Reply};
use crate::tiingo::{KEY, limits};

const FROM: Date = date(2026, 8, 13);
const TO: Date = date(2026, 8, 14);

/// Two sessions, a session without a close between them, a dividend and a split on the second.
const CHART: &str = r#"{"chart":{"result":[{"meta":{"gmtoffset":-14400,"currency":"USD"},
 "timestamp":[1786627800,1786714200,1786714201],
 "indicators":{"quote":[{"close":[100.0,50.5,null],"volume":[10,20,null]}],"adjclose":[{"adjclose":[49.5,50.5,null]}]},
 "events":{"dividends":{"1786714200":{"amount":0.5,"date":1786714200}},"splits":{"1786714200":{"date":1786714200,"numerator":2,"denominator":1,"splitRatio":"2:1"}}}}],"error":null}}"#;

async fn yahoo(reply: Reply) -> (Result<History, PriceError>, Vec<String>) {
    let server = FakeServer::start(vec![reply]);
    let http = HttpClient::new(limits()).expect("a source");
    let source = YahooChart::new(http, &server.url()).expect("a source");
    (source.answer("SPY", FROM, TO).await, server.questions())
}

async fn alpha(reply: Reply) -> (Result<History, PriceError>, Vec<String>) {
    let server = FakeServer::start(vec![reply]);
    let http = HttpClient::new(limits()).expect("a source");
    let key = ApiKey::new(KEY.to_owned()).expect("a source");
    let source = AlphaVantage::new(http, &server.url(), key).expect("a source");
    (source.answer("SPY", FROM, TO).await, server.questions())
}

#[tokio::test]
async fn a_chart_becomes_rows_of_the_exchanges_days() {
    let (history, questions) = yahoo(Reply::json(CHART)).await;
    let history = history.unwrap();
    let days: Vec<Date> = history.rows.iter().map(|row| row.date).collect();
    assert_eq!(days, [FROM, TO]);
    let last = history.rows[1];
    assert_eq!((last.close, last.adjusted), (Some(50.5), Some(50.5)));
    assert_eq!((last.dividend, last.split), (Some(0.5), Some(2.0)));
    assert_eq!(history.rows[0].split, Some(1.0));
    assert_eq!(history.body, Digest::of(CHART.as_bytes()));
    let head = questions[0].to_lowercase();
    assert!(
        head.contains("/v8/finance/chart/spy?period1=1786492800&period2=1786752000&interval=1d")
    );
    assert!(head.contains("user-agent: mozilla/5.0"), "{head}");
}

#[tokio::test]
async fn an_error_chart_becomes_the_matching_price_fault() {
    let missing = r#"{"chart":{"result":null,"error":{"code":"Not Found","description":"No data found, symbol may be delisted"}}}"#;
    let (unknown, _) = yahoo(Reply::status("404 Not Found", missing)).await;
    assert!(matches!(
        unknown,
        Err(PriceError {
            fault: PriceFault::UnknownSymbol,
            ..
        })
    ));
    let (unknown, _) = yahoo(Reply::json(missing)).await;
    assert!(matches!(
        unknown,
        Err(PriceError {
            fault: PriceFault::UnknownSymbol,
            ..
        })
    ));
    let page = Reply::new("200 OK", "text/html", &[], b"<html>");
    assert!(matches!(
        yahoo(page).await.0,
        Err(PriceError {
            fault: PriceFault::PlainText { .. },
            ..
        })
    ));
    let unadjusted = CHART.replace("[49.5,50.5,null]", "[null,50.5,null]");
    let (unadjusted, _) = yahoo(Reply::json(&unadjusted)).await;
    assert!(
        unadjusted
            .unwrap_err()
            .to_string()
            .contains("no adjusted close")
    );
    let nothing = CHART.replace("[100.0,50.5,null]", "[null,null,null]");
    assert!(matches!(
        yahoo(Reply::json(&nothing)).await.0,
        Err(PriceError {
            fault: PriceFault::NoRows { .. },
            ..
        })
    ));
}

#[tokio::test]
async fn a_refused_anonymous_client_is_called_that() {
    let limited = Reply::new(
        "429 Too Many Requests",
        "text/plain",
        &[],
        b"Too Many Requests",
    );
    let limited = yahoo(limited).await.0.unwrap_err();
    assert!(matches!(
        limited.fault,
        PriceFault::Limited {
            limit: Limit::Anonymous,
            ..
        }
    ));
    let text = limited.to_string();
    assert!(text.contains("refused an anonymous client"), "{text}");
    for status in ["401 Unauthorized", "403 Forbidden"] {
        let refused = Reply::status(status, r#"{"finance":{"error":{"code":"Unauthorized"}}}"#);
        let refused = yahoo(refused).await.0.unwrap_err();
        assert!(refused.concerns_every_symbol());
        let (code, text) = (&status[..3], refused.to_string());
        assert!(
            text.starts_with(&format!(
                "yahoo refused an anonymous client (status {code})"
            )),
            "{text}"
        );
        assert!(!text.contains("API key;"), "{text}");
    }
}

/// The closes of the chart with other numbers: close and adjusted close of its three timestamps.
fn chart(closes: &str, adjusted: &str) -> String {
    CHART
        .replace("[100.0,50.5,null]", closes)
        .replace("[49.5,50.5,null]", adjusted)
}

#[tokio::test]
async fn a_doubled_newest_session_gives_one_row() {
    let last = |history: Result<History, PriceError>| {
        let history = history.unwrap();
        assert_eq!(history.rows.len(), 2);
        (history.rows[1].close, history.rows[1].adjusted)
    };
    // The same figures twice, and figures that differ: the later row counts.
    for (closes, adjusted, expected) in [
        ("[100.0,50.5,50.5]", "[49.5,50.5,50.5]", 50.5),
        ("[100.0,50.5,50.6]", "[49.5,50.5,50.6]", 50.6),
    ] {
        let (twice, _) = yahoo(Reply::json(&chart(closes, adjusted))).await;
        assert_eq!(last(twice), (Some(expected), Some(expected)));
    }
    // A live row without an adjusted close does not take the place of a complete one.
    let (live, _) = yahoo(Reply::json(&chart("[100.0,50.5,50.6]", "[49.5,50.5,null]"))).await;
    assert_eq!(last(live), (Some(50.5), Some(50.5)));
}

#[tokio::test]
async fn a_day_that_comes_twice_before_the_newest_session_is_refused() {
    // The first session twice, then the newest one.
    let twice = chart("[100.0,100.1,50.5]", "[49.5,49.6,50.5]").replace(
        "1786627800,1786714200,1786714201",
        "1786627800,1786627801,1786714200",
    );
    let (twice, _) = yahoo(Reply::json(&twice)).await;
    assert!(twice.unwrap_err().to_string().contains("a second time"));
    // Three rows for the newest session are not the doubling that is known.
    let thrice = chart("[50.4,50.5,50.6]", "[50.4,50.5,50.6]").replace("1786627800", "1786714199");
    let (thrice, _) = yahoo(Reply::json(&thrice)).await;
    assert!(thrice.unwrap_err().to_string().contains("a second time"));
}

#[tokio::test]
async fn the_exchanges_zone_decides_the_day_and_not_the_offset_of_today() {
    // Midnight in London on 13 and 14 August, told with the offset of winter.
    let london = CHART
        .replace(
            "\"gmtoffset\":-14400",
            "\"gmtoffset\":0,\"exchangeTimezoneName\":\"Europe/London\"",
        )
        .replace(
            "1786627800,1786714200,1786714201",
            "1786575600,1786662000,1786662001",
        );
    let (history, _) = yahoo(Reply::json(&london)).await;
    let days: Vec<Date> = history.unwrap().rows.iter().map(|row| row.date).collect();
    assert_eq!(days, [FROM, TO]);
    let unknown = london.replace("Europe/London", "Mars/Olympus");
    let text = yahoo(Reply::json(&unknown))
        .await
        .0
        .unwrap_err()
        .to_string();
    assert!(text.contains("belongs to no day for certain"), "{text}");
    let nowhere = CHART.replace("\"gmtoffset\":-14400,", "");
    let text = yahoo(Reply::json(&nowhere))
        .await
        .0
        .unwrap_err()
        .to_string();
    assert!(text.contains("neither a time zone nor an offset"), "{text}");
}

const SERIES: &str = r#"{"Meta Data":{},"Time Series (Daily)":{
 "2026-08-14":{"1. open":"1","4. close":"50.5","5. adjusted close":"50.5","6. volume":"20","7. dividend amount":"0.5","8. split coefficient":"2.0"},
 "2026-08-13":{"4. close":"102.0","5. adjusted close":"50.5","6. volume":"10","7. dividend amount":"0.0","8. split coefficient":"1.0"},
 "2026-08-12":{"4. close":"101.0","5. adjusted close":"50.0","6. volume":"10","7. dividend amount":"0.0","8. split coefficient":"1.0"}}}"#;

#[tokio::test]
async fn a_series_of_texts_becomes_rows_and_the_stored_address_has_no_key() {
    let (history, questions) = alpha(Reply::json(SERIES)).await;
    let history = history.unwrap();
    let days: Vec<Date> = history.rows.iter().map(|row| row.date).collect();
    assert_eq!(days, [FROM, TO]);
    assert_eq!(history.rows[1].split, Some(2.0));
    assert!(questions[0].contains(&format!("apikey={KEY}")));
    assert!(!history.address.contains(KEY));
    assert!(
        history
            .address
            .ends_with("symbol=SPY&outputsize=full&datatype=json")
    );
}

#[tokio::test]
async fn what_alpha_vantage_says_never_repeats_the_key() {
    let quota = format!(
        r#"{{"Information":"We have detected your API key as {KEY} and our standard API rate limit is 25 requests per day."}}"#
    );
    let (limited, _) = alpha(Reply::json(&quota)).await;
    let limited = limited.unwrap_err();
    assert!(matches!(
        limited.fault,
        PriceFault::Limited {
            limit: Limit::Daily,
            ..
        }
    ));
    let premium = format!(r#"{{"Information":"{KEY}: this is a premium endpoint"}}"#);
    let (premium, _) = alpha(Reply::json(&premium)).await;
    let premium = premium.unwrap_err();
    assert!(premium.concerns_every_symbol());
    let text = premium.to_string();
    assert!(
        text.contains("premium endpoint") && !text.contains(KEY),
        "{text}"
    );
    let (refused, _) = alpha(Reply::status("400 Bad Request", KEY)).await;
    let text = format!("{:?}", refused.unwrap_err());
    assert!(!text.contains(KEY), "{text}");
    let unknown = r#"{"Error Message":"Invalid API call."}"#;
    let (unknown, _) = alpha(Reply::json(unknown)).await;
    assert!(matches!(
        unknown,
        Err(PriceError {
            fault: PriceFault::UnknownSymbol,
            ..
        })
    ));
    let text = SERIES.replace("102.0", "none");
    let (text, _) = alpha(Reply::json(&text)).await;
    assert!(text.unwrap_err().to_string().contains("is not a number"));
}

#[tokio::test]
async fn a_dead_address_is_reported_without_the_key() {
    let http = HttpClient::new(limits()).unwrap();
    let key = ApiKey::new(KEY.to_owned()).unwrap();
    let source = AlphaVantage::new(http, "http://127.0.0.1:1", key).unwrap();
    let error = source.answer("SPY", FROM, TO).await.unwrap_err();
    assert!(matches!(error.fault, PriceFault::Unreachable { .. }));
    assert!(!format!("{error} {error:?}").contains(KEY));
}

#[tokio::test]
async fn a_notice_of_alpha_vantage_is_read_for_what_it_limits() {
    let said = async |member: &str, text: &str| {
        let body = serde_json::json!({ member: text }).to_string();
        alpha(Reply::json(&body)).await.0.unwrap_err().fault
    };
    let pace = "Please consider spreading out your free API requests more sparingly (1 request per \
                second). You may subscribe to lift the free key rate limit (25 requests per day).";
    let limited = |limit| PriceFault::Limited {
        limit,
        retry_after: None,
    };
    assert_eq!(said("Information", pace).await, limited(Limit::PerSecond));
    let older = "Our standard API call frequency is 5 calls per minute and 500 calls per day.";
    assert_eq!(said("Note", older).await, limited(Limit::PerMinute));
    let key = "the parameter apikey is invalid or missing. Please claim your free API key.";
    assert_eq!(said("Error Message", key).await, PriceFault::KeyRefused);
    assert_eq!(
        said("Information", "Invalid apikey").await,
        PriceFault::KeyRefused
    );
}
