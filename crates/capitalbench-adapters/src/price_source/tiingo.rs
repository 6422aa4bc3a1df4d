//! Tiingo's end-of-day prices over HTTP.
//!
//! One question per symbol and range: `GET /tiingo/daily/SYMBOL/prices?startDate=…&endDate=…`
//! with the header `Authorization: Token …`. A body that is not an array of rows is a fault
//! whatever its status says, because limits and unknown symbols also come as 200 with a plain text.
//!
//! A pair such as `BTC-USD` trades around the clock and has an endpoint of its own:
//! `GET /tiingo/crypto/prices?tickers=btcusd&startDate=…&endDate=…&resampleFreq=1day`. A bar is that of
//! the day in UTC at whose midnight it begins.

use capitalbench_core::market::price_window::CloseBasis;
use jiff::civil::Date;
use reqwest::Url;
use reqwest::header::AUTHORIZATION;

use super::named;
use super::{AnswerFuture, BaseUrlError, DailyClose, History, PriceFault, PriceSource, Question};
use crate::http::{HttpClient, Secrecy, TextAnswer};
use crate::secret::ApiKey;

mod answer;

const NAME: &str = "tiingo";

/// Tiingo, or a server with the same interface.
#[derive(Debug, Clone)]
pub struct Tiingo {
    http: HttpClient,
    base_url: Url,
    key: ApiKey,
}

impl Tiingo {
    pub const DEFAULT_BASE_URL: &str = "https://api.tiingo.com";

    pub fn new(http: HttpClient, base_url: &str, key: ApiKey) -> Result<Self, BaseUrlError> {
        Ok(Self {
            base_url: http.base_url(base_url, Secrecy::Keyed)?,
            http,
            key,
        })
    }

    /// The rows of the body of a success.
    pub fn rows(
        &self,
        symbol: &str,
        from: Date,
        to: Date,
        text: String,
    ) -> Result<Vec<DailyClose>, PriceFault> {
        let answer = TextAnswer {
            text,
            content_type: None,
            retry_after: None,
        };
        self.reader(Question::new(symbol, from, to)?).rows(&answer)
    }

    fn reader<'a>(&'a self, question: Question<'a>) -> answer::Reader<'a> {
        let key = &self.key;
        answer::Reader { question, key }
    }

    async fn fetch(&self, question: Question<'_>) -> Result<History, PriceFault> {
        let url = self.url(question);
        let address = url.to_string();
        let reader = self.reader(question);
        let key_headers = [(AUTHORIZATION.as_str(), "Token ")];
        let answer = self
            .http
            .get_json(url, Some(&self.key), &key_headers, &[])
            .await
            .map_err(answer::failure)?;
        question.history(reader.rows(&answer)?, &answer.text, address)
    }

    fn url(&self, question: Question<'_>) -> Url {
        let mut url = self.base_url.clone();
        let prefix = self.base_url.path().trim_end_matches('/');
        if let Some(pair) = pair(question.symbol) {
            url.set_path(&format!("{prefix}/tiingo/crypto/prices"));
            // A bar begins at the midnight of its day, so the day after closes the question.
            let end = question.to.tomorrow().unwrap_or(question.to);
            url.query_pairs_mut()
                .append_pair("tickers", &pair)
                .append_pair("startDate", &question.from.to_string())
                .append_pair("endDate", &end.to_string())
                .append_pair("resampleFreq", "1day");
            return url;
        }
        url.set_path(&format!("{prefix}/tiingo/daily/{}/prices", question.symbol));
        url.query_pairs_mut()
            .append_pair("startDate", &question.from.to_string())
            .append_pair("endDate", &question.to.to_string());
        url
    }
}

/// `btcusd` for `BTC-USD`: whatever is quoted in a currency of three letters. A class of shares, such as
/// `BRK-B`, has one letter behind its dash.
fn pair(symbol: &str) -> Option<String> {
    let (base, quote) = symbol.split_once('-')?;
    let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_pair = !base.is_empty() && is_word(base) && quote.len() == 3 && is_word(quote);
    is_pair.then(|| format!("{base}{quote}").to_ascii_lowercase())
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
        let answer = async move { self.fetch(Question::new(symbol, from, to)?).await };
        Box::pin(named(NAME, symbol, answer))
    }
}

#[cfg(test)]
mod tests;
