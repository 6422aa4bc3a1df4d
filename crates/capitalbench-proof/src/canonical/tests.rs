
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
fn non_canonical_forms_are_refused() {
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
    fn a_written_value_is_read_back(value in values()) {
        let bytes = to_bytes(&value).unwrap();
        let read = parse(&bytes).unwrap();
        prop_assert_eq!(&read, &value);
        prop_assert_eq!(to_bytes(&read).unwrap(), bytes);
    }
}
