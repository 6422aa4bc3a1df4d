//! A table as Parquet.

use std::io::{self, Write};

use capitalbench_parquet::{Column as ParquetColumn, Presence as ParquetPresence, Values, Writer};
use jiff::civil::date;

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
mod tests {
    use super::*;
    use crate::table::{Filling, always};

    #[test]
    fn a_figure_that_overflowed_is_a_gap_that_can_be_read() {
        const COLUMNS: [Column; 2] = [
            always("n", Kind::Integer, "A number"),
            always("f", Kind::Real, "A figure"),
        ];
        let table = Table {
            name: "t",
            about: "",
            columns: &COLUMNS,
            filling: Filling::Whole(|_| Vec::new()),
        };
        let rows = [1.0, f64::INFINITY].map(|f| vec![Cell::Integer(1), Cell::from(f)]);
        let found = columns(&table, &rows);
        assert_eq!(found[0].presence, ParquetPresence::Required);
        assert_eq!(found[1].presence, ParquetPresence::Optional);
        assert_eq!(found[1].values, Values::Real(vec![Some(1.0), None]));
    }
}
