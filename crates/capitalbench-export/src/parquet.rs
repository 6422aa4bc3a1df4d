//! A table as Parquet.

use capitalbench_parquet::{Column as ParquetColumn, Presence as ParquetPresence, Values, file};
use jiff::civil::date;

use crate::table::{Cell, Kind, Presence, Row, Table};

/// The file of a table.
pub fn parquet(table: &Table, rows: &[Row<'_>]) -> Vec<u8> {
    let columns: Vec<ParquetColumn<'_>> = table
        .columns
        .iter()
        .enumerate()
        .map(|(place, column)| ParquetColumn {
            name: column.name,
            presence: presence(column.presence, rows, place),
            values: values(column.kind, rows, place),
        })
        .collect();
    file(&columns)
}

/// A figure that overflowed is missing also where every row should have one; a column that must hold
/// a value in every row could not be read then.
fn presence(described: Presence, rows: &[Row<'_>], place: usize) -> ParquetPresence {
    let missing = rows.iter().any(|row| row[place] == Cell::Missing);
    match described {
        Presence::Always if !missing => ParquetPresence::Required,
        Presence::Always | Presence::Maybe => ParquetPresence::Optional,
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
    use crate::table::{Column, always, maybe};

    #[test]
    fn a_column_with_a_gap_is_optional_whatever_its_description_says() {
        const REQUIRED: [Column; 1] = [always("n", Kind::Real, "A figure")];
        const OPTIONAL: [Column; 1] = [maybe("n", Kind::Real, "A figure")];
        let written = |columns: &'static [Column], figures: [f64; 2]| {
            let table = Table {
                name: "t",
                about: "",
                columns,
                rows: |_| Vec::new(),
            };
            parquet(&table, &figures.map(|figure| vec![Cell::from(figure)]))
        };
        let overflowed = [1.0, f64::INFINITY];
        assert_eq!(
            written(&REQUIRED, overflowed),
            written(&OPTIONAL, overflowed)
        );
        let whole = [1.0, 2.0];
        assert_ne!(written(&REQUIRED, whole), written(&OPTIONAL, whole));
    }
}
