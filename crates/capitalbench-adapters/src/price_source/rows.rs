//! The rules that every row must keep, whichever source delivers it, and the faults of those that do not.

use std::fmt;
use std::path::PathBuf;

use jiff::civil::Date;

use super::{DailyClose, PriceFault};

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

/// Checks the numbers of a row of a vendor, which must have both closes.
pub(super) fn check_vendor_row(row: DailyClose) -> Result<DailyClose, RowFault> {
    let date = row.date;
    match (row.close, row.adjusted) {
        (None, _) => Err(RowFault::NoClose { date }),
        (_, None) => Err(RowFault::NoAdjustedClose { date }),
        _ => check_numbers(&row).map(|()| row),
    }
}

/// Numbers the rows of an answer from 1 and arranges them; `None` is a row without a price.
pub(super) fn arrange_answer(
    rows: impl Iterator<Item = Result<Option<DailyClose>, RowFault>>,
) -> Result<Vec<DailyClose>, PriceFault> {
    let mut placed = Vec::new();
    for (row, found) in (1..).zip(rows) {
        let place = Place::Answer { row };
        match found {
            Ok(row) => placed.extend(row.map(|row| (place, row))),
            Err(fault) => return Err(PriceFault::Row { place, fault }),
        }
    }
    arrange(placed)
}

/// Puts rows in the order of their days and refuses a day that appears twice.
pub(super) fn arrange(mut rows: Vec<(Place, DailyClose)>) -> Result<Vec<DailyClose>, PriceFault> {
    // The sort is stable, so of two rows for a day the error names the later one.
    rows.sort_by_key(|(_, row)| row.date);
    let mut arranged: Vec<DailyClose> = Vec::with_capacity(rows.len());
    for (place, row) in rows {
        if arranged.last().is_some_and(|last| last.date == row.date) {
            let fault = RowFault::Duplicate { date: row.date };
            return Err(PriceFault::Row { place, fault });
        }
        arranged.push(row);
    }
    Ok(arranged)
}

/// The place of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Counted from 1, as sent.
    Answer { row: usize },
    File {
        file: PathBuf,
        /// Counted from 1; the header is line 1.
        line: usize,
        /// The name of the wrong column, if one is wrong.
        column: Option<String>,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answer { row } => write!(formatter, "row {row}"),
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
    #[error("{found:?} is not a day written YYYY-MM-DD")]
    BadDate { found: String },
    #[error(
        "the instant {found} belongs to no day for certain: it lies too near midnight, and the rules \
         of the exchange's time zone are not known; use another source for this symbol"
    )]
    UncertainDay { found: i64 },
    /// Without an adjusted close a distribution would look like a loss.
    #[error(
        "{date} has no adjusted close; returns would lose distributions, so the raw close is not \
         used instead; try again later or use another source"
    )]
    NoAdjustedClose { date: Date },
    #[error("{date} has no close; a session without a price must have no row")]
    NoClose { date: Date },
    #[error("the {field} of {date} is {found}, which is not above zero; the row is wrong")]
    NotAPrice {
        date: Date,
        field: Field,
        found: String,
    },
    #[error("the {field} of {date} is {found}, which is below zero; the row is wrong")]
    Negative {
        date: Date,
        field: Field,
        found: String,
    },
    #[error("{found:?} is not a number; write it like 123.45, or leave it empty")]
    NotANumber { found: String },
    #[error("{date} appears a second time; nobody can know which row is right, so none is used")]
    Duplicate { date: Date },
    #[error("{date} is outside the range from {from} to {to} that was asked for")]
    OutsideRange { date: Date, from: Date, to: Date },
    #[error(
        "the column {found:?} is not known{}; the columns are date, close, adj_close and, \
         optionally, volume, dividend, split",
        meant_text(nearest.as_deref())
    )]
    UnknownColumn {
        found: String,
        nearest: Option<String>,
    },
    #[error("the column {found} appears twice; keep one")]
    RepeatedColumn { found: String },
    #[error("the column {column} is missing; the header must be date,close,adj_close")]
    MissingColumn { column: &'static str },
    #[error("the line has {found} cells where the header has {expected}")]
    CellCount { found: usize, expected: usize },
    #[error("a quotation mark stands inside a cell or is not closed on its line")]
    Quote,
}

/// A number of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The close as traded.
    Close,
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
