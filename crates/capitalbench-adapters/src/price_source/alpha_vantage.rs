//! Alpha Vantage's adjusted daily closes over HTTP.
//!
//! `GET /query?function=TIME_SERIES_DAILY_ADJUSTED&symbol=…&outputsize=full&datatype=json&apikey=…`.
//! The service accepts the key only in the address, and its texts about limits repeat the key, so the
//! key is removed from everything that is stored or shown. Numbers come as texts, and errors come with
//! a status of success: an object with one sentence as `Error Message`, `Information` or `Note`.
//! `notice` decides what such a sentence means.

use std::collections::BTreeMap;

use capitalbench_core::market::price_window::CloseBasis;
use capitalbench_core::values::time::parse_day;
use jiff::civil::Date;
use reqwest::Url;
use serde::Deserialize;

use self::notice::{Meaning, Member};
use super::rows::{arrange_answer, check_vendor_row};
use super::{AnswerFuture, BaseUrlError, DailyClose, History, PriceFault, PriceSource};
use super::{Question, RowFault, named};
use crate::http::{HttpClient, Secrecy, excerpt};
use crate::secret::ApiKey;

mod notice;

const NAME: &str = "alphavantage";

/// Alpha Vantage, or a server with the same interface.
#[derive(Debug, Clone)]
pub struct AlphaVantage {
    http: HttpClient,
    base_url: Url,
    key: ApiKey,
}

#[derive(Deserialize)]
struct Wire {
    #[serde(rename = "Time Series (Daily)")]
    series: Option<BTreeMap<String, WireRow>>,
    #[serde(rename = "Information")]
    information: Option<String>,
    #[serde(rename = "Note")]
    note: Option<String>,
    #[serde(rename = "Error Message")]
    error: Option<String>,
}

#[derive(Deserialize)]
struct WireRow {
    #[serde(rename = "4. close")]
    close: Option<String>,
    #[serde(rename = "5. adjusted close")]
    adjusted: Option<String>,
    #[serde(rename = "6. volume")]
    volume: Option<String>,
    #[serde(rename = "7. dividend amount")]
    dividend: Option<String>,
    #[serde(rename = "8. split coefficient")]
    split: Option<String>,
}

impl AlphaVantage {
    pub const DEFAULT_BASE_URL: &str = "https://www.alphavantage.co";

    pub fn new(http: HttpClient, base_url: &str, key: ApiKey) -> Result<Self, BaseUrlError> {
        Ok(Self {
            base_url: http.base_url(base_url, Secrecy::Keyed)?,
            http,
            key,
        })
    }

    /// The address without the key.
    fn url(&self, symbol: &str) -> Url {
        let mut url = self.base_url.clone();
        let prefix = self.base_url.path().trim_end_matches('/');
        url.set_path(&format!("{prefix}/query"));
        url.query_pairs_mut()
            .append_pair("function", "TIME_SERIES_DAILY_ADJUSTED")
            .append_pair("symbol", symbol)
            .append_pair("outputsize", "full")
            .append_pair("datatype", "json");
        url
    }

    async fn fetch(&self, question: Question<'_>) -> Result<History, PriceFault> {
        let url = self.url(question.symbol);
        let address = url.to_string();
        let mut with_key = url;
        with_key
            .query_pairs_mut()
            .append_pair("apikey", self.key.expose());
        let answer = self.http.get_json(with_key, Some(&self.key), &[], &[]);
        let text = answer.await?.text;
        question.history(self.rows(&text)?, &text, address)
    }

    /// The rows of a body.
    pub fn rows(&self, text: &str) -> Result<Vec<DailyClose>, PriceFault> {
        let wire: Wire =
            serde_json::from_str(text).map_err(|error| match text.trim_start().chars().next() {
                Some('{' | '[') => PriceFault::Malformed {
                    reason: excerpt(&error.to_string(), Some(&self.key)),
                },
                _ => PriceFault::PlainText {
                    excerpt: excerpt(text, Some(&self.key)),
                },
            })?;
        let Some(series) = &wire.series else {
            return Err(self.fault(&wire));
        };
        let rows = series.iter().map(|(day, row)| self.row(day, row).map(Some));
        arrange_answer(rows)
    }

    /// The meaning of an answer without a series.
    fn fault(&self, wire: &Wire) -> PriceFault {
        let spoken = [
            (Member::Error, &wire.error),
            (Member::Information, &wire.information),
            (Member::Information, &wire.note),
        ];
        let mut said = spoken
            .into_iter()
            .filter_map(|(member, text)| Some((member, text.as_deref()?)));
        match said.next() {
            Some((member, text)) => match notice::meaning(member, text) {
                Meaning::UnknownSymbol => PriceFault::UnknownSymbol,
                Meaning::KeyRefused => PriceFault::KeyRefused,
                Meaning::Limited(limit) => PriceFault::Limited {
                    limit,
                    retry_after: None,
                },
                Meaning::Other => PriceFault::AccountNotice {
                    excerpt: excerpt(text, Some(&self.key)),
                },
            },
            None => PriceFault::Malformed {
                reason: "it holds no series".to_owned(),
            },
        }
    }

    fn row(&self, day: &str, wire: &WireRow) -> Result<DailyClose, RowFault> {
        let date = parse_day(day).ok_or_else(|| RowFault::BadDate {
            found: excerpt(day, Some(&self.key)),
        })?;
        let number = |text: &Option<String>| match text.as_deref().map(str::trim) {
            None | Some("") => Ok(None),
            Some(text) => text.parse().map(Some).map_err(|_| RowFault::NotANumber {
                found: excerpt(text, Some(&self.key)),
            }),
        };
        check_vendor_row(DailyClose {
            date,
            close: number(&wire.close)?,
            adjusted: number(&wire.adjusted)?,
            volume: number(&wire.volume)?,
            dividend: number(&wire.dividend)?,
            split: number(&wire.split)?,
        })
    }
}

impl PriceSource for AlphaVantage {
    fn name(&self) -> &'static str {
        NAME
    }

    fn stored_label(&self) -> &'static str {
        "alpha_vantage_adjusted"
    }

    fn close_basis(&self) -> CloseBasis {
        CloseBasis::Raw
    }

    fn answer<'a>(&'a self, symbol: &'a str, from: Date, to: Date) -> AnswerFuture<'a> {
        let answer = async move { self.fetch(Question::new(symbol, from, to)?).await };
        Box::pin(named(NAME, symbol, answer))
    }
}
