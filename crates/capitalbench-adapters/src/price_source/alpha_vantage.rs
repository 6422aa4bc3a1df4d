//! Alpha Vantage's adjusted daily closes over HTTP.
//!
//! `GET /query?function=TIME_SERIES_DAILY_ADJUSTED&symbol=…&outputsize=full&datatype=json&apikey=…`.
//! The key goes in the address because it is taken nowhere else, and its texts about limits repeat
//! it: what is stored or said is cleared of it. Numbers come as texts, faults as success.

use std::collections::BTreeMap;

use capitalbench_core::market::price_window::CloseBasis;
use capitalbench_core::values::ids::Digest;
use capitalbench_core::values::time::parse_day;
use jiff::civil::Date;
use reqwest::Url;
use serde::Deserialize;

use super::failure::Failure;
use super::rows::{arrange, check_numbers};
use super::{AnswerFuture, BaseUrlError, DailyClose, History, Limit, Place, PriceError};
use super::{PriceSource, RowFault, check_question};
use crate::http::{Credential, HttpClient, Request, Secrecy, excerpt};
use crate::secret::ApiKey;

const NAME: &str = "alphavantage";

/// Alpha Vantage, or a server that speaks like it.
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
    /// Where Alpha Vantage itself answers.
    pub const DEFAULT_BASE_URL: &str = "https://www.alphavantage.co";

    /// A source at an address such as [`Self::DEFAULT_BASE_URL`].
    pub fn new(http: HttpClient, base_url: &str, key: ApiKey) -> Result<Self, BaseUrlError> {
        Ok(Self {
            base_url: http.address(base_url, Secrecy::Keyed)?,
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

    async fn fetch(&self, symbol: &str, from: Date, to: Date) -> Result<History, PriceError> {
        check_question(symbol, from, to)?;
        let url = self.url(symbol);
        let address = url.to_string();
        let mut with_key = url;
        with_key
            .query_pairs_mut()
            .append_pair("apikey", self.key.expose());
        let request = Request {
            url: with_key,
            credential: Credential::Address(&self.key),
            user_agent: None,
        };
        let answer = match self.http.get(request).await {
            Ok(answer) => answer,
            Err(error) => return Err(Failure::of(NAME, symbol, error).plain(NAME, symbol)),
        };
        let rows = self.rows(symbol, &answer.text)?;
        let proof = (Digest::of(answer.text.as_bytes()), address);
        History::within((NAME, symbol), (from, to), rows, proof)
    }

    /// The rows of a body, whoever brought it.
    pub fn rows(&self, symbol: &str, text: &str) -> Result<Vec<DailyClose>, PriceError> {
        let wire: Wire =
            serde_json::from_str(text).map_err(|error| match text.trim_start().chars().next() {
                Some('{' | '[') => PriceError::Malformed {
                    origin: NAME,
                    symbol: symbol.to_owned(),
                    reason: excerpt(&error.to_string(), &self.key),
                },
                _ => PriceError::PlainText {
                    origin: NAME,
                    symbol: symbol.to_owned(),
                    excerpt: excerpt(text, &self.key),
                },
            })?;
        let Some(series) = &wire.series else {
            return Err(self.fault(symbol, &wire));
        };
        let rows: Result<Vec<_>, _> = (1..)
            .zip(series)
            .map(|(row, (day, wire))| {
                let place = Place::Answer {
                    origin: NAME,
                    symbol: symbol.to_owned(),
                    row,
                };
                match self.row(day, wire) {
                    Ok(row) => Ok((place, row)),
                    Err(fault) => Err(PriceError::Row { place, fault }),
                }
            })
            .collect();
        arrange(rows?)
    }

    /// What an answer without a series says.
    fn fault(&self, symbol: &str, wire: &Wire) -> PriceError {
        if wire.error.is_some() {
            return PriceError::UnknownSymbol {
                origin: NAME,
                symbol: symbol.to_owned(),
            };
        }
        let said = wire.information.as_deref().or(wire.note.as_deref());
        let Some(said) = said else {
            return PriceError::Malformed {
                origin: NAME,
                symbol: symbol.to_owned(),
                reason: "it holds no series".to_owned(),
            };
        };
        let lower = said.to_ascii_lowercase();
        if lower.contains("per day") || lower.contains("rate limit") || lower.contains("frequency")
        {
            return PriceError::Limited {
                origin: NAME,
                limit: if lower.contains("per day") {
                    Limit::Daily
                } else {
                    Limit::Unstated
                },
                retry_after: None,
            };
        }
        PriceError::PlainText {
            origin: NAME,
            symbol: symbol.to_owned(),
            excerpt: excerpt(said, &self.key),
        }
    }

    fn row(&self, day: &str, wire: &WireRow) -> Result<DailyClose, RowFault> {
        let date = parse_day(day).ok_or_else(|| RowFault::BadDate {
            found: excerpt(day, &self.key),
        })?;
        let number = |text: &Option<String>| match text.as_deref().map(str::trim) {
            None | Some("") => Ok(None),
            Some(text) => text.parse().map(Some).map_err(|_| RowFault::NotANumber {
                found: excerpt(text, &self.key),
            }),
        };
        let row = DailyClose {
            date,
            close: number(&wire.close)?,
            adjusted: number(&wire.adjusted)?,
            volume: number(&wire.volume)?,
            dividend: number(&wire.dividend)?,
            split: number(&wire.split)?,
        };
        if row.close.is_none() {
            return Err(RowFault::NoClose { date });
        }
        if row.adjusted.is_none() {
            return Err(RowFault::NoAdjustedClose { date });
        }
        check_numbers(&row)?;
        Ok(row)
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
        Box::pin(self.fetch(symbol, from, to))
    }
}
