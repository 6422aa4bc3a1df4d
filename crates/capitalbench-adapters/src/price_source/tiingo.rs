//! Tiingo's end-of-day prices over HTTP.
//!
//! One question per symbol and range: `GET /tiingo/daily/SYMBOL/prices?startDate=…&endDate=…`
//! with the header `Authorization: Token …`. A body that is not an array of rows is a fault
//! whatever its status says: limits and unknown symbols also come as 200 with a plain text.

use capitalbench_core::ids::Digest;
use capitalbench_core::price_window::CloseBasis;
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
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::http::{HttpLimits, Reach};

    fn source(base_url: &str) -> Result<Tiingo, BaseUrlError> {
        within(Reach::Local, base_url)
    }

    fn within(reach: Reach, base_url: &str) -> Result<Tiingo, BaseUrlError> {
        let limits = HttpLimits::default();
        let http = HttpClient::new(HttpLimits { reach, ..limits }).unwrap();
        Tiingo::new(http, base_url, ApiKey::new("abc".to_owned()).unwrap())
    }

    #[test]
    fn the_address_is_the_documented_one_and_holds_no_key() {
        let question = Question {
            symbol: "BRK-B",
            from: date(2026, 8, 13),
            to: date(2026, 8, 20),
        };
        let tail = "/tiingo/daily/BRK-B/prices?startDate=2026-08-13&endDate=2026-08-20";
        for (base, prefix) in [
            (Tiingo::DEFAULT_BASE_URL, Tiingo::DEFAULT_BASE_URL),
            ("http://127.0.0.1:81", "http://127.0.0.1:81"),
            ("http://127.0.0.1:81/", "http://127.0.0.1:81"),
            ("https://gate.example/a/b/", "https://gate.example/a/b"),
        ] {
            let url = source(base).unwrap().url(question);
            assert_eq!(url.as_str(), format!("{prefix}{tail}"));
        }
    }

    #[test]
    fn an_address_that_is_none_or_holds_more_is_refused_without_repeating_it() {
        for (text, expected) in [
            ("", BaseUrlError::NotHttp),
            ("api.tiingo.com", BaseUrlError::NotHttp),
            ("file:///etc/hosts", BaseUrlError::NotHttp),
            ("https://a:hidden@b.example", BaseUrlError::HoldsMore),
            ("https://b.example/?token=hidden", BaseUrlError::HoldsMore),
            ("https://b.example/#hidden", BaseUrlError::HoldsMore),
            ("http://api.tiingo.com", BaseUrlError::InClear),
        ] {
            let error = source(text).unwrap_err();
            assert_eq!(error, expected, "{text}");
            assert!(!error.to_string().contains("hidden"));
        }
    }

    #[test]
    fn a_private_address_is_refused_unless_allowed() {
        for text in [
            "http://127.0.0.1:81",
            "http://localhost",
            "http://[fd00::1]/x",
        ] {
            let error = within(Reach::Public, text).unwrap_err();
            assert_eq!(error, BaseUrlError::Private, "{text}");
            assert!(
                error
                    .to_string()
                    .contains("CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES")
            );
        }
        let metadata = source("http://169.254.169.254/latest").unwrap_err();
        assert_eq!(metadata, BaseUrlError::Private);
    }

    #[test]
    fn a_source_does_not_print_its_key() {
        let source = Tiingo::new(
            HttpClient::new(HttpLimits::default()).unwrap(),
            Tiingo::DEFAULT_BASE_URL,
            ApiKey::new("recognisable".to_owned()).unwrap(),
        );
        assert!(!format!("{source:?}").contains("recognisable"));
    }
}
