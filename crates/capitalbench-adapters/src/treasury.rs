//! The US Treasury's daily par yield curve over HTTP.
//!
//! One question per month: `GET /resource-center/data-chart-center/interest-rates/pages/xml?data=…`,
//! without a key. The exact body is handed on, because it is kept with the round; what it says is read
//! by [`capitalbench_core::market::treasury`].

use std::fmt;
use std::time::Duration;

use capitalbench_core::market::treasury::{FeedFault, LARGEST_FEED, parse_feed};
use jiff::civil::Date;
use reqwest::header::ACCEPT;
use reqwest::{Method, Url};

use crate::http::{BaseUrlError, HttpClient, HttpError, Request, Secrecy};

const PATH: &str = "resource-center/data-chart-center/interest-rates/pages/xml";

/// The Treasury's site, or a server with the same interface.
#[derive(Debug, Clone)]
pub struct Treasury {
    http: HttpClient,
    base_url: Url,
}

/// Why a month could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TreasuryFault {
    /// The request failed.
    Http(HttpError),
    /// The body is not a month of the feed.
    Feed(FeedFault),
    /// The body holds a day of another month.
    OtherMonth { month: String, day: Date },
}

impl fmt::Display for TreasuryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the Treasury's curve could not be fetched: ")?;
        match self {
            Self::Http(error) => write!(f, "{error}"),
            Self::Feed(fault) => write!(f, "the answer cannot be used, {fault}"),
            Self::OtherMonth { month, day } => {
                write!(f, "the answer about {month} holds {day}")
            }
        }
    }
}

impl TreasuryFault {
    /// Whether the same question may be answered a moment later, and how long the server asks to
    /// wait for that.
    pub fn passes(&self) -> Option<Option<Duration>> {
        match self {
            Self::Http(HttpError::Status {
                code, retry_after, ..
            }) if *code == 429 || *code >= 500 => Some(*retry_after),
            Self::Http(
                HttpError::Connect { .. } | HttpError::Timeout { .. } | HttpError::Truncated,
            ) => Some(None),
            _ => None,
        }
    }
}

impl Treasury {
    pub const DEFAULT_BASE_URL: &str = "https://home.treasury.gov";

    pub fn new(http: HttpClient, base_url: &str) -> Result<Self, BaseUrlError> {
        Ok(Self {
            base_url: http.base_url(base_url, Secrecy::Open)?,
            http,
        })
    }

    /// The exact answer about the month of a day; one that cannot be read is a fault.
    pub async fn month(&self, day: Date) -> Result<Vec<u8>, TreasuryFault> {
        let request = Request {
            method: Method::GET,
            url: self.url(day),
            key: None,
            key_headers: &[],
            headers: &[(ACCEPT.as_str(), "application/xml")],
            body: Vec::new(),
            time_limit: None,
        };
        let answer = self
            .http
            .send(&request)
            .await
            .map_err(TreasuryFault::Http)?;
        if answer.status != 200 {
            return Err(TreasuryFault::Http(answer.status_error(None)));
        }
        check(day, &answer.body)?;
        Ok(answer.body)
    }

    fn url(&self, day: Date) -> Url {
        let mut url = self.base_url.clone();
        let prefix = self.base_url.path().trim_end_matches('/');
        url.set_path(&format!("{prefix}/{PATH}"));
        url.query_pairs_mut()
            .append_pair("data", "daily_treasury_yield_curve")
            .append_pair("field_tdr_date_value_month", &month_of(day, ""));
        url
    }
}

fn month_of(day: Date, between: &str) -> String {
    format!("{:04}{between}{:02}", day.year(), day.month())
}

fn check(asked: Date, body: &[u8]) -> Result<(), TreasuryFault> {
    if body.len() > LARGEST_FEED {
        return Err(TreasuryFault::Feed(FeedFault::TooLarge(body.len())));
    }
    let text = std::str::from_utf8(body).map_err(|_| TreasuryFault::Http(HttpError::NotText))?;
    let days = parse_feed(text).map_err(TreasuryFault::Feed)?;
    let is_other = |day: Date| (day.year(), day.month()) != (asked.year(), asked.month());
    match days
        .iter()
        .map(|curve| curve.day)
        .find(|day| is_other(*day))
    {
        Some(day) => Err(TreasuryFault::OtherMonth {
            month: month_of(asked, "-"),
            day,
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
