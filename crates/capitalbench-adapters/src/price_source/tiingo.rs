//! Tiingo's end-of-day prices over HTTP.
//!
//! One question per symbol and range: `GET /tiingo/daily/SYMBOL/prices?startDate=…&endDate=…`
//! with the header `Authorization: Token …`. A body that is not an array of rows is a fault
//! whatever its status says: limits and unknown symbols also come as 200 with a plain text.

use capitalbench_core::market::price_window::CloseBasis;
use capitalbench_core::values::ids::Digest;
use jiff::civil::Date;
use reqwest::Url;

use super::check_question;
use super::{AnswerFuture, BaseUrlError, DailyClose, History, PriceError, PriceSource};
use crate::http::{Answer, Credential, HttpClient, Request, Secrecy};
use crate::secret::ApiKey;

mod answer;

/// Tiingo's name as a source.
const NAME: &str = "tiingo";

/// Tiingo, or a server that speaks like it.
#[derive(Debug, Clone)]
pub struct Tiingo {
    http: HttpClient,
    base_url: Url,
    key: ApiKey,
}

impl Tiingo {
    /// Where Tiingo itself answers.
    pub const DEFAULT_BASE_URL: &str = "https://api.tiingo.com";

    /// A source at an address such as [`Self::DEFAULT_BASE_URL`]; it asks each question once.
    pub fn new(http: HttpClient, base_url: &str, key: ApiKey) -> Result<Self, BaseUrlError> {
        Ok(Self {
            base_url: http.address(base_url, Secrecy::Keyed)?,
            http,
            key,
        })
    }

    /// The rows of a body of success, whoever brought it.
    pub fn rows(
        &self,
        symbol: &str,
        (from, to): (Date, Date),
        text: String,
    ) -> Result<Vec<DailyClose>, PriceError> {
        let reader = answer::Reader {
            question: Question { symbol, from, to },
            key: &self.key,
        };
        reader.rows(&Answer {
            text,
            content_type: None,
            retry_after: None,
        })
    }

    async fn fetch(&self, symbol: &str, from: Date, to: Date) -> Result<History, PriceError> {
        check_question(symbol, from, to)?;
        let question = Question { symbol, from, to };
        let request = Request {
            url: self.url(question),
            credential: Credential::Header {
                scheme: "Token",
                key: &self.key,
            },
            user_agent: None,
        };
        let address = request.url.to_string();
        let reader = answer::Reader {
            question,
            key: &self.key,
        };
        match self.http.get(request).await {
            Ok(answer) => Ok(History {
                rows: reader.rows(&answer)?,
                body: Digest::of(answer.text.as_bytes()),
                address,
            }),
            Err(error) => Err(reader.failure(error)),
        }
    }

    fn url(&self, question: Question<'_>) -> Url {
        let mut url = self.base_url.clone();
        let prefix = self.base_url.path().trim_end_matches('/');
        url.set_path(&format!("{prefix}/tiingo/daily/{}/prices", question.symbol));
        url.query_pairs_mut()
            .append_pair("startDate", &question.from.to_string())
            .append_pair("endDate", &question.to.to_string());
        url
    }
}

impl PriceSource for Tiingo {
    fn name(&self) -> &'static str {
        NAME
    }

    fn stored_label(&self) -> &'static str {
        "tiingo_eod"
    }

    fn close_basis(&self) -> CloseBasis {
        CloseBasis::Raw
    }

    fn answer<'a>(&'a self, symbol: &'a str, from: Date, to: Date) -> AnswerFuture<'a> {
        Box::pin(self.fetch(symbol, from, to))
    }
}

/// What is asked for.
#[derive(Debug, Clone, Copy)]
struct Question<'a> {
    symbol: &'a str,
    from: Date,
    to: Date,
}

#[cfg(test)]
mod tests;
