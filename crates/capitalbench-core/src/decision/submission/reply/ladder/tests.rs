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
        ("{\"a\": [1, 2,], \"b\": 1,}", Some(Step::TrailingComma)),
        ("{\"a\": \"one\ntwo\"}", Some(Step::RawLineEnd)),
        ("round_id: r\nconfidence: 0.5\n", Some(Step::Yaml)),
        ("---\na: 1\nb: [1, {\"c\": 2}]\n", Some(Step::Yaml)),
        ("```yaml\na: 1\nb: 2\n```", Some(Step::FencedYaml)),
        ("```\na: 1\nb: 2\n```", Some(Step::FencedYaml)),
        ("Answer: {\"a\": 1}", Some(Step::Prose)),
        ("", None),
        ("no", None),
        ("Sorry: no", None),
        ("Sorry: no\nReason: none\n", None),
        ("a: 1\nb: 2\na: 3\n", None),
        ("a: .nan\nb: 2\n", None),
        ("a: -.inf\nb: 2\n", None),
        ("a: 1e999\nb: 2\n", None),
        ("a: !!int '1'\nb: 2\n", None),
        ("a: &x 1\nb: *x\n", None),
        ("a: 1\nb: 2\n---\na: 1\nb: 2\n", None),
        ("- a: 1\n  b: 2\n", None),
        ("```yaml\na: 1\nb: 2\nb: 3\n```", None),
        ("{a: 1, b: 2}", None),
        ("{\"a\": 1,, \"b\": 2}", None),
        ("{\"a\": 'x'}", None),
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
    assert!(fault("{\"a\":1,\"a\":2}").contains("the object repeats the key \"a\""));
    assert!(fault("{\"a\":1} {\"a\":2}").starts_with("2 objects"));
    let deep = |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
    assert!(read_reply(&deep(63), Ending::Complete).is_ok());
    assert_eq!(fault(&deep(64)), "nested more than 64 levels");
}

#[test]
fn what_stands_in_thoughts_is_no_answer() {
    let found = |text: &str| read_reply(text, Ending::Complete).map(|(_, step)| step);
    let holds = [
        (
            "<think>{\"a\": 2} or\n{\"a\": 3}</think>\n{\"a\": 1}",
            Some(Step::AfterThink),
        ),
        (
            "<think>hm</think>```json\n{\"a\": 1}\n```",
            Some(Step::AfterThink),
        ),
        (
            "I take {\"a\": 2}</think>{\"a\": 1}",
            Some(Step::AfterThink),
        ),
        ("{\"a\": \"<think>\"}", Some(Step::Strict)),
        ("<think>{\"a\": 1}</think>", None),
        ("<think>{\"a\": 1}", None),
        ("<think>a</think><think>b</think>{\"a\": 1}", None),
    ];
    for (text, step) in holds {
        assert_eq!(found(text).ok(), step, "{text}");
    }
    let (value, _) = read_reply("<think>{\"a\": 2}</think>{\"a\": 1}", Ending::Unsure).unwrap();
    assert_eq!(value, json!({"a": 1}));
}

#[test]
fn a_finished_reply_without_an_object_declines_and_a_broken_one_does_not() {
    let fault = |text: &str, ending| read_reply(text, ending).unwrap_err();
    for text in [
        "I'm sorry, but I can't help with that.",
        "No.",
        "Sorry: no\nReason: none",
        "Note: this is not advice.\nsee also: elsewhere",
        "[1]",
        "```\nI decline.\n```",
        "<think>{\"a\": 1} would do</think>I will not pick.",
    ] {
        assert_eq!(fault(text, Ending::Complete), ReplyFault::NothingBegun);
        let unsure = fault(text, Ending::Unsure);
        assert!(
            matches!(unsure, ReplyFault::NoObject(_)),
            "{text}: {unsure}"
        );
    }
    for text in [
        "{\"a\": 1,, \"b\": 2}",
        "{\"a\": [1",
        "Here: {\"a\": ",
        "```json\n{\"a\": 1\n```",
        "round_id: r\nconfidence: [0.5",
        "- option_id: A\n  allocation_pct: 5\n",
    ] {
        let broken = fault(text, Ending::Complete);
        assert!(
            matches!(broken, ReplyFault::NoObject(_)),
            "{text}: {broken}"
        );
    }
    assert_eq!(
        fault("<think>so", Ending::Complete),
        ReplyFault::OnlyThoughts
    );
    assert_eq!(
        fault("<think>so</think> ", Ending::Complete),
        ReplyFault::Empty
    );
}

#[test]
fn yaml_means_what_version_1_2_says() {
    let text = "country: NO\nswitch: on\nspan: 1:30\nday: 2026-12-07\nmany: 2e3\noctal: 010\n\
                flag: true\nnothing: null\nplain: 25\nquoted: '25'\nlist: [A, B]\n";
    let (value, step) = read_reply(text, Ending::Unsure).unwrap();
    let expected = json!({
        "country": "NO", "switch": "on", "span": "1:30", "day": "2026-12-07", "many": 2000.0,
        "octal": 10.0, "flag": true, "nothing": null, "plain": 25, "quoted": "25",
        "list": ["A", "B"],
    });
    assert_eq!((value, step), (expected, Step::Yaml));
    let twice = read_reply("a: 1\nb: 2\na: 3\n", Ending::Complete).unwrap_err();
    assert!(matches!(twice, ReplyFault::Repeated(_)), "{twice}");
    let deep: String = (0..70).map(|depth| " ".repeat(depth) + "a:\n").collect();
    assert!(read_reply(&format!("b: 1\n{deep}"), Ending::Complete).is_err());
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
    fn the_old_rule_finds_all_that_the_ladder_finds(text in "[\\[\\]{}\",:a1\\\\ `\n]{0,60}") {
        let found = read_reply(&text, Ending::Complete);
        if let Ok((value, Step::Strict | Step::Fence | Step::Prose | Step::ClosingBrace)) = found {
            let old = super::super::find_object(&text).expect("an object");
            prop_assert_eq!(value, old);
        }
    }
}

#[test]
fn an_endless_reply_is_not_looked_into() {
    let reply = |bytes: usize| format!("{{\"a\": \"{}\"}}", "x".repeat(bytes - 9));
    assert!(read_reply(&reply(4 << 20), Ending::Complete).is_ok());
    let fault = read_reply(&reply((4 << 20) + 1), Ending::Complete).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "the reply has 4194305 bytes; at most 4194304 are read"
    );
}
