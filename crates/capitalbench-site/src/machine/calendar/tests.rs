use super::*;

#[test]
fn lines_are_folded_and_texts_escaped() {
    let line = folded(&"é".repeat(60));
    assert!(line.split("\r\n").all(|part| part.len() <= LINE));
    assert_eq!(line.replace("\r\n ", "").trim_end(), "é".repeat(60));
    assert_eq!(value("a,b;c\\\n\u{7}"), "a\\,b\\;c\\\\\\n");
}
