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
    /// The next items, after those before.
    pub(crate) fn next(&mut self, table: &Table, rows: &[Row<'_>]) -> String {
        let mut out = String::new();
        for row in rows {
            out.push_str(if self.any { ",\n " } else { "[\n " });
            self.any = true;
            push_row(&mut out, table, row);
        }
        out
    }

    /// What stands after the last.
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
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rows_stand_on_one_line_and_read_back() {
        let value = json!({"a": [{"b": 1, "c": null}, {"b": 0.1}], "d": [], "e": {"f": {}}});
        let text = String::from_utf8(json_text(&value)).unwrap();
        assert!(text.contains("\n  {\"b\":1,\"c\":null},\n"), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }

    #[test]
    fn a_document_in_pieces_is_the_same_text() {
        for items in [json!([]), json!([{"b": [{"c": 1}]}, {"b": []}])] {
            let whole = json!({"a": 1, "items": items, "z": [{"y": null}]});
            let mut text = String::new();
            let mut members = whole.as_object().unwrap().clone();
            members["items"] = Value::Null;
            let items = items.as_array().unwrap().iter().cloned();
            let done = with_items::<()>(&members, ("items", items), &mut |piece| {
                text.push_str(piece);
                Ok(())
            });
            assert_eq!(done, Ok(()));
            assert_eq!(text.into_bytes(), json_text(&whole));
        }
    }

    #[test]
    fn rows_in_pieces_are_the_same_text() {
        let table = &crate::tables::interim::INTERIM_POINTS;
        let cells = [
            "a \"b\" \u{1}".into(),
            0.1.into(),
            Cell::Missing,
            true.into(),
            7_u32.into(),
            jiff::civil::date(2026, 1, 2).into(),
            Cell::Instant(jiff::Timestamp::UNIX_EPOCH),
        ];
        let row = |place: usize| -> Row<'_> {
            let cells = cells.iter().cycle().skip(place);
            cells.take(table.columns.len()).cloned().collect()
        };
        for count in [0, 1, 3, 7] {
            let rows: Vec<Row<'_>> = (0..count).map(row).collect();
            let whole = rows.iter().cloned();
            let whole = whole.map(|row| crate::publication_v1::object(table, row).into());
            let mut pieces = Rows::default();
            let mut text = String::new();
            for piece in rows.chunks(2) {
                text.push_str(&pieces.next(table, piece));
            }
            text.push_str(pieces.end());
            assert_eq!(text.into_bytes(), json_text(&Value::Array(whole.collect())));
        }
    }
}
