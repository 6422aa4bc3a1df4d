//! The rules every row must keep, whoever delivers it, and what is wrong with one that does not.

use std::fmt;
use std::path::PathBuf;

use jiff::civil::Date;

use super::{DailyClose, PriceError};

/// Checks the numbers of one row.
pub(super) fn check_numbers(row: &DailyClose) -> Result<(), RowFault> {
    let date = row.date;
    for (field, value) in [
        (Field::Close, row.close),
        (Field::AdjustedClose, row.adjusted),
        (Field::Split, row.split),
    ] {
        if let Some(value) = value.filter(|value| !(value.is_finite() && *value > 0.0)) {
            let found = value.to_string();
            return Err(RowFault::NotAPrice { date, field, found });
        }
    }
    for (field, value) in [(Field::Volume, row.volume), (Field::Dividend, row.dividend)] {
        if let Some(value) = value.filter(|value| !(value.is_finite() && *value >= 0.0)) {
            let found = value.to_string();
            return Err(RowFault::Negative { date, field, found });
        }
    }
    Ok(())
}

/// Puts rows in the order of their days and refuses a day that comes twice.
pub(super) fn arrange(mut rows: Vec<(Place, DailyClose)>) -> Result<Vec<DailyClose>, PriceError> {
    // The sort is stable, so of two rows for a day the one that came later is blamed.
    rows.sort_by_key(|(_, row)| row.date);
    let mut arranged: Vec<DailyClose> = Vec::with_capacity(rows.len());
    for (place, row) in rows {
        if arranged.last().is_some_and(|last| last.date == row.date) {
            let fault = RowFault::Duplicate { date: row.date };
            return Err(PriceError::Row { place, fault });
        }
        arranged.push(row);
    }
    Ok(arranged)
}

/// Where a row stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In an answer.
    Answer {
        /// Whose answer.
        origin: &'static str,
        /// For which symbol.
        symbol: String,
        /// Counted from 1, as sent.
        row: usize,
    },
    /// In a file.
    File {
        /// Which one.
        file: PathBuf,
        /// Counted from 1; the header is line 1.
        line: usize,
        /// The column's name, where one is at fault.
        column: Option<String>,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answer {
                origin,
                symbol,
                row,
            } => write!(formatter, "{origin}, {symbol}, row {row}"),
            Self::File { file, line, column } => {
                write!(formatter, "{}, line {line}", file.display())?;
                match column {
                    Some(column) => write!(formatter, ", column {column}"),
                    None => Ok(()),
                }
            }
        }
    }
}

/// What is wrong with a row or a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RowFault {
    /// Not a day.
    #[error("{found:?} is not a day written YYYY-MM-DD")]
    BadDate { found: String },
    /// Without it a distribution would look like a loss.
    #[error(
        "{date} has no adjusted close; returns would lose distributions, so the raw close is not \
         taken instead; try again later or take another source"
    )]
    NoAdjustedClose { date: Date },
    /// Neither close.
    #[error("{date} has no close; a session without a price must have no row")]
    NoClose { date: Date },
    /// Zero, negative or not a number.
    #[error("the {field} of {date} is {found}, which is not above zero; the row is wrong")]
    NotAPrice {
        date: Date,
        field: Field,
        found: String,
    },
    /// A negative amount.
    #[error("the {field} of {date} is {found}, which is below zero; the row is wrong")]
    Negative {
        date: Date,
        field: Field,
        found: String,
    },
    /// Text where a number belongs.
    #[error("{found:?} is not a number; write it like 123.45, or leave it empty")]
    NotANumber { found: String },
    /// Two rows for one day.
    #[error("{date} appears a second time; which row is right cannot be known, so none is taken")]
    Duplicate { date: Date },
    /// A row nobody asked for.
    #[error("{date} is outside the range from {from} to {to} that was asked for")]
    OutsideRange { date: Date, from: Date, to: Date },
    /// A column that is not known.
    #[error(
        "the column {found:?} is not known{}; the columns are date, close, adj_close and, if \
         wanted, volume, dividend, split",
        meant_text(nearest.as_deref())
    )]
    UnknownColumn {
        found: String,
        nearest: Option<String>,
    },
    /// A column twice.
    #[error("the column {found} appears twice; keep one")]
    RepeatedColumn { found: String },
    /// A column that must be there.
    #[error("the column {column} is missing; the header must be date,close,adj_close")]
    MissingColumn { column: &'static str },
    /// A line that does not fit the header.
    #[error("the line has {found} cells where the header has {expected}")]
    CellCount { found: usize, expected: usize },
    /// A quotation mark without its partner.
    #[error("a quotation mark stands inside a cell or is not closed on its line")]
    Quote,
}

/// A number of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The close as traded.
    Close,
    /// The adjusted close.
    AdjustedClose,
    /// Shares traded.
    Volume,
    /// Cash per share.
    Dividend,
    /// New shares per old share.
    Split,
}

impl fmt::Display for Field {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Close => "close",
            Self::AdjustedClose => "adjusted close",
            Self::Volume => "volume",
            Self::Dividend => "dividend",
            Self::Split => "split",
        })
    }
}

fn meant_text(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!(" (did you mean {name}?)"))
}
