//! Yahoo's chart of daily closes over HTTP; unofficial, so for cross-checks rather than the record.
//!
//! `GET /v8/finance/chart/SYMBOL?period1=…&period2=…&interval=1d&events=div%2Csplits`. Its close is
//! adjusted for splits already. A timestamp is the open of a session; its day is that of the
//! exchange, so the offset of the answer is added first. A session without a close has no row.

use std::collections::BTreeMap;

use capitalbench_core::market::price_window::CloseBasis;
use capitalbench_core::values::ids::Digest;
use jiff::civil::Date;
use jiff::{Timestamp, tz::TimeZone};
use reqwest::Url;
use serde::Deserialize;

use super::failure::Failure;
use super::rows::{arrange, check_numbers};
use super::{AnswerFuture, BaseUrlError, DailyClose, History, Place, PriceError, PriceSource};
use super::{RowFault, check_question};
use crate::http::{Credential, HttpClient, Request, Secrecy, one_line};

const NAME: &str = "yahoo";

/// It answers nobody who does not look like a browser.
const BROWSER: &str = concat!(
    "Mozilla/5.0 (compatible; capitalbench/",
    env!("CARGO_PKG_VERSION"),
    ")"
);

/// Yahoo's chart, or a server that speaks like it.
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
    gmtoffset: i64,
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
    /// Where Yahoo itself answers.
    pub const DEFAULT_BASE_URL: &str = "https://query1.finance.yahoo.com";

    /// A source at an address such as [`Self::DEFAULT_BASE_URL`].
    pub fn new(http: HttpClient, base_url: &str) -> Result<Self, BaseUrlError> {
        Ok(Self {
            base_url: http.address(base_url, Secrecy::Open)?,
            http,
        })
    }

    async fn fetch(&self, symbol: &str, from: Date, to: Date) -> Result<History, PriceError> {
        check_question(symbol, from, to)?;
        let url = self.url(symbol, from, to)?;
        let address = url.to_string();
        let request = Request {
            url,
            credential: Credential::Nobody,
            user_agent: Some(BROWSER),
        };
        let answer = match self.http.get(request).await {
            Ok(answer) => answer,
            Err(error) => return Err(Failure::of(NAME, symbol, error).plain(NAME, symbol)),
        };
        let rows = Self::rows(symbol, (from, to), &answer.text)?;
        if rows.is_empty() {
            return Err(PriceError::NoRows {
                origin: NAME,
                symbol: symbol.to_owned(),
                from,
                to,
                have: None,
            });
        }
        Ok(History {
            rows,
            body: Digest::of(answer.text.as_bytes()),
            address,
        })
    }

    /// The rows of a body, whoever brought it.
    pub fn rows(
        symbol: &str,
        range: (Date, Date),
        text: &str,
    ) -> Result<Vec<DailyClose>, PriceError> {
        rows(symbol, range, text)
    }

    fn url(&self, symbol: &str, from: Date, to: Date) -> Result<Url, PriceError> {
        let midnight = |day: Date| {
            let instant = TimeZone::UTC.to_timestamp(day.at(0, 0, 0, 0)).ok()?;
            Some(instant.as_second().to_string())
        };
        let end = to.tomorrow().ok().and_then(midnight);
        let (Some(start), Some(end)) = (midnight(from), end) else {
            return Err(PriceError::InvalidRange { from, to });
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

fn rows(symbol: &str, range: (Date, Date), text: &str) -> Result<Vec<DailyClose>, PriceError> {
    let malformed = |reason: String| PriceError::Malformed {
        origin: NAME,
        symbol: symbol.to_owned(),
        reason,
    };
    let wire: Wire = serde_json::from_str(text).map_err(|error| {
        if text.trim_start().starts_with(['{', '[']) {
            malformed(one_line(&error.to_string()))
        } else {
            PriceError::PlainText {
                origin: NAME,
                symbol: symbol.to_owned(),
                excerpt: one_line(text),
            }
        }
    })?;
    if let Some(error) = wire.chart.error {
        return Err(if error.code == "Not Found" {
            PriceError::UnknownSymbol {
                origin: NAME,
                symbol: symbol.to_owned(),
            }
        } else {
            malformed(one_line(&format!("{}: {}", error.code, error.description)))
        });
    }
    let series = wire.chart.result.and_then(|all| all.into_iter().next());
    let series = series.ok_or_else(|| malformed("it holds no result".to_owned()))?;
    arrange(series.rows(symbol, range)?)
}

impl Series {
    fn rows(
        &self,
        symbol: &str,
        (from, to): (Date, Date),
    ) -> Result<Vec<(Place, DailyClose)>, PriceError> {
        let closes = self.indicators.quote.first();
        let adjusted = self.indicators.adjclose.first();
        let (dividends, splits) = (self.dividends(), self.splits());
        let mut rows = Vec::with_capacity(self.timestamp.len());
        for (index, stamp) in self.timestamp.iter().enumerate() {
            let place = Place::Answer {
                origin: NAME,
                symbol: symbol.to_owned(),
                row: index + 1,
            };
            let Some(date) = self.day(*stamp) else {
                let found = stamp.to_string();
                let fault = RowFault::BadDate { found };
                return Err(PriceError::Row { place, fault });
            };
            let cell = |column: &[Option<f64>]| column.get(index).copied().flatten();
            let close = closes.and_then(|columns| cell(&columns.close));
            if close.is_none() || date < from || to < date {
                continue;
            }
            let row = DailyClose {
                date,
                close,
                adjusted: adjusted.and_then(|column| cell(&column.adjclose)),
                volume: closes.and_then(|columns| cell(&columns.volume)),
                dividend: Some(dividends.get(&date).copied().unwrap_or(0.0)),
                split: Some(splits.get(&date).copied().unwrap_or(1.0)),
            };
            let checked = match row.adjusted {
                None => Err(RowFault::NoAdjustedClose { date }),
                Some(_) => check_numbers(&row),
            };
            if let Err(fault) = checked {
                return Err(PriceError::Row { place, fault });
            }
            rows.push((place, row));
        }
        Ok(rows)
    }

    /// The exchange's day of an instant.
    fn day(&self, stamp: i64) -> Option<Date> {
        let local = stamp.checked_add(self.meta.gmtoffset)?;
        let instant = Timestamp::from_second(local).ok()?;
        Some(TimeZone::UTC.to_datetime(instant).date())
    }

    /// What was paid on each day that has a payment.
    fn dividends(&self) -> BTreeMap<Date, f64> {
        let mut days = BTreeMap::new();
        for paid in self.events.dividends.values() {
            if let Some(day) = self.day(paid.date) {
                *days.entry(day).or_insert(0.0) += paid.amount;
            }
        }
        days
    }

    /// By how much shares multiplied on each day on which they did.
    fn splits(&self) -> BTreeMap<Date, f64> {
        let mut days = BTreeMap::new();
        for split in self.events.splits.values() {
            if let Some(day) = self.day(split.date) {
                *days.entry(day).or_insert(1.0) *= split.numerator / split.denominator;
            }
        }
        days
    }
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
        Box::pin(self.fetch(symbol, from, to))
    }
}
