//! JSON for people and machines: a row of plain values stands on one line.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::table::{Cell, Row, Table};

/// The text of a document, with a newline at its end.
pub(crate) fn json_text(value: &Value) -> Vec<u8> {
    let mut out = String::new();
    write(&mut out, value, 0);
    out.push('\n');
    out.into_bytes()
}

/// An array that is written item by item, as [`json_text`] writes the whole; an item is a row.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    any: bool,
}

impl Rows {
    /// The text of the next rows.
    pub(crate) fn next(&mut self, table: &Table, rows: &[Row<'_>]) -> String {
        let mut out = String::new();
        for row in rows {
            out.push_str(if self.any { ",\n " } else { "[\n " });
            self.any = true;
            push_row(&mut out, table, row);
        }
        out
    }

    /// The end of the array.
    pub(crate) fn end(self) -> &'static str {
        if self.any { "\n]\n" } else { "[]\n" }
    }
}

/// A row as an object on one line.
fn push_row(out: &mut String, table: &Table, row: &Row<'_>) {
    let mut before = '{';
    for (column, cell) in table.columns.iter().zip(row) {
        out.push(before);
        before = ',';
        // Names of columns are plain words.
        let _ = write!(out, "\"{}\":", column.name);
        let _ = match cell {
            Cell::Text(text) => write!(out, "{}", Value::from(&**text)),
            Cell::Integer(value) => write!(out, "{value}"),
            Cell::Real(value) => write!(out, "{}", Value::from(*value)),
            Cell::Flag(value) => write!(out, "{value}"),
            Cell::Day(day) => write!(out, "\"{day}\""),
            Cell::Instant(instant) => write!(out, "\"{instant}\""),
            Cell::Missing => write!(out, "null"),
        };
    }
    out.push('}');
}

/// The text of a document one of whose members, an array, is made item by item; `put` takes every
/// piece of it.
pub(crate) fn with_items<E>(
    members: &Map<String, Value>,
    (member, items): (&str, impl Iterator<Item = Value>),
    put: &mut dyn FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let mut items = Some(items);
    let mut before = "{\n ";
    for (name, value) in members {
        let mut out = format!("{before}{}: ", Value::from(name.as_str()));
        before = ",\n ";
        match items.take_if(|_| name == member) {
            None => write(&mut out, value, 1),
            Some(items) => {
                let mut any = false;
                for item in items {
                    out.push_str(if any { ",\n  " } else { "[\n  " });
                    any = true;
                    write(&mut out, &item, 2);
                    put(&out)?;
                    out.clear();
                }
                out.push_str(if any { "\n ]" } else { "[]" });
            }
        }
        put(&out)?;
    }
    put("\n}\n")
}

fn is_plain(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

fn write(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Array(items) if !items.iter().all(is_plain) => {
            let items = items.iter().map(|item| (None, item));
            block(out, ('[', ']'), items, depth);
        }
        Value::Object(members) if !members.values().all(is_plain) => {
            let members = members.iter().map(|(name, member)| (Some(name), member));
            block(out, ('{', '}'), members, depth);
        }
        plain => out.push_str(&plain.to_string()),
    }
}

fn block<'a>(
    out: &mut String,
    (open, close): (char, char),
    items: impl Iterator<Item = (Option<&'a String>, &'a Value)>,
    depth: usize,
) {
    out.push(open);
    for (place, (name, item)) in items.enumerate() {
        out.push_str(if place > 0 { ",\n" } else { "\n" });
        out.extend(std::iter::repeat_n(' ', depth + 1));
        if let Some(name) = name {
            out.push_str(&Value::from(name.as_str()).to_string());
            out.push_str(": ");
        }
        write(out, item, depth + 1);
    }
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', depth));
    out.push(close);
}

#[cfg(test)]
mod tests;
