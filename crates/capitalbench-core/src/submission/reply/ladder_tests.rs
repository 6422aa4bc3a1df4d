use super::*;
use proptest::prelude::*;
use serde_json::json;

#[test]
fn every_step_of_the_ladder() {
    let found = |text: &str| read_reply(text, Ending::Complete).map(|(_, step)| step);
    let holds = [
        ("\u{feff}{\"a\": 1}\n", Some(Step::Strict)),
        ("{\"a\": 1}", Some(Step::Strict)),
        ("{\"a\": 1e2, \"b\": [{\"a\": null}]}", Some(Step::Strict)),
        ("```json\n{\"a\": 1}\n```", Some(Step::Fence)),
        ("```\n{\"a\": 1}```", Some(Step::Fence)),
        ("{\"a\": [1, 2]", Some(Step::ClosingBrace)),
        ("{\"a\": \"}\"", Some(Step::ClosingBrace)),
        ("Here it is: {\"a\": \"{\"} Done.", Some(Step::Prose)),
        ("I \"think\" {\"a\": 1}", Some(Step::Prose)),
        ("Two fences\n```\n{\"a\": 1}\n```\n", Some(Step::Prose)),
        ("", None),
        ("no", None),
        ("[1]", None),
        ("{\"a\": [1", None),
        ("{\"a\": {\"b\": 1", None),
        ("{\"a", None),
        ("}{", None),
        ("{\"a\": 1},\"b\": 2}", None),
        ("{\"a\": 1}{\"a\": 1}", None),
        ("{\"a\": 1} or {\"a\": 2}", None),
        ("{\"a\": 1, \"a\": 2}", None),
        ("{\"a\": {\"b\": 1, \"b\": 1}}", None),
        ("{\"a\": NaN}", None),
        ("{\"a\": Infinity}", None),
        ("{\"a\": 1e999}", None),
        ("{\"a\": \"\\ud800\"}", None),
    ];
    for (text, step) in holds {
        assert_eq!(found(text).ok(), step, "{text}");
    }
}

#[test]
fn faults_are_named() {
    let fault = |text: &str| read_reply(text, Ending::Complete).unwrap_err().to_string();
    assert_eq!(fault(" \n"), "the reply is empty");
    assert!(fault("{\"a\":1,\"a\":2}").contains("a key stands twice: a"));
    assert!(fault("{\"a\":1} {\"a\":2}").starts_with("2 objects"));
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(70), "]".repeat(70));
    assert!(fault(&deep).contains("64 levels"));
}

#[test]
fn nothing_is_added_to_a_reply_that_was_cut_off() {
    assert!(read_reply("{\"a\": 1", Ending::Unsure).is_err());
    let (value, step) = read_reply("{\"a\": 1", Ending::Complete).unwrap();
    assert_eq!((value, step), (json!({"a": 1}), Step::ClosingBrace));
}

proptest! {
    #[test]
    fn any_text_is_answered_without_a_panic(text in ".{0,200}") {
        let _ = read_reply(&text, Ending::Complete);
    }

    #[test]
    fn what_the_ladder_finds_the_old_rule_finds_too(text in "[\\[\\]{}\",:a1\\\\ `\n]{0,60}") {
        if let Ok((value, _)) = read_reply(&text, Ending::Complete) {
            let (old, _) = super::super::find_object(&text).expect("an object");
            prop_assert_eq!(value, old);
        }
    }
}
