use super::*;

#[test]
fn only_what_stands_before_the_answer_is_taken_off() {
    let none = Thought::None;
    for (text, expected) in [
        ("{}", none),
        ("", none),
        ("I <think>so</think> {}", none),
        ("<think>a</think>{}", Thought::Before("{}")),
        ("<think>\n{\"a\": 1}\n</think>\n\n{}", Thought::Before("{}")),
        ("<think></think>", Thought::Before("")),
        ("<thinking>a</thinking> {}", Thought::Before("{}")),
        ("[THINK]a[/THINK]{}", Thought::Before("{}")),
        ("so I take {\"a\": 1}\n</think>\n{}", Thought::Before("{}")),
        ("{\"a\": \"</think>\",}", none),
        ("```\n{\"a\": \"</think>\"}\n```", none),
        ("<think>a {}", Thought::Open),
        ("<think>a</thinking>{}", Thought::Open),
        ("<think>a</think><think>b</think>{}", Thought::Open),
        (
            "<think>a</think>{\"a\": \"</think>\"}",
            Thought::Before("{\"a\": \"</think>\"}"),
        ),
    ] {
        assert_eq!(thought(text), expected, "{text}");
    }
}
