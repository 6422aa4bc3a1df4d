//! Yahoo's chart of daily closes over HTTP; it is unofficial, so it serves cross-checks and not the record.
//!
//! `GET /v8/finance/chart/SYMBOL?period1=…&period2=…&interval=1d&events=div%2Csplits`. Its close is
//! already adjusted for splits. A timestamp is the open of a session, and its day is the one on the
//! clocks of the exchange (`zone`). A session without a close gives no row.
//!
//! While a session is the newest one, its row can come twice: once with the open as its timestamp and
//! once as the live quote, with the time of the last trade. The later row is used if it has both closes,
//! because it is the one that Yahoo's own pages show and the earlier one is no longer kept up to date;
//! else the earlier one. Two rows for any other day are refused.

use std::collections::BTreeMap;

use capitalbench_core::market::price_window::CloseBasis;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use reqwest::Url;
use reqwest::header::USER_AGENT;
use serde::Deserialize;

use self::zone::Zone;
use super::rows::{arrange_answer, check_vendor_row};
use super::{AnswerFuture, BaseUrlError, DailyClose, History, Limit, PriceFault, PriceSource};
use super::{Question, RowFault, named};
use crate::http::{HttpClient, HttpError, Secrecy, excerpt};

mod zone;

const NAME: &str = "yahoo";

/// Yahoo refuses clients that do not look like a browser.
const BROWSER: &str = concat!(
    "Mozilla/5.0 (compatible; capitalbench/",
    env!("CARGO_PKG_VERSION"),
    ")"
);

/// Yahoo's chart, or a server with the same interface.
#[derive(Debug, Clone)]
pub struct YahooChart {
    http: HttpClient,
    base_url: Url,
}

#[derive(Deserialize)]
struct Wire {
    chart: Chart,
}

#[derive(Deserialize)]
struct Chart {
    result: Option<Vec<Series>>,
    error: Option<WireError>,
}

#[derive(Deserialize)]
struct WireError {
    #[serde(default)]
    code: String,
    #[serde(default)]
    description: String,
}

#[derive(Deserialize)]
struct Series {
    meta: Meta,
    #[serde(default)]
    timestamp: Vec<i64>,
    indicators: Indicators,
    #[serde(default)]
    events: Events,
}

#[derive(Deserialize)]
struct Meta {
    /// The offset of today, not that of the sessions.
    gmtoffset: Option<i64>,
    #[serde(rename = "exchangeTimezoneName")]
    zone: Option<String>,
}

#[derive(Deserialize)]
struct Indicators {
    quote: Vec<QuoteColumns>,
    #[serde(default)]
    adjclose: Vec<AdjustedColumn>,
}

#[derive(Deserialize)]
struct QuoteColumns {
    #[serde(default)]
    close: Vec<Option<f64>>,
    #[serde(default)]
    volume: Vec<Option<f64>>,
}

#[derive(Deserialize)]
struct AdjustedColumn {
    #[serde(default)]
    adjclose: Vec<Option<f64>>,
}

#[derive(Default, Deserialize)]
struct Events {
    #[serde(default)]
    dividends: BTreeMap<String, Dividend>,
    #[serde(default)]
    splits: BTreeMap<String, Split>,
}

#[derive(Deserialize)]
struct Dividend {
    amount: f64,
    date: i64,
}

#[derive(Deserialize)]
struct Split {
    date: i64,
    numerator: f64,
    denominator: f64,
}

impl YahooChart {
    pub const DEFAULT_BASE_URL: &str = "https://query1.finance.yahoo.com";

    pub fn new(http: HttpClient, base_url: &str) -> Result<Self, BaseUrlError> {
        Ok(Self {
            base_url: http.base_url(base_url, Secrecy::Open)?,
            http,
        })
    }

    async fn fetch(&self, question: Question<'_>) -> Result<History, PriceFault> {
        let url = self.url(question)?;
        let address = url.to_string();
        let headers = [(USER_AGENT.as_str(), BROWSER)];
        let answer = self.http.get_json(url, None, &[], &headers);
        let text = answer.await.map_err(failure)?.text;
        let rows = rows(question, &text)?;
        question.history(rows, &text, address)
    }

    /// The rows of a body.
    pub fn rows(
        symbol: &str,
        from: Date,
        to: Date,
        text: &str,
    ) -> Result<Vec<DailyClose>, PriceFault> {
        rows(Question::new(symbol, from, to)?, text)
    }

    fn url(&self, question: Question<'_>) -> Result<Url, PriceFault> {
        let Question { symbol, from, to } = question;
        let midnight = |day: Date| {
            let instant = TimeZone::UTC.to_timestamp(day.at(0, 0, 0, 0)).ok()?;
            Some(instant.as_second().to_string())
        };
        // A session east of Greenwich can open on the evening before its day; rows of other days are
        // left out below.
        let start = from.yesterday().ok().and_then(midnight);
        let end = to.tomorrow().ok().and_then(midnight);
        let (Some(start), Some(end)) = (start, end) else {
            return Err(PriceFault::InvalidRange { from, to });
        };
        let mut url = self.base_url.clone();
        let prefix = self.base_url.path().trim_end_matches('/');
        url.set_path(&format!("{prefix}/v8/finance/chart/{symbol}"));
        url.query_pairs_mut()
            .append_pair("period1", &start)
            .append_pair("period2", &end)
            .append_pair("interval", "1d")
            .append_pair("events", "div,splits");
        Ok(url)
    }
}

/// The meaning of a failed request. Yahoo gives out no keys: it refuses clients it does not know.
fn failure(error: HttpError) -> PriceFault {
    match error {
        HttpError::Status {
            code: code @ (401 | 403),
            ..
        } => PriceFault::AnonymousRefused { code },
        HttpError::Status {
            code: 429,
            retry_after,
            ..
        } => PriceFault::Limited {
            limit: Limit::Anonymous,
            retry_after,
        },
        other => other.into(),
    }
}

fn rows(question: Question<'_>, text: &str) -> Result<Vec<DailyClose>, PriceFault> {
    let malformed = |reason: &str| PriceFault::Malformed {
        reason: excerpt(reason, None),
    };
    let wire: Wire = serde_json::from_str(text).map_err(|error| {
        if text.trim_start().starts_with(['{', '[']) {
            malformed(&error.to_string())
        } else {
            PriceFault::PlainText {
                excerpt: excerpt(text, None),
            }
        }
    })?;
    if let Some(error) = wire.chart.error {
        return Err(match error.code.as_str() {
            "Not Found" => PriceFault::UnknownSymbol,
            code => malformed(&format!("{code}: {}", error.description)),
        });
    }
    let series = wire.chart.result.and_then(|all| all.into_iter().next());
    series
        .ok_or_else(|| malformed("it holds no result"))?
        .rows(question)
}

impl Series {
    fn rows(&self, question: Question<'_>) -> Result<Vec<DailyClose>, PriceFault> {
        let zone = Zone::of(self.meta.zone.as_deref(), self.meta.gmtoffset).ok_or_else(|| {
            let reason = "its meta names neither a time zone nor an offset".to_owned();
            PriceFault::Malformed { reason }
        })?;
        let days: Vec<Option<Date>> = self.timestamp.iter().map(|at| zone.day(*at)).collect();
        let superseded = self.superseded(&days);
        if superseded.is_some() {
            let symbol = question.symbol;
            log::info!("{NAME} sent the newest session of {symbol} twice; one row is not used");
        }
        let (dividends, splits) = (self.dividends(&zone), self.splits(&zone));
        let rows = self.timestamp.iter().enumerate().map(|(index, stamp)| {
            let date = days.get(index).copied().flatten();
            let date = date.ok_or(RowFault::UncertainDay { found: *stamp })?;
            let close = self.close(index);
            if close.is_none() || !question.covers(date) || superseded == Some(index) {
                return Ok(None);
            }
            let row = DailyClose {
                date,
                close,
                adjusted: self.adjusted(index),
                volume: self
                    .quotes()
                    .and_then(|columns| cell(&columns.volume, index)),
                dividend: Some(dividends.get(&date).copied().unwrap_or(0.0)),
                split: Some(splits.get(&date).copied().unwrap_or(1.0)),
            };
            check_vendor_row(row).map(Some)
        });
        arrange_answer(rows)
    }

    /// The place of the row that the other row of the newest session replaces.
    fn superseded(&self, days: &[Option<Date>]) -> Option<usize> {
        let mut priced = (0..days.len()).rev().filter(|at| self.close(*at).is_some());
        let (later, earlier) = (priced.next()?, priced.next()?);
        let is_same_session = days.get(later)?.is_some() && days.get(later) == days.get(earlier);
        let is_in_order = self.timestamp.get(earlier) <= self.timestamp.get(later);
        if !is_same_session || !is_in_order {
            return None;
        }
        match self.adjusted(later) {
            Some(_) => Some(earlier),
            None => Some(later),
        }
    }

    fn quotes(&self) -> Option<&QuoteColumns> {
        self.indicators.quote.first()
    }

    fn close(&self, index: usize) -> Option<f64> {
        cell(&self.quotes()?.close, index)
    }

    fn adjusted(&self, index: usize) -> Option<f64> {
        cell(&self.indicators.adjclose.first()?.adjclose, index)
    }

    /// Dividends by day.
    fn dividends(&self, zone: &Zone) -> BTreeMap<Date, f64> {
        let mut days = BTreeMap::new();
        for paid in self.events.dividends.values() {
            if let Some(day) = zone.day(paid.date) {
                *days.entry(day).or_insert(0.0) += paid.amount;
            }
        }
        days
    }

    /// Split factors by day.
    fn splits(&self, zone: &Zone) -> BTreeMap<Date, f64> {
        let mut days = BTreeMap::new();
        for split in self.events.splits.values() {
            if let Some(day) = zone.day(split.date) {
                *days.entry(day).or_insert(1.0) *= split.numerator / split.denominator;
            }
        }
        days
    }
}

fn cell(column: &[Option<f64>], index: usize) -> Option<f64> {
    column.get(index).copied().flatten()
}

impl PriceSource for YahooChart {
    fn name(&self) -> &'static str {
        NAME
    }

    fn stored_label(&self) -> &'static str {
        "yahoo_chart_adjclose"
    }

    fn close_basis(&self) -> CloseBasis {
        CloseBasis::SplitAdjusted
    }

    fn answer<'a>(&'a self, symbol: &'a str, from: Date, to: Date) -> AnswerFuture<'a> {
        let answer = async move { self.fetch(Question::new(symbol, from, to)?).await };
        Box::pin(named(NAME, symbol, answer))
    }
}
