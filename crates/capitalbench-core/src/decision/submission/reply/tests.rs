use super::*;
use proptest::prelude::*;

#[test]
fn objects_are_found_where_the_rule_allows() {
    let found = |text| find_object(text).map(|object| object.to_string());
    let check = |text, expected: &str| assert_eq!(found(text).as_deref(), Some(expected));
    check(" {\"a\": 1}\n", "{\"a\":1}");
    check("{\"a\": [1, 2]", "{\"a\":[1,2]}");
    check("```json\n{\"a\": 1}\n```", "{\"a\":1}");
    check("\"{}", "{}");
    for text in [
        "",
        "no",
        "[1]",
        "{\"a\": [1",
        "{\"a\": {\"b\": 1",
        "{\"a",
        "}{",
    ] {
        assert_eq!(found(text), None, "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_is_answered_without_a_panic(text in ".{0,200}") {
        let _ = find_object(&text);
    }

    #[test]
    fn json_like_text_is_answered_without_a_panic(text in "[\\[\\]{}\",:a1\\\\ ]{0,80}") {
        let _ = find_object(&text);
    }
}
