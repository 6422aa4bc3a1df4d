//! `prices/window.csv`: every session of every option that one fetch returned, in universe order.

use std::collections::BTreeSet;

use capitalbench_core::market::price_window::{PriceWindow, Session};
use capitalbench_core::values::ids::OptionId;
use capitalbench_core::values::time::parse_day;
use capitalbench_core::values::units::Price;

use crate::disk::error::Fault;
use crate::format::text::number::float_text;
use crate::format::text::table::{CsvText, read_table};

const COLUMNS: [&str; 8] = [
    "option_id",
    "symbol",
    "date",
    "close",
    "adj_close",
    "dividend",
    "split_factor",
    "volume",
];

/// Columns where closes are not published.
const INDEX_COLUMNS: [&str; 4] = ["option_id", "symbol", "date", "index"];

/// Windows of base one, whose index stands in place of the adjusted close.
pub fn render_indexes(windows: &[PriceWindow]) -> String {
    let mut text = CsvText::new();
    text.row(INDEX_COLUMNS);
    for window in windows {
        for session in &window.sessions {
            let index = session.adjusted.map(|index| float_text(index.get()));
            text.row([
                window.option_id.to_string(),
                window.symbol.clone(),
                session.date.to_string(),
                index.unwrap_or_default(),
            ]);
        }
    }
    text.into_string()
}

pub fn render(windows: &[PriceWindow]) -> String {
    let mut text = CsvText::new();
    text.row(COLUMNS);
    for window in windows {
        for session in &window.sessions {
            let number = |value: Option<f64>| value.map(float_text).unwrap_or_default();
            text.row([
                window.option_id.to_string(),
                window.symbol.clone(),
                session.date.to_string(),
                number(session.close.map(Price::get)),
                number(session.adjusted.map(Price::get)),
                number(session.dividend),
                number(session.split),
                number(session.volume),
            ]);
        }
    }
    text.into_string()
}

/// Whether a file holds indexes; it may be unreadable otherwise.
pub fn is_indexed(bytes: &[u8]) -> bool {
    let first = bytes.split(|byte| *byte == b'\n').next();
    first.unwrap_or_default().trim_ascii_end() == INDEX_COLUMNS.join(",").as_bytes()
}

/// Reads the file; faults name line and column.
pub fn parse(bytes: &[u8]) -> Result<Vec<PriceWindow>, Fault> {
    let table = read_table(bytes)?;
    let indexed = table.header == INDEX_COLUMNS;
    if !indexed && table.header != COLUMNS {
        return Err(Fault::new(format!("its columns must be {}", COLUMNS.join(","))).on_line(1));
    }
    let mut windows: Vec<PriceWindow> = Vec::new();
    let mut seen: BTreeSet<OptionId> = BTreeSet::new();
    for row in &table.rows {
        let cell = |index: usize| row.cells.get(index).map_or("", |cell| cell.trim());
        let wrong = |index: usize, text: &str| {
            let name = table.header.get(index).map_or("", |name| name);
            Fault::field(name, format!("{:?} {text}", cell(index))).on_line(row.line)
        };
        let number = |index: usize| match cell(index) {
            "" => Ok(None),
            text => match text.parse::<f64>() {
                Ok(value) if value.is_finite() && value >= 0.0 => Ok(Some(value)),
                _ => Err(wrong(index, "is not a number of zero or more")),
            },
        };
        let price = |index: usize| match number(index)? {
            None => Ok(None),
            Some(value) => Price::new(value)
                .map(Some)
                .ok_or_else(|| wrong(index, "is not a price above zero")),
        };
        let option_id = OptionId::parse(cell(0)).map_err(|error| wrong(0, &error.to_string()))?;
        // An index stands where the close is otherwise.
        let (close, adjusted) = if indexed { (4, 3) } else { (3, 4) };
        let session = Session {
            date: parse_day(cell(2)).ok_or_else(|| wrong(2, "is not a day"))?,
            close: price(close)?,
            adjusted: price(adjusted)?,
            dividend: number(5)?,
            split: number(6)?,
            volume: number(7)?,
        };
        match windows.last_mut().filter(|w| w.option_id == option_id) {
            Some(window) => {
                if window
                    .sessions
                    .last()
                    .is_some_and(|s| s.date >= session.date)
                {
                    return Err(wrong(2, "does not come after the day before it"));
                }
                window.sessions.push(session);
            }
            None if !seen.insert(option_id.clone()) => {
                return Err(wrong(0, "has rows in two places"));
            }
            None => windows.push(PriceWindow {
                option_id,
                symbol: cell(1).to_owned(),
                sessions: vec![session],
            }),
        }
    }
    Ok(windows)
}

#[cfg(test)]
mod tests;
