//! Interprets Tiingo's answers.

use std::time::Duration;

use capitalbench_core::values::time::parse_day;
use jiff::civil::Date;
use serde::Deserialize;

use super::pair;
use crate::http::{HttpError, TextAnswer, excerpt};
use crate::price_source::rows::{arrange_answer, check_vendor_row};
use crate::price_source::{DailyClose, Limit, PriceFault, Question, RowFault};
use crate::secret::ApiKey;

/// One element of the array; other fields are ignored.
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

/// The bars of one pair; other fields are ignored.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "the bars of a pair")]
struct WirePair {
    ticker: String,
    price_data: Vec<WireBar>,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "a daily bar")]
struct WireBar {
    date: String,
    close: Option<f64>,
    volume: Option<f64>,
}

/// Reads the answer to one question.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) question: Question<'a>,
    pub(super) key: &'a ApiKey,
}

impl Reader<'_> {
    /// The rows of an answer that reports success.
    pub(super) fn rows(self, answer: &TextAnswer) -> Result<Vec<DailyClose>, PriceFault> {
        let text = answer.text.trim();
        let content_type = answer.content_type.as_deref();
        if is_web_page(text, content_type) {
            // Sentences about limits come as plain text, and some of them are called HTML.
            let limit = limit(text);
            let retry_after = answer.retry_after;
            return Err(limit.map_or(PriceFault::WebPage { code: 200 }, |limit| {
                PriceFault::Limited { limit, retry_after }
            }));
        }
        if !text.starts_with('[') {
            return Err(self.no_array(answer));
        }
        if let Some(found) = content_type.filter(|found| !is_json(found)) {
            return Err(self.wrong_content_type(found));
        }
        if let Some(pair) = pair(self.question.symbol) {
            let wire: Vec<WirePair> =
                serde_json::from_str(text).map_err(|error| self.not_rows(text, &error))?;
            return self.bars(&pair, &wire);
        }
        let wire: Vec<WireRow> =
            serde_json::from_str(text).map_err(|error| self.not_rows(text, &error))?;
        arrange_answer(wire.iter().map(|row| self.row(row).map(Some)))
    }

    /// The bars of a pair. Nothing is paid on it and nothing splits it, so its close is its adjusted
    /// close too.
    fn bars(self, pair: &str, wire: &[WirePair]) -> Result<Vec<DailyClose>, PriceFault> {
        let [own] = wire else {
            return Err(match wire {
                [] => PriceFault::UnknownSymbol,
                _ => PriceFault::Malformed {
                    reason: "it holds more than one pair".to_owned(),
                },
            });
        };
        if own.ticker != pair {
            let found = excerpt(&own.ticker, Some(self.key));
            let reason = format!("it holds {found} in place of {pair}");
            return Err(PriceFault::Malformed { reason });
        }
        arrange_answer(own.price_data.iter().map(|bar| {
            let bad = || RowFault::BadDate {
                found: excerpt(&bar.date, Some(self.key)),
            };
            let begins = bar
                .date
                .get(10..)
                .is_some_and(|time| time.starts_with("T00:00:00"));
            let date = session_day(&bar.date).filter(|_| begins).ok_or_else(bad)?;
            if !self.question.covers(date) {
                return Ok(None);
            }
            let row = DailyClose {
                date,
                close: bar.close,
                adjusted: bar.close,
                volume: bar.volume,
                dividend: Some(0.0),
                split: Some(1.0),
            };
            check_vendor_row(row).map(Some)
        }))
    }

    /// The fault in a body that does not begin like an array.
    fn no_array(self, answer: &TextAnswer) -> PriceFault {
        let excerpt = excerpt(&answer.text, Some(self.key));
        if let Some(fault) = known_text(&excerpt, answer.retry_after) {
            return fault;
        }
        let foreign = |found: &&str| !is_json(found) && !found.starts_with("text/");
        if let Some(found) = answer.content_type.as_deref().filter(foreign) {
            return self.wrong_content_type(found);
        }
        let reason = match excerpt.chars().next() {
            None => "it is empty".to_owned(),
            Some('{') => format!("an object, {excerpt}"),
            Some(_) => return PriceFault::PlainText { excerpt },
        };
        PriceFault::Malformed { reason }
    }

    /// The fault in a body that begins like an array but is not an array of rows.
    fn not_rows(self, text: &str, error: &serde_json::Error) -> PriceFault {
        if error.is_eof() {
            return PriceFault::CutOff;
        }
        // JSON has no such words, but some programs write them.
        let found = ["NaN", "Infinity"]
            .into_iter()
            .find(|word| text.contains(word));
        let reason = excerpt(&error.to_string(), Some(self.key));
        let too_large = reason.contains("out of range");
        match found.or(too_large.then_some("a number that is too large")) {
            Some(found) => PriceFault::NotFinite { found },
            None => PriceFault::Malformed { reason },
        }
    }

    fn row(self, wire: &WireRow) -> Result<DailyClose, RowFault> {
        let Question { from, to, .. } = self.question;
        let date = session_day(&wire.date).ok_or_else(|| RowFault::BadDate {
            found: excerpt(&wire.date, Some(self.key)),
        })?;
        if !self.question.covers(date) {
            return Err(RowFault::OutsideRange { date, from, to });
        }
        check_vendor_row(DailyClose {
            date,
            close: wire.close,
            adjusted: wire.adj_close,
            volume: wire.volume,
            dividend: wire.div_cash,
            split: wire.split_factor,
        })
    }

    fn wrong_content_type(self, found: &str) -> PriceFault {
        let found = excerpt(found, Some(self.key));
        PriceFault::WrongContentType { found }
    }
}

/// The meaning of a failed request; Tiingo explains some statuses by its text.
pub(super) fn failure(error: HttpError) -> PriceFault {
    let HttpError::Status {
        code,
        retry_after,
        excerpt,
    } = &error
    else {
        return error.into();
    };
    let (code, retry_after) = (*code, *retry_after);
    let page = is_web_page(excerpt, None);
    match code {
        500.. if page => PriceFault::ServerFailed {
            code,
            retry_after,
            excerpt: String::new(),
        },
        429 => PriceFault::Limited {
            limit: limit(excerpt).unwrap_or(Limit::Unstated),
            retry_after,
        },
        300..400 | 500.. => error.into(),
        _ if page => PriceFault::WebPage { code },
        _ => known_text(excerpt, retry_after).unwrap_or_else(|| error.into()),
    }
}

/// The sentences that Tiingo sends with varying statuses.
fn known_text(text: &str, retry_after: Option<Duration>) -> Option<PriceFault> {
    let lower = text.to_ascii_lowercase();
    if let Some(limit) = limit(text) {
        return Some(PriceFault::Limited { limit, retry_after });
    }
    if lower.contains("supply a token") {
        Some(PriceFault::KeyMissing)
    } else if lower.contains("invalid token") {
        Some(PriceFault::KeyRefused)
    } else if lower.contains("ticker") && lower.contains("not found") {
        Some(PriceFault::UnknownSymbol)
    } else {
        None
    }
}

/// The day of `2026-01-02T00:00:00.000Z`; it is the session's day in any time zone.
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
