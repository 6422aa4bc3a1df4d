//! A table as CSV: RFC 4180, `\n` line ends, an empty field for no value.

use crate::table::{Cell, Row, Table};

/// Who opens a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// A program: every text exactly as it is.
    Program,
    /// A person with a spreadsheet, which runs what looks like a formula: such a text gets an
    /// apostrophe before it.
    Spreadsheet,
}

/// The first line of a table.
pub fn head(table: &Table) -> String {
    let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
    names.join(",") + "\n"
}

/// Rows of a table, one per line.
pub fn lines(reader: Reader, rows: &[Row<'_>]) -> String {
    let mut out = String::new();
    for row in rows {
        for (place, cell) in row.iter().enumerate() {
            if place > 0 {
                out.push(',');
            }
            push(&mut out, cell, reader);
        }
        out.push('\n');
    }
    out
}

fn push(out: &mut String, cell: &Cell<'_>, reader: Reader) {
    match cell {
        Cell::Missing => {}
        Cell::Text(text) if reader == Reader::Spreadsheet && is_formula(text) => {
            push_text(out, &format!("'{text}"));
        }
        Cell::Text(text) => push_text(out, text),
        Cell::Integer(value) => out.push_str(&value.to_string()),
        Cell::Real(value) => out.push_str(&real_text(*value)),
        Cell::Flag(value) => out.push_str(if *value { "true" } else { "false" }),
        Cell::Day(day) => out.push_str(&day.to_string()),
        Cell::Instant(instant) => out.push_str(&instant.to_string()),
    }
}

/// Whether a spreadsheet would compute a text, or read it as more than one cell.
fn is_formula(text: &str) -> bool {
    let first = text.trim_start_matches([' ', '\u{a0}', '\u{feff}']);
    first.starts_with([
        '=', '+', '-', '@', '\t', '\r', '\n', '|', '%', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}',
        '\u{ff20}',
    ])
}

/// The shortest text that reads back as the same double, as JSON writes it.
pub(crate) fn real_text(value: f64) -> String {
    serde_json::Value::from(value).to_string()
}

/// An empty text is quoted, so that it is not taken for no value.
fn push_text(out: &mut String, text: &str) {
    let plain = !text.is_empty() && !text.contains([',', '"', '\r', '\n']);
    if plain {
        out.push_str(text);
        return;
    }
    out.push('"');
    out.push_str(&text.replace('"', "\"\""));
    out.push('"');
}

#[cfg(test)]
mod tests;
