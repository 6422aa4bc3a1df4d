use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::*;

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Round {
    title: String,
    #[serde(default)]
    weight: Option<f64>,
    #[serde(default)]
    official: bool,
}

fn value(text: &str) -> Value {
    from_yaml(text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

fn refusal(text: &str) -> YamlError {
    from_yaml::<Value>(text).unwrap_err()
}

#[test]
fn empty_files_are_empty_mappings() {
    for text in [
        "",
        "\n",
        " \n\t\n",
        "# note\n\n  # more",
        "\u{feff}# note\n",
    ] {
        assert_eq!(value(text), json!({}), "{text:?}");
        assert!(
            from_yaml::<BTreeMap<String, String>>(text)
                .unwrap()
                .is_empty()
        );
    }
    assert_eq!(
        from_yaml::<Round>("# nothing\n").unwrap_err().message,
        "missing field `title`"
    );
}

#[test]
fn repeated_keys_are_refused_with_their_place() {
    let error = refusal("a: 1\nb: 2\na: 3\n");
    assert_eq!(
        error.to_string(),
        "line 3, column 1: the mapping repeats the key \"a\""
    );
    let error = from_yaml::<Round>("title: x\ntitle: y\n").unwrap_err();
    assert_eq!(error.line, Some(2));
    assert_eq!(error.message, "the mapping repeats the key \"title\"");
}

#[test]
fn bombs_are_stopped() {
    let mut laughs = vec!["a0: &a0 [x, x, x, x, x, x, x, x, x]".to_owned()];
    for level in 1..12 {
        let inner = vec![format!("*a{}", level - 1); 9].join(", ");
        laughs.push(format!("a{level}: &a{level} [{inner}]"));
    }
    let laughs = laughs.join("\n");
    assert_eq!(refusal(&laughs).message, TOO_MUCH);
    let flood = format!(
        "a: &a {}\nb:\n{}",
        "x".repeat(20_000),
        "- *a\n".repeat(20_000)
    );
    assert_eq!(refusal(&flood).message, TOO_MUCH);
    let circle = "Recursive reference not allowed here";
    assert_eq!(refusal("a: &a [*a]\n").message, circle);
}

#[test]
fn deep_nesting_is_stopped() {
    assert!(from_yaml::<Value>(&("[".repeat(20) + &"]".repeat(20))).is_ok());
    for depth in [64, 100_000] {
        let nested = "[".repeat(depth) + &"]".repeat(depth);
        assert_eq!(refusal(&nested).message, TOO_MUCH);
    }
    let block: String = (0..64).map(|depth| " ".repeat(depth) + "a:\n").collect();
    assert_eq!(refusal(&block).message, TOO_MUCH);
    assert_eq!(refusal(&"- ".repeat(5_000)).message, TOO_MUCH);
}

#[test]
fn tabs_do_not_indent() {
    let error = refusal("a:\n\tb: 1\n");
    assert_eq!(error.line, Some(2));
    assert!(!error.message.contains('\n'));
}

#[test]
fn foreign_tags_are_refused() {
    for text in [
        "a: !!python/object/apply:os.system ['id']\n",
        "a: !!python/name:os.system\n",
        "a: !secret x\n",
        "a: !include other.yaml\n",
    ] {
        let error = refusal(text);
        assert!(error.message.contains("tag"), "{text}: {error}");
        assert_eq!(error.line, Some(1));
    }
}

#[test]
fn plain_yaml_has_no_tags_anchors_aliases_or_merge_keys() {
    let plain = |text| from_plain_yaml::<Value>(text).map_err(|error| error.message);
    assert_eq!(
        plain("a: '!x &y *z'\nb: |\n  !x\n"),
        Ok(json!({"a": "!x &y *z", "b": "!x\n"}))
    );
    for (text, mark) in [
        ("a: !!str 1\n", "a tag"),
        ("a: !!int '1'\n", "a tag"),
        ("a: ! 1\n", "a tag"),
        ("--- !!map\na: 1\n", "a tag"),
        ("a: &x 1\n", "an anchor"),
        ("a: &x [1]\nb: *x\n", "an anchor"),
        ("<<: {a: 1}\nb: 2\n", "a merge key"),
    ] {
        let expected = format!("holds {mark}, which is not accepted here");
        assert_eq!(plain(text), Err(expected), "{text}");
    }
    assert!(plain("a: *x\n").is_err());
}

#[test]
fn a_second_document_is_refused() {
    assert_eq!(value("---\na: 1\n...\n# end\n"), json!({"a": 1}));
    for text in [
        "a: 1\n---\nb: 2\n",
        "a: 1\n...\nb: 2\n",
        "a: 1\n...\n@broken\n",
        "a: 1\n... # end\n}\n",
    ] {
        assert_eq!(refusal(text).line, Some(3), "{text:?}");
    }
}

#[test]
fn scalars_of_every_layout_are_read() {
    let text = "folded: >\n  one\n  two\n\n  three\nliteral: |\n  x\n    y\nplain: one\n  two\n  \
                    three\nsingle: 'it''s\n  here'\ndouble: \"a \\\n  b\\u00e9\"\nraw: a \u{2014} b\n\
                    list:\n- 1\n- x\n";
    assert_eq!(
        value(text),
        json!({
            "folded": "one two\nthree\n",
            "literal": "x\n  y\n",
            "plain": "one two three",
            "single": "it's here",
            "double": "a b\u{e9}",
            "raw": "a \u{2014} b",
            "list": [1, "x"],
        })
    );
}

#[test]
fn only_true_and_false_are_booleans() {
    assert_eq!(
        value("a: yes\nb: NO\nc: on\nd: true\n"),
        json!({"a": "yes", "b": "NO", "c": "on", "d": true})
    );
    let error = from_yaml::<Round>("title: x\nofficial: yes\n").unwrap_err();
    assert_eq!(error.line, Some(2));
    let round: Round = from_yaml("title: ON\nweight: 1.5\nofficial: true\n").unwrap();
    assert_eq!(round.title, "ON");
    assert_eq!(round.weight, Some(1.5));
}

#[test]
fn dates_and_numbers_stay_text_where_text_is_wanted() {
    let texts: BTreeMap<String, String> =
        from_yaml("a: 2026-07-13\nb: 1.10\nc: 014\nd: '1'\n").unwrap();
    assert_eq!(
        texts.into_values().collect::<Vec<_>>(),
        ["2026-07-13", "1.10", "014", "1"]
    );
    assert_eq!(
        from_yaml::<Round>("title:\n").unwrap_err().message,
        "null is not allowed here"
    );
}

#[test]
fn unknown_fields_are_named() {
    let error = from_yaml::<Round>("title: x\ntypo: 1\n").unwrap_err();
    assert!(error.message.starts_with("unknown field `typo`"), "{error}");
    assert_eq!(error.line, Some(2));
}
