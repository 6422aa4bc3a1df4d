//! Canonical writing of JSON.

use serde_json::{Map, Number, Value};

use crate::format::number::push_float;

/// The text of a `.json` file: two spaces of indent, sorted keys, one newline at the end.
pub fn to_pretty(value: &Value) -> String {
    let mut writer = Writer::new(Layout::Pretty);
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

struct Writer {
    out: String,
    layout: Layout,
    depth: usize,
}

impl Writer {
    fn new(layout: Layout) -> Self {
        Self {
            out: String::new(),
            layout,
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
        // The byte order of UTF-8 is the order of code points.
        let mut entries: Vec<_> = object.iter().collect();
        entries.sort_unstable_by_key(|(key, _)| *key);
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

    /// Writes what stands before the item at `index` of a container.
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
                out.push_str("\\u");
                for shift in [12, 8, 4, 0] {
                    out.push(char::from(
                        b"0123456789abcdef"[usize::from(*unit >> shift & 0xf)],
                    ));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::format::json::parse;

    #[test]
    fn files_are_indented_and_sorted() {
        let value = json!({"b": [1, {"z": 1.0, "a": null}], "a": {}, "Z": [], "c": true});
        let text = r#"{
  "Z": [],
  "a": {},
  "b": [
    1,
    {
      "a": null,
      "z": 1.0
    }
  ],
  "c": true
}
"#;
        assert_eq!(to_pretty(&value), text);
    }

    #[test]
    fn lines_have_spaces_and_no_end() {
        let value = json!({"b": [1, -2.5, []], "a": {"y": false, "x": "t"}});
        assert_eq!(
            to_line(&value),
            r#"{"a": {"x": "t", "y": false}, "b": [1, -2.5, []]}"#
        );
    }

    #[test]
    fn scalars_stand_alone() {
        assert_eq!(to_pretty(&json!(null)), "null\n");
        assert_eq!(to_pretty(&json!([])), "[]\n");
        assert_eq!(to_line(&json!(1e-5)), "1e-05");
        assert_eq!(to_line(&json!(u64::MAX)), "18446744073709551615");
        assert_eq!(to_line(&json!(i64::MIN)), "-9223372036854775808");
    }

    #[test]
    fn escapes_all_but_plain_ascii() {
        for (text, written) in [
            ("", r#""""#),
            ("a\"b\\c/", r#""a\"b\\c/""#),
            ("\n\r\t\u{8}\u{c}", r#""\n\r\t\b\f""#),
            ("\0\u{1f}", r#""\u0000\u001f""#),
            ("~\u{7f}", r#""~\u007f""#),
            ("\u{80}\u{e9}\u{2014}", r#""\u0080\u00e9\u2014""#),
            ("x\u{1f600}y", r#""x\ud83d\ude00y""#),
            ("\u{ffff}", r#""\uffff""#),
        ] {
            assert_eq!(to_line(&json!(text)), written);
        }
    }

    #[test]
    fn keys_are_sorted_by_code_point() {
        let value = json!({"\u{1f600}": 1, "\u{ff5e}": 2, "b": 3, "B": 4, "ab": 5, "a": 6});
        assert_eq!(
            to_line(&value),
            r#"{"B": 4, "a": 6, "ab": 5, "b": 3, "\uff5e": 2, "\ud83d\ude00": 1}"#
        );
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let number =
            any::<f64>().prop_filter("JSON has no other numbers", |value| value.is_finite());
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            number.prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn both_forms_read_back_as_the_same_value(value in any_value()) {
            let pretty = to_pretty(&value);
            prop_assert!(pretty.is_ascii());
            prop_assert_eq!(&parse(pretty.as_bytes()).unwrap(), &value);
            let line = to_line(&value);
            prop_assert!(!line.contains('\n'));
            prop_assert_eq!(&parse(line.as_bytes()).unwrap(), &value);
        }
    }
}
