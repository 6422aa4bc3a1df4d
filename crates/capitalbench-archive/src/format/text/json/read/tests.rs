use serde_json::json;

use super::*;

fn refusal(text: &str) -> (usize, usize, String) {
    match parse(text.as_bytes()) {
        Err(JsonError::Invalid {
            line,
            column,
            message,
        }) => (line, column, message),
        other => panic!("{text:?} gave {other:?}"),
    }
}

#[test]
fn reads_every_kind_of_value_and_keeps_the_order_of_keys() {
    let value =
        parse(br#" {"b": [1, -2, 0.5, 1e3], "a": {"x": null, "y": true}, "": "\u00e9\n"} "#);
    let expected = json!({"b": [1, -2, 0.5, 1000.0], "a": {"x": null, "y": true}, "": "\u{e9}\n"});
    let value = value.unwrap();
    assert_eq!(value, expected);
    let keys: Vec<_> = value.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["b", "a", ""]);
}

#[test]
fn tells_an_empty_file_apart() {
    for text in ["", " ", "\n\r\n\t"] {
        assert_eq!(parse(text.as_bytes()), Err(JsonError::Empty));
    }
}

#[test]
fn refuses_repeated_keys_at_any_depth() {
    let (line, column, message) = refusal("{\"a\": 1,\n \"a\": 2}");
    assert_eq!((line, column), (2, 4));
    assert_eq!(message, "the object repeats the key \"a\"");
    let (line, _, message) = refusal("[1,\n {\"k\": {\"b\": 1, \"\\u0062\": 2}}]");
    assert_eq!(line, 2);
    assert_eq!(message, "the object repeats the key \"b\"");
}

#[test]
fn a_hostile_key_cannot_forge_the_position() {
    let key = "x at line 9 column 9";
    let (line, _, _) = refusal(&format!("{{\"{key}\": 1, \"{key}\": 1}}"));
    assert_eq!(line, 1);
}

#[test]
fn refuses_numbers_that_json_does_not_have() {
    for text in ["NaN", "[1, NaN]", "{\"a\":\n Infinity}", "[-Infinity]"] {
        assert_eq!(
            refusal(text).2,
            "NaN and Infinity are not allowed",
            "{text}"
        );
    }
    assert_eq!(refusal("[1e999]").2, "number out of range");
    assert_eq!(refusal("[01]").2, "invalid number");
    assert_eq!(refusal("[nan]").2, "expected ident");
}

#[test]
fn refuses_deep_nesting_and_takes_shallow() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(parse(nested(127).as_bytes()).is_ok());
    let message = "nested too deeply; the limit is 128 levels";
    assert_eq!(refusal(&nested(128)).2, message);
    assert_eq!(refusal(&nested(100_000)).2, message);
}

#[test]
fn names_the_place_of_broken_text() {
    assert_eq!(
        refusal("{\n  \"a\": 1,\n}"),
        (3, 1, "trailing comma".to_owned())
    );
    assert_eq!(refusal("{} x"), (1, 4, "trailing characters".to_owned()));
    assert_eq!(refusal("[1").2, "EOF while parsing a list");
    assert_eq!(refusal("\u{feff}{}").0, 1);
    assert!(parse(br#""\ud800""#).is_err());
}

#[test]
fn names_the_place_of_bytes_that_are_not_utf8() {
    assert_eq!(
        parse(b"{\n \"a\": \"\xff\"}").unwrap_err().to_string(),
        "line 2, column 8: not UTF-8 text"
    );
}
