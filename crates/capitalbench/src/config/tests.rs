use super::*;

#[test]
fn lines_become_variables() {
    let text = "# note\nA=1\n B = \"two words\" \nexport C='x=y'\nnot a line\nD=\n";
    let expected = [("A", "1"), ("B", "two words"), ("C", "x=y"), ("D", "")];
    let expected = expected.map(|(name, value)| (name.to_owned(), Wiped::new(value.to_owned())));
    assert_eq!(parse(text), expected);
}

proptest::proptest! {
    #[test]
    fn any_file_is_read_line_by_line(text in "[A-Z_= \"'#\n\rexport\u{0}-\u{20}\u{e9}]{0,120}") {
        let found = parse(&text);
        assert!(found.len() <= text.lines().count());
        for (name, value) in found {
            assert!(!name.contains(['=', '\n']) && name.trim() == name);
            assert!(text.contains(&*value), "{name}");
        }
    }
}
