use super::*;
use proptest::prelude::*;

#[test]
fn objects_are_found_where_the_rule_allows() {
    let found = |text| find_object(text).map(|(_, how)| how);
    assert_eq!(found(" {\"a\": 1}\n"), Some(Found::Whole));
    assert_eq!(found("{\"a\": [1, 2]"), Some(Found::ClosedByUs));
    assert_eq!(found("```json\n{\"a\": 1}\n```"), Some(Found::CutOut));
    assert_eq!(found("\"{}"), Some(Found::CutOut));
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
