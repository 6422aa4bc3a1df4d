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

pub use alpha_vantage::AlphaVantage;
pub use base_url::BaseUrlError;
pub use csv_folder::CsvFolder;
pub use error::{Limit, PriceError};
pub use rows::{Field, Place, RowFault};
pub use tiingo::Tiingo;
pub use yahoo_chart::YahooChart;

mod alpha_vantage;
mod base_url;
mod csv_folder;
mod error;
mod failure;
mod rows;
mod tiingo;
mod yahoo_chart;

/// Longest symbol accepted.
const LONGEST_SYMBOL: usize = 32;

/// One answer of a source, or why there is none.
pub type AnswerFuture<'a> = Pin<Box<dyn Future<Output = Result<History, PriceError>> + Send + 'a>>;

/// One answer of a source: what it says, and what proves that it said so.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// The closes, oldest first.
    pub rows: Vec<DailyClose>,
    /// Digest of the body they were read from.
    pub body: Digest,
    /// Where they were asked for, without any key.
    pub address: String,
}

impl History {
    /// The rows of a whole history that lie in a range; none is an error that says what there is.
    fn within(
        (origin, symbol): (&'static str, &str),
        (from, to): (Date, Date),
        mut rows: Vec<DailyClose>,
        (body, address): (Digest, String),
    ) -> Result<Self, PriceError> {
        let ends = rows.first().zip(rows.last());
        let have = ends.map(|(first, last)| (first.date, last.date));
        rows.retain(|row| from <= row.date && row.date <= to);
        if rows.is_empty() {
            return Err(PriceError::NoRows {
                origin,
                symbol: symbol.to_owned(),
                from,
                to,
                have,
            });
        }
        Ok(Self {
            rows,
            body,
            address,
        })
    }
}

/// A vendor or a folder of daily closes.
pub trait PriceSource: Send + Sync {
    /// The word that chooses it, such as `tiingo`.
    fn name(&self) -> &'static str;

    /// What stands in the `source` column of stored prices, such as `tiingo_eod`.
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
    /// New shares per old share on this day; 1 on most.
    pub split: Option<f64>,
}

/// Refuses what could lead to another file or address, and a range that ends before it begins.
fn check_question(symbol: &str, from: Date, to: Date) -> Result<(), PriceError> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b".-_^=".contains(&byte);
    let usable = symbol.len() <= LONGEST_SYMBOL
        && symbol.bytes().all(allowed)
        && !symbol.starts_with('.')
        && symbol.bytes().any(|byte| byte.is_ascii_alphanumeric());
    if !usable {
        return Err(PriceError::InvalidSymbol {
            symbol: symbol.chars().take(LONGEST_SYMBOL).collect(),
        });
    }
    if to < from {
        return Err(PriceError::InvalidRange { from, to });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
