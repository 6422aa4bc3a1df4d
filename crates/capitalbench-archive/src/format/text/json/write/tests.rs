use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::format::text::json::parse;

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
fn a_file_whose_order_counts_keeps_it_at_every_depth() {
    let value = json!({"b": [{"z": 1.0, "a": null}], "a": {}, "Z": []});
    let text = r#"{
  "b": [
    {
      "z": 1.0,
      "a": null
    }
  ],
  "a": {},
  "Z": []
}
"#;
    assert_eq!(to_pretty_in_order(&value), text);
    let again = to_pretty_in_order(&parse(text.as_bytes()).unwrap());
    assert_eq!(again, text);
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
    let number = any::<f64>().prop_filter("JSON has no other numbers", |value| value.is_finite());
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
