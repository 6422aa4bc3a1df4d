//! JSON for people and machines: a row of plain values stands on one line.

use serde_json::Value;

/// The text of a document, with a newline at its end.
pub(crate) fn json_text(value: &Value) -> Vec<u8> {
    let mut out = String::new();
    write(&mut out, value, 0);
    out.push('\n');
    out.into_bytes()
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
}
