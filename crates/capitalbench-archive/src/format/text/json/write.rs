//! Canonical writing of JSON.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Map, Number, Value};

use crate::format::text::number::push_float;

/// The text of a `.json` file that stores this.
pub fn render(stored: &impl Serialize) -> String {
    let value = serde_json::to_value(stored).expect("stored forms have text keys only");
    to_pretty(&value)
}

/// The text of a `.json` file: two spaces of indent, sorted keys, one newline at the end.
pub fn to_pretty(value: &Value) -> String {
    let mut writer = Writer::new(Layout::Pretty);
    writer.value(value);
    writer.out.push('\n');
    writer.out
}

/// The text of a `.json` file whose meaning depends on the order of its keys, such as a schema that
/// models write in: as [`to_pretty`], but every object keeps its order.
pub fn to_pretty_in_order(value: &Value) -> String {
    let mut writer = Writer::new(Layout::Pretty);
    writer.keys = Keys::AsGiven;
    writer.value(value);
    writer.out.push('\n');
    writer.out
}

/// The text of one log line, with sorted keys and without a newline.
pub fn to_line(value: &Value) -> String {
    let mut writer = Writer::new(Layout::Line);
    writer.value(value);
    writer.out
}

#[derive(Clone, Copy)]
enum Layout {
    Pretty,
    Line,
}

#[derive(Clone, Copy)]
enum Keys {
    Sorted,
    AsGiven,
}

struct Writer {
    out: String,
    layout: Layout,
    keys: Keys,
    depth: usize,
}

impl Writer {
    fn new(layout: Layout) -> Self {
        Self {
            out: String::new(),
            layout,
            keys: Keys::Sorted,
            depth: 0,
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(true) => self.out.push_str("true"),
            Value::Bool(false) => self.out.push_str("false"),
            Value::Number(number) => push_number(&mut self.out, number),
            Value::String(text) => push_text(&mut self.out, text),
            Value::Array(items) => self.array(items),
            Value::Object(object) => self.object(object),
        }
    }

    fn array(&mut self, items: &[Value]) {
        if items.is_empty() {
            self.out.push_str("[]");
            return;
        }
        self.out.push('[');
        self.depth += 1;
        for (index, item) in items.iter().enumerate() {
            self.lead(index);
            self.value(item);
        }
        self.close(']');
    }

    fn object(&mut self, object: &Map<String, Value>) {
        if object.is_empty() {
            self.out.push_str("{}");
            return;
        }
        let mut entries: Vec<_> = object.iter().collect();
        if matches!(self.keys, Keys::Sorted) {
            // The byte order of UTF-8 is the order of code points.
            entries.sort_unstable_by_key(|(key, _)| *key);
        }
        self.out.push('{');
        self.depth += 1;
        for (index, (key, value)) in entries.into_iter().enumerate() {
            self.lead(index);
            push_text(&mut self.out, key);
            self.out.push_str(": ");
            self.value(value);
        }
        self.close('}');
    }

    /// Writes the separator and the line break before the item at `index` of a container.
    fn lead(&mut self, index: usize) {
        match (self.layout, index) {
            (Layout::Line, 0) => {}
            (Layout::Line, _) => self.out.push_str(", "),
            (Layout::Pretty, 0) => self.start_line(),
            (Layout::Pretty, _) => {
                self.out.push(',');
                self.start_line();
            }
        }
    }

    fn close(&mut self, bracket: char) {
        self.depth -= 1;
        if matches!(self.layout, Layout::Pretty) {
            self.start_line();
        }
        self.out.push(bracket);
    }

    fn start_line(&mut self) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n("  ", self.depth));
    }
}

fn push_number(out: &mut String, number: &Number) {
    match number.as_f64() {
        Some(value) if number.is_f64() => push_float(out, value),
        _ => out.push_str(&number.to_string()),
    }
}

fn push_text(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(needs_escape) {
        let (plain, tail) = rest.split_at(at);
        out.push_str(plain);
        let mut characters = tail.chars();
        if let Some(character) = characters.next() {
            push_escape(out, character);
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

fn needs_escape(byte: u8) -> bool {
    !matches!(byte, b' '..=b'~') || matches!(byte, b'"' | b'\\')
}

fn push_escape(out: &mut String, character: char) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        _ => {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
}

#[cfg(test)]
mod tests;
