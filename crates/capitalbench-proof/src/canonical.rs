//! RFC 8785 JSON for values without fractions: one byte sequence per value.
//!
//! Numbers are integers that every reader holds exactly; anything else is refused, because two
//! programs may write one double in two ways and a leaf must have one form.

use serde_json::{Map, Number, Value};

/// The largest integer that a double holds together with its neighbours.
const LARGEST: i64 = (1 << 53) - 1;

/// Why a value or a text is not canonical JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CanonicalError {
    /// Not JSON at all.
    #[error("is not JSON: {0}")]
    NotJson(String),
    /// A number that is a fraction or too large.
    #[error("the number {0} is not an integer between -(2^53-1) and 2^53-1")]
    Number(String),
    /// JSON, in another form than the canonical one.
    #[error("is not in canonical form (RFC 8785), first different at byte {0}")]
    Form(usize),
}

/// The canonical bytes of a value.
pub fn to_bytes(value: &Value) -> Result<Vec<u8>, CanonicalError> {
    let mut text = String::new();
    write(value, &mut text)?;
    Ok(text.into_bytes())
}

/// Reads a value whose bytes are its canonical form; duplicate keys have no such form.
pub fn parse(bytes: &[u8]) -> Result<Value, CanonicalError> {
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| CanonicalError::NotJson(error.to_string()))?;
    let canonical = to_bytes(&value)?;
    if canonical == bytes {
        return Ok(value);
    }
    let same = canonical.iter().zip(bytes).take_while(|(a, b)| a == b);
    Err(CanonicalError::Form(same.count()))
}

fn write(value: &Value, text: &mut String) -> Result<(), CanonicalError> {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(flag) => text.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => text.push_str(&integer(number)?),
        Value::String(string) => write_string(string, text),
        Value::Array(items) => {
            text.push('[');
            for (position, item) in items.iter().enumerate() {
                if position > 0 {
                    text.push(',');
                }
                write(item, text)?;
            }
            text.push(']');
        }
        Value::Object(object) => write_object(object, text)?,
    }
    Ok(())
}

fn write_object(object: &Map<String, Value>, text: &mut String) -> Result<(), CanonicalError> {
    let mut members: Vec<(&String, &Value)> = object.iter().collect();
    members.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
    text.push('{');
    for (position, (name, value)) in members.into_iter().enumerate() {
        if position > 0 {
            text.push(',');
        }
        write_string(name, text);
        text.push(':');
        write(value, text)?;
    }
    text.push('}');
    Ok(())
}

fn integer(number: &Number) -> Result<String, CanonicalError> {
    let within = number
        .as_i64()
        .filter(|value| (-LARGEST..=LARGEST).contains(value));
    let refused = || CanonicalError::Number(number.to_string());
    within.map(|value| value.to_string()).ok_or_else(refused)
}

fn write_string(string: &str, text: &mut String) {
    use std::fmt::Write as _;
    text.push('"');
    for character in string.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\u{8}' => text.push_str("\\b"),
            '\t' => text.push_str("\\t"),
            '\n' => text.push_str("\\n"),
            '\u{c}' => text.push_str("\\f"),
            '\r' => text.push_str("\\r"),
            control if control < ' ' => {
                // Writing to a string cannot fail.
                let _ = write!(text, "\\u{:04x}", u32::from(control));
            }
            other => text.push(other),
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn text(value: &Value) -> String {
        String::from_utf8(to_bytes(value).unwrap()).unwrap()
    }

    #[test]
    fn the_examples_of_rfc_8785() {
        let strings =
            json!({"string": "\u{20ac}$\u{f}\nA'B\"\\\\\"/", "literals": [null, true, false]});
        let expected =
            "{\"literals\":[null,true,false],\"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
        assert_eq!(text(&strings), expected);
        let sorted = json!({
            "\u{20ac}": 1, "\r": 2, "\u{fb33}": 3, "1": 4, "\u{1f600}": 5, "\u{80}": 6, "\u{f6}": 7
        });
        let order: String = text(&sorted)
            .split(':')
            .skip(1)
            .filter_map(|rest| rest.chars().next())
            .collect();
        assert_eq!(order, "2467153");
    }

    #[test]
    fn other_forms_are_refused() {
        let cases: [(&str, CanonicalError); 6] = [
            ("{\"b\":1,\"a\":2}", CanonicalError::Form(2)),
            ("{\"a\":1,\"a\":1}", CanonicalError::Form(6)),
            ("{\"a\": 1}", CanonicalError::Form(5)),
            ("\"\\u0041\"", CanonicalError::Form(1)),
            ("1.5", CanonicalError::Number("1.5".to_owned())),
            (
                "9007199254740992",
                CanonicalError::Number("9007199254740992".to_owned()),
            ),
        ];
        for (input, problem) in cases {
            assert_eq!(parse(input.as_bytes()), Err(problem), "{input}");
        }
        assert!(matches!(parse(b"{"), Err(CanonicalError::NotJson(_))));
        assert!(matches!(parse(b"{} "), Err(CanonicalError::Form(2))));
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            (-LARGEST..=LARGEST).prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(value in values()) {
            let bytes = to_bytes(&value).unwrap();
            let read = parse(&bytes).unwrap();
            prop_assert_eq!(&read, &value);
            prop_assert_eq!(to_bytes(&read).unwrap(), bytes);
        }
    }
}
