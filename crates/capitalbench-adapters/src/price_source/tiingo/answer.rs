//! What Tiingo's answers mean.

use std::time::Duration;

use capitalbench_core::values::time::parse_day;
use jiff::civil::Date;
use serde::Deserialize;

use super::{NAME, Question};
use crate::http::{Answer, HttpError, excerpt};
use crate::price_source::failure::Failure;
use crate::price_source::rows::{arrange, check_numbers};
use crate::price_source::{DailyClose, Limit, Place, PriceError, RowFault};
use crate::secret::ApiKey;

/// One element of the array; fields that are not needed are not read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a daily row")]
struct WireRow {
    date: String,
    close: Option<f64>,
    adj_close: Option<f64>,
    volume: Option<f64>,
    div_cash: Option<f64>,
    split_factor: Option<f64>,
}

/// Reads the answer to one question.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) question: Question<'a>,
    pub(super) key: &'a ApiKey,
}

impl Reader<'_> {
    /// The rows of an answer that reports success.
    pub(super) fn rows(self, answer: &Answer) -> Result<Vec<DailyClose>, PriceError> {
        let text = answer.text.trim();
        let content_type = answer.content_type.as_deref();
        if is_web_page(text, content_type) {
            return Err(self.web_page(200));
        }
        if !text.starts_with('[') {
            return Err(self.no_array(answer));
        }
        if let Some(found) = content_type.filter(|found| !is_json(found)) {
            return Err(self.wrong_content_type(found));
        }
        let wire: Vec<WireRow> =
            serde_json::from_str(text).map_err(|error| self.not_rows(text, &error))?;
        if wire.is_empty() {
            let Question { from, to, .. } = self.question;
            return Err(PriceError::NoRows {
                origin: NAME,
                symbol: self.symbol(),
                from,
                to,
                have: None,
            });
        }
        let rows: Result<Vec<_>, _> = (1..)
            .zip(&wire)
            .map(|(number, row)| {
                let place = Place::Answer {
                    origin: NAME,
                    symbol: self.symbol(),
                    row: number,
                };
                match self.row(row) {
                    Ok(row) => Ok((place, row)),
                    Err(fault) => Err(PriceError::Row { place, fault }),
                }
            })
            .collect();
        arrange(rows?)
    }

    /// What a failure of the client means for the question.
    pub(super) fn failure(self, error: HttpError) -> PriceError {
        match Failure::of(NAME, self.question.symbol, error) {
            Failure::Transport(error) => error,
            Failure::Status {
                code,
                retry_after,
                excerpt,
            } => self.status(code, retry_after, excerpt),
        }
    }

    fn status(self, code: u16, retry_after: Option<Duration>, excerpt: String) -> PriceError {
        let (origin, symbol) = (NAME, self.symbol());
        let page = is_web_page(&excerpt, None);
        match code {
            300..400 => PriceError::Redirected {
                origin,
                symbol,
                code,
            },
            500.. => PriceError::ServerFailed {
                origin,
                symbol,
                code,
                retry_after,
                excerpt: if page { String::new() } else { excerpt },
            },
            429 => PriceError::Limited {
                origin,
                limit: limit(&excerpt).unwrap_or(Limit::Unstated),
                retry_after,
            },
            _ if page => self.web_page(code),
            _ => match (self.known_text(&excerpt, retry_after), code) {
                (Some(error), _) => error,
                (None, 401 | 403) => PriceError::KeyRefused { origin },
                (None, 404) => PriceError::UnknownSymbol { origin, symbol },
                (None, _) => PriceError::Refused {
                    origin,
                    symbol,
                    code,
                    excerpt,
                },
            },
        }
    }

    /// The fault in a body that does not begin like an array.
    fn no_array(self, answer: &Answer) -> PriceError {
        let (origin, symbol) = (NAME, self.symbol());
        let excerpt = excerpt(&answer.text, self.key);
        if let Some(error) = self.known_text(&excerpt, answer.retry_after) {
            return error;
        }
        let foreign = |found: &&str| !is_json(found) && !found.starts_with("text/");
        if let Some(found) = answer.content_type.as_deref().filter(foreign) {
            return self.wrong_content_type(found);
        }
        let reason = match excerpt.chars().next() {
            None => "it is empty".to_owned(),
            Some('{') => format!("an object, {excerpt}"),
            Some(_) => {
                return PriceError::PlainText {
                    origin,
                    symbol,
                    excerpt,
                };
            }
        };
        PriceError::Malformed {
            origin,
            symbol,
            reason,
        }
    }

    /// The sentences that Tiingo sends with one status today and another tomorrow.
    fn known_text(self, text: &str, retry_after: Option<Duration>) -> Option<PriceError> {
        let origin = NAME;
        let lower = text.to_ascii_lowercase();
        if let Some(limit) = limit(text) {
            return Some(PriceError::Limited {
                origin,
                limit,
                retry_after,
            });
        }
        if lower.contains("supply a token") {
            Some(PriceError::KeyMissing { origin })
        } else if lower.contains("invalid token") {
            Some(PriceError::KeyRefused { origin })
        } else if lower.contains("ticker") && lower.contains("not found") {
            let symbol = self.symbol();
            Some(PriceError::UnknownSymbol { origin, symbol })
        } else {
            None
        }
    }

    /// The fault in a body that begins like an array and is none of rows.
    fn not_rows(self, text: &str, error: &serde_json::Error) -> PriceError {
        let (origin, symbol) = (NAME, self.symbol());
        if error.is_eof() {
            return PriceError::CutOff { origin, symbol };
        }
        // JSON has no such words, but the programs that write it do.
        let found = ["NaN", "Infinity"]
            .into_iter()
            .find(|word| text.contains(word));
        let reason = excerpt(&error.to_string(), self.key);
        let too_large = reason.contains("out of range");
        match found.or(too_large.then_some("a number that is too large")) {
            Some(found) => PriceError::NotFinite {
                origin,
                symbol,
                found,
            },
            None => PriceError::Malformed {
                origin,
                symbol,
                reason,
            },
        }
    }

    fn row(self, wire: &WireRow) -> Result<DailyClose, RowFault> {
        let Question { from, to, .. } = self.question;
        let date = session_day(&wire.date).ok_or_else(|| RowFault::BadDate {
            found: excerpt(&wire.date, self.key),
        })?;
        if date < from || to < date {
            return Err(RowFault::OutsideRange { date, from, to });
        }
        let row = DailyClose {
            date,
            close: wire.close,
            adjusted: wire.adj_close,
            volume: wire.volume,
            dividend: wire.div_cash,
            split: wire.split_factor,
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

    fn web_page(self, code: u16) -> PriceError {
        PriceError::WebPage {
            origin: NAME,
            symbol: self.symbol(),
            code,
        }
    }

    fn wrong_content_type(self, found: &str) -> PriceError {
        PriceError::WrongContentType {
            origin: NAME,
            symbol: self.symbol(),
            found: excerpt(found, self.key),
        }
    }

    fn symbol(self) -> String {
        self.question.symbol.to_owned()
    }
}

/// The day of `2026-01-02T00:00:00.000Z`; it is the session's, and no time zone changes it.
fn session_day(text: &str) -> Option<Date> {
    let (day, time) = text.split_at_checked(10)?;
    if !time.is_empty() && !time.starts_with('T') {
        return None;
    }
    parse_day(day)
}

fn limit(text: &str) -> Option<Limit> {
    let lower = text.to_ascii_lowercase();
    if lower.contains("symbol look up") {
        return Some(Limit::MonthlySymbols);
    }
    if !lower.contains("request allocation") {
        return None;
    }
    Some(match lower {
        text if text.contains("hourly") => Limit::Hourly,
        text if text.contains("daily") => Limit::Daily,
        _ => Limit::Unstated,
    })
}

fn is_web_page(text: &str, content_type: Option<&str>) -> bool {
    text.starts_with('<') || content_type == Some("text/html")
}

fn is_json(content_type: &str) -> bool {
    content_type == "application/json" || content_type.ends_with("+json")
}
