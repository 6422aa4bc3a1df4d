//! Price history → the mechanical table that every model is shown.
//!
//! [`market_context`] computes trailing returns, their ranks and a few figures of the path from
//! adjusted closes. The as-of point is the last close on or before the as-of date; a baseline is
//! the last close on or before the beginning of its window. Nothing is interpolated: what the
//! history does not hold stays empty and the row says so.

use std::collections::BTreeMap;

use jiff::ToSpan as _;
use jiff::civil::Date;

use crate::market::calendar::Market;
use crate::market::universe::{Listing, MarketOption, Universe};
use crate::values::ids::OptionId;

mod figures;

pub use figures::PathFigures;
use figures::Series;

/// A stretch of time that ends at the as-of date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TrailingWindow {
    /// Seven days.
    Days7,
    /// Thirty days.
    Days30,
    /// Six calendar months.
    Months6,
    /// Twelve calendar months.
    Year1,
}

impl TrailingWindow {
    /// All windows, in column order.
    pub const ALL: [Self; 4] = [Self::Days7, Self::Days30, Self::Months6, Self::Year1];

    /// The suffix of the window's columns.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Days7 => "7d",
            Self::Days30 => "30d",
            Self::Months6 => "6m",
            Self::Year1 => "1y",
        }
    }

    /// The day on which the window begins; the day of the month is clamped to the month's end.
    pub fn start(self, as_of: Date) -> Option<Date> {
        let span = match self {
            Self::Days7 => 7.days(),
            Self::Days30 => 30.days(),
            Self::Months6 => 6.months(),
            Self::Year1 => 12.months(),
        };
        as_of.checked_sub(span).ok()
    }
}

/// The first day of history to ask a price source for: the earliest baseline and ten days more.
pub fn history_start(as_of: Date) -> Option<Date> {
    let start = TrailingWindow::Year1.start(as_of)?;
    start.checked_sub(10.days()).ok()
}

/// The adjusted closes of one option, in any order.
#[derive(Debug, Clone, PartialEq)]
pub struct PriceHistory {
    /// Whose closes these are.
    pub option_id: OptionId,
    /// Day and adjusted close; closes after the as-of date are left out of account.
    pub closes: Vec<(Date, f64)>,
}

/// One adjusted close.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PricePoint {
    /// Its day.
    pub date: Date,
    /// Its value.
    pub adjusted_close: f64,
}

/// The return of one window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrailingReturn {
    pub window: TrailingWindow,
    /// Day of the baseline close.
    pub price_date: Option<Date>,
    /// As-of close ÷ baseline close − 1.
    pub value: Option<f64>,
    /// Place by return, highest first, ties by id; only rows that pass, and cash.
    pub rank: Option<usize>,
    /// Own return − return of the reference.
    pub versus_reference: Option<f64>,
}

/// Whether a row could be filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextStatus {
    /// Every window has a return.
    Pass,
    /// A close is missing; the message says which.
    Fail,
    /// Cash: returns are zero by definition.
    Cash,
}

impl ContextStatus {
    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Cash => "cash",
        }
    }
}

/// One option's line of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextRow {
    pub option_id: OptionId,
    /// The last close on or before the as-of date.
    pub as_of: Option<PricePoint>,
    /// The returns, in the order of [`TrailingWindow::ALL`].
    pub returns: [TrailingReturn; 4],
    pub path: PathFigures,
    /// Whether the row could be filled.
    pub status: ContextStatus,
    /// What is missing, or that nothing is.
    pub message: String,
}

/// The whole table, in option order; options that models do not see are left out.
#[derive(Debug, Clone, PartialEq)]
pub struct MarketContext {
    /// The day asked for.
    pub as_of: Date,
    /// One row per option shown.
    pub rows: Vec<ContextRow>,
}

impl MarketContext {
    /// Options whose row could not be filled.
    pub fn failed(&self) -> Vec<&OptionId> {
        let failed = |row: &&ContextRow| row.status == ContextStatus::Fail;
        self.rows
            .iter()
            .filter(failed)
            .map(|row| &row.option_id)
            .collect()
    }
}

/// Why no table can be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ContextError {
    /// Two closes for one day.
    #[error("the history of {option_id} has two closes for {date}")]
    DuplicateDate {
        /// Whose history.
        option_id: OptionId,
        /// Which day.
        date: Date,
    },
    /// A close that is no price.
    #[error("the history of {option_id} has {value} as the close of {date}; it must be above zero")]
    NotAPrice {
        /// Whose history.
        option_id: OptionId,
        /// Which day.
        date: Date,
        /// The number given.
        value: f64,
    },
    /// Two histories for one option.
    #[error("{0} has two histories")]
    DuplicateHistory(OptionId),
    /// The option is not in the universe.
    #[error("{0} has a history but is not in the universe")]
    UnknownOption(OptionId),
    /// The windows begin before representable time.
    #[error("no windows can be counted back from {0}")]
    DateOutOfRange(Date),
}

/// The table of a universe as of a day.
pub fn market_context(
    universe: &Universe,
    histories: &[PriceHistory],
    as_of: Date,
) -> Result<MarketContext, ContextError> {
    let starts = window_starts(as_of).ok_or(ContextError::DateOutOfRange(as_of))?;
    let series = series_by_option(universe, histories, as_of)?;
    let no_series = Series::default();
    let of = |option: &MarketOption| series.get(&option.id).unwrap_or(&no_series);
    let table = Table {
        starts,
        reference: of(universe.reference()),
        market: universe.market(),
    };
    let shown = universe
        .options()
        .iter()
        .filter(|o| o.listing == Listing::Shown);
    let mut rows: Vec<ContextRow> = shown
        .map(|option| {
            if option.is_cash() {
                cash_row(&option.id, as_of)
            } else {
                price_row(&option.id, of(option), &table)
            }
        })
        .collect();
    let last = table.reference.last();
    for (index, (_, start)) in starts.into_iter().enumerate() {
        let base = table.reference.on_or_before(start);
        compare(&mut rows, index, return_between(base, last));
        rank(&mut rows, index);
    }
    Ok(MarketContext { as_of, rows })
}

/// A fraction as the Markdown tables show it: times 100, two decimals and a percent sign.
pub fn percent_cell(fraction: f64) -> String {
    format!("{:.2}%", fraction * 100.0)
}

type WindowStarts = [(TrailingWindow, Date); 4];

/// What all rows of a table are computed with.
struct Table<'a> {
    starts: WindowStarts,
    reference: &'a Series,
    market: Market,
}

fn window_starts(as_of: Date) -> Option<WindowStarts> {
    let mut starts = TrailingWindow::ALL.map(|window| (window, as_of));
    for (window, start) in &mut starts {
        *start = window.start(as_of)?;
    }
    Some(starts)
}

fn series_by_option<'a>(
    universe: &'a Universe,
    histories: &[PriceHistory],
    as_of: Date,
) -> Result<BTreeMap<&'a OptionId, Series>, ContextError> {
    let mut by_option = BTreeMap::new();
    for history in histories {
        let id = &history.option_id;
        let Some(option) = universe.get(id) else {
            return Err(ContextError::UnknownOption(id.clone()));
        };
        let series = Series::new(history, as_of)?;
        if by_option.insert(&option.id, series).is_some() {
            return Err(ContextError::DuplicateHistory(id.clone()));
        }
    }
    Ok(by_option)
}

fn return_between(base: Option<PricePoint>, last: Option<PricePoint>) -> Option<f64> {
    Some(last?.adjusted_close / base?.adjusted_close - 1.0)
}

fn price_row(id: &OptionId, series: &Series, table: &Table<'_>) -> ContextRow {
    let last = series.last();
    let starts = &table.starts;
    let returns = starts.map(|(window, start)| {
        let base = series.on_or_before(start);
        TrailingReturn {
            window,
            price_date: base.map(|point| point.date),
            value: return_between(base, last),
            rank: None,
            versus_reference: None,
        }
    });
    let missing: Vec<String> = starts
        .iter()
        .zip(&returns)
        .filter(|(_, trailing)| trailing.value.is_none())
        .map(|((window, start), _)| format!("{start} ({})", window.as_str()))
        .collect();
    let (status, message) = if last.is_none() {
        let text = "no adjusted close on or before the as-of date";
        (ContextStatus::Fail, text.to_owned())
    } else if missing.is_empty() {
        (ContextStatus::Pass, "OK".to_owned())
    } else {
        let days = missing.join(", ");
        (
            ContextStatus::Fail,
            format!("no adjusted close on or before {days}"),
        )
    };
    ContextRow {
        option_id: id.clone(),
        as_of: last,
        returns,
        path: PathFigures::of(series, table),
        status,
        message,
    }
}

fn cash_row(id: &OptionId, as_of: Date) -> ContextRow {
    ContextRow {
        option_id: id.clone(),
        as_of: Some(PricePoint {
            date: as_of,
            adjusted_close: 1.0,
        }),
        returns: TrailingWindow::ALL.map(|window| TrailingReturn {
            window,
            price_date: Some(as_of),
            value: Some(0.0),
            rank: None,
            versus_reference: None,
        }),
        path: PathFigures::CASH,
        status: ContextStatus::Cash,
        message: "cash returns 0 in every window by definition".to_owned(),
    }
}

fn compare(rows: &mut [ContextRow], index: usize, reference: Option<f64>) {
    for row in rows {
        let trailing = &mut row.returns[index];
        let both = trailing.value.zip(reference);
        trailing.versus_reference = both.map(|(own, other)| own - other);
    }
}

fn rank(rows: &mut [ContextRow], index: usize) {
    let mut ranked: Vec<(f64, &mut ContextRow)> = rows
        .iter_mut()
        .filter(|row| row.status != ContextStatus::Fail)
        .filter_map(|row| Some((row.returns[index].value?, row)))
        .collect();
    ranked.sort_by(|(a, left), (b, right)| {
        b.total_cmp(a)
            .then_with(|| left.option_id.cmp(&right.option_id))
    });
    for (place, (_, row)) in (1..).zip(ranked) {
        row.returns[index].rank = Some(place);
    }
}

#[cfg(test)]
mod tests;
