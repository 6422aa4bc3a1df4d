use super::says;

#[test]
fn a_reply_is_in_its_answer_whole_or_in_pieces() {
    let answer = br#"{"id": "x", "content": [{"type": "text", "text": "{\"a\": "},
            {"type": "text", "text": "1}"}], "stop": "end"}"#;
    assert!(says(answer, "{\"a\": 1}"));
    assert!(says(answer, "{\"a\": "));
    assert!(says(answer, "1}"));
    for other in ["{\"a\": 2}", "1}{\"a\": ", "{\"a\"", "1} "] {
        assert!(!says(answer, other), "{other}");
    }
    assert!(!says(b"plain text", "plain text"));
}
