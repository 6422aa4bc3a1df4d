//! A table as Parquet.

use std::io::{self, Write};

use jiff::civil::{Date, date};

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
    // Cells of another kind, which are the missing ones, have no value.
    macro_rules! values_of {
        ($kind:ident, $value:ident => $made:expr) => {{
            let value = |cell: &'a Cell<'_>| match cell {
                Cell::$kind($value) => $made,
                _ => None,
            };
            Values::$kind(cells.map(value).collect())
        }};
    }
    let days = |day: Date| date(1970, 1, 1).until(day).ok().map(|span| span.get_days());
    match kind {
        Kind::Text => values_of!(Text, text => Some(text.as_ref())),
        Kind::Integer => values_of!(Integer, value => Some(*value)),
        Kind::Real => values_of!(Real, value => Some(*value)),
        Kind::Flag => values_of!(Flag, value => Some(*value)),
        Kind::Day => values_of!(Day, day => days(*day)),
        Kind::Instant => values_of!(Instant, instant => Some(instant.as_microsecond())),
    }
}

#[cfg(test)]
mod tests;
