//! A table as CSV: RFC 4180, `\n` line ends, an empty field for no value.

use crate::table::{Cell, Row, Table};

/// The text of a table.
pub fn csv(table: &Table, rows: &[Row<'_>]) -> Vec<u8> {
    let mut out = String::new();
    for (place, column) in table.columns.iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        out.push_str(column.name);
    }
    out.push('\n');
    for row in rows {
        for (place, cell) in row.iter().enumerate() {
            if place > 0 {
                out.push(',');
            }
            push(&mut out, cell);
        }
        out.push('\n');
    }
    out.into_bytes()
}

fn push(out: &mut String, cell: &Cell<'_>) {
    match cell {
        Cell::Missing => {}
        Cell::Text(text) => push_text(out, text),
        Cell::Integer(value) => out.push_str(&value.to_string()),
        Cell::Real(value) => out.push_str(&real_text(*value)),
        Cell::Flag(value) => out.push_str(if *value { "true" } else { "false" }),
        Cell::Day(day) => out.push_str(&day.to_string()),
        Cell::Instant(instant) => out.push_str(&instant.to_string()),
    }
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
mod tests {
    use super::*;

    #[test]
    fn missing_and_empty_are_told_apart() {
        let mut out = String::new();
        for cell in [
            Cell::Missing,
            "".into(),
            "a \"b\", c".into(),
            0.1.into(),
            true.into(),
            f64::NAN.into(),
        ] {
            push(&mut out, &cell);
            out.push('|');
        }
        assert_eq!(out, "|\"\"|\"a \"\"b\"\", c\"|0.1|true||");
        assert_eq!(
            real_text(9.841_443_411_700_013e-5),
            "0.00009841443411700013"
        );
    }
}
