//! A table as Parquet.

use std::io::{self, Write};

use jiff::civil::date;

mod file;
mod thrift;

pub(crate) use file::GROUP_ROWS;
use file::{Column as ParquetColumn, Presence as ParquetPresence, Values, Writer};

use crate::table::{Cell, Column, Kind, Presence, Row, Table};

/// Begins the file of a table.
pub(crate) fn begin<W: Write>(table: &Table, out: W) -> io::Result<Writer<W>> {
    Writer::begin(out, &columns(table, &[]))
}

/// Rows of a table by column; they are one row group.
pub(crate) fn columns<'a>(table: &Table, rows: &'a [Row<'_>]) -> Vec<ParquetColumn<'a>> {
    let columns = table.columns.iter().enumerate();
    columns
        .map(|(place, column)| ParquetColumn {
            name: column.name,
            presence: presence(column),
            values: values(column.kind, rows, place),
        })
        .collect()
}

/// A figure that overflowed is missing also where every row should have one, and row groups that are
/// written before it is met could not be read then: a column of figures never demands one.
fn presence(column: &Column) -> ParquetPresence {
    match (column.presence, column.kind) {
        (Presence::Maybe, _) | (_, Kind::Real) => ParquetPresence::Optional,
        (Presence::Always, _) => ParquetPresence::Required,
    }
}

fn values<'a>(kind: Kind, rows: &'a [Row<'_>], place: usize) -> Values<'a> {
    let cells = rows.iter().map(|row| &row[place]);
    match kind {
        Kind::Text => Values::Text(cells.map(text).collect()),
        Kind::Integer => Values::Integer(cells.map(integer).collect()),
        Kind::Real => Values::Real(cells.map(real).collect()),
        Kind::Flag => Values::Flag(cells.map(flag).collect()),
        Kind::Day => Values::Day(cells.map(day).collect()),
        Kind::Instant => Values::Instant(cells.map(instant).collect()),
    }
}

fn text<'a>(cell: &'a Cell<'_>) -> Option<&'a str> {
    match cell {
        Cell::Text(text) => Some(text),
        _ => None,
    }
}

fn integer(cell: &Cell<'_>) -> Option<i64> {
    match cell {
        Cell::Integer(value) => Some(*value),
        _ => None,
    }
}

fn real(cell: &Cell<'_>) -> Option<f64> {
    match cell {
        Cell::Real(value) => Some(*value),
        _ => None,
    }
}

fn flag(cell: &Cell<'_>) -> Option<bool> {
    match cell {
        Cell::Flag(value) => Some(*value),
        _ => None,
    }
}

fn day(cell: &Cell<'_>) -> Option<i32> {
    match cell {
        Cell::Day(day) => date(1970, 1, 1)
            .until(*day)
            .ok()
            .map(|span| span.get_days()),
        _ => None,
    }
}

fn instant(cell: &Cell<'_>) -> Option<i64> {
    match cell {
        Cell::Instant(instant) => Some(instant.as_microsecond()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
