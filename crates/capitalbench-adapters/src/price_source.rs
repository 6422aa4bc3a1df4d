//! [`PriceSource`]: who can deliver daily closes, and [`DailyClose`], what is delivered.
//!
//! A source answers for one symbol and one range at a time, so that all closes of an option come
//! from one answer and share one basis of adjustment. Rows come back in the order of their days,
//! each day once and inside the range; anything else is a [`PriceError`]. No row is ever made up,
//! moved to another day or taken from elsewhere.

use std::pin::Pin;

use capitalbench_core::market::price_window::CloseBasis;
use capitalbench_core::values::ids::Digest;
use jiff::civil::Date;

pub use crate::http::BaseUrlError;
pub use alpha_vantage::AlphaVantage;
pub use csv_folder::CsvFolder;
pub use error::{Limit, PriceError, PriceFault};
pub use invented::Invented;
pub use rows::{Field, Place, RowFault};
pub use tiingo::Tiingo;
pub use yahoo_chart::YahooChart;

mod alpha_vantage;
mod csv_folder;
mod error;
mod invented;
mod rows;
mod tiingo;
mod yahoo_chart;

/// Longest symbol accepted.
const LONGEST_SYMBOL: usize = 32;

pub type AnswerFuture<'a> = Pin<Box<dyn Future<Output = Result<History, PriceError>> + Send + 'a>>;

/// One answer of a source, and the evidence that the source gave it.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// The closes, oldest first.
    pub rows: Vec<DailyClose>,
    /// Digest of the body they were read from.
    pub body: Digest,
    /// The address that was asked, without any key.
    pub address: String,
}

/// A vendor or a folder of daily closes.
pub trait PriceSource: Send + Sync {
    /// The word that chooses it, such as `tiingo`.
    fn name(&self) -> &'static str;

    /// The text in the `source` column of stored prices, such as `tiingo_eod`.
    fn stored_label(&self) -> &'static str;

    /// What its close means.
    fn close_basis(&self) -> CloseBasis;

    /// The answer about a symbol from one day to another, both inclusive.
    fn answer<'a>(&'a self, symbol: &'a str, from: Date, to: Date) -> AnswerFuture<'a>;
}

/// What a source knows about one session of one symbol.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DailyClose {
    /// The session's day at its exchange.
    pub date: Date,
    /// The close as it was traded.
    pub close: Option<f64>,
    /// The close adjusted for later splits and distributions.
    pub adjusted: Option<f64>,
    /// Shares traded.
    pub volume: Option<f64>,
    /// Cash paid per share with this day as the ex-date.
    pub dividend: Option<f64>,
    /// New shares per old share on this day; 1 on most days.
    pub split: Option<f64>,
}

/// A symbol and a range of days that a source may be asked about.
#[derive(Debug, Clone, Copy)]
struct Question<'a> {
    symbol: &'a str,
    from: Date,
    to: Date,
}

impl<'a> Question<'a> {
    /// Refuses a symbol that could lead to another file or address, and a range that ends before it
    /// begins.
    fn new(symbol: &'a str, from: Date, to: Date) -> Result<Self, PriceFault> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b".-_^=".contains(&byte);
        let usable = symbol.len() <= LONGEST_SYMBOL
            && symbol.bytes().all(allowed)
            && !symbol.starts_with('.')
            && symbol.bytes().any(|byte| byte.is_ascii_alphanumeric());
        if !usable {
            return Err(PriceFault::InvalidSymbol);
        }
        if to < from {
            return Err(PriceFault::InvalidRange { from, to });
        }
        Ok(Self { symbol, from, to })
    }

    fn covers(&self, day: Date) -> bool {
        (self.from..=self.to).contains(&day)
    }

    /// The history of the rows that lie in the range.
    fn history(
        &self,
        mut rows: Vec<DailyClose>,
        body: &str,
        address: String,
    ) -> Result<History, PriceFault> {
        let ends = rows.first().zip(rows.last());
        let have = ends.map(|(first, last)| (first.date, last.date));
        rows.retain(|row| self.covers(row.date));
        if rows.is_empty() {
            let Self { from, to, .. } = *self;
            return Err(PriceFault::NoRows { from, to, have });
        }
        Ok(History {
            rows,
            body: Digest::of(body.as_bytes()),
            address,
        })
    }
}

/// Names the source and the symbol in the error of an answer.
async fn named(
    origin: &'static str,
    symbol: &str,
    answer: impl Future<Output = Result<History, PriceFault>>,
) -> Result<History, PriceError> {
    answer.await.map_err(|fault| PriceError {
        origin,
        symbol: symbol.chars().take(LONGEST_SYMBOL).collect(),
        fault,
    })
}

#[cfg(test)]
mod tests;
