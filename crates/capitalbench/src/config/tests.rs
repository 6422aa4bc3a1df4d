use super::*;

#[test]
fn lines_become_variables() {
    let text = "# note\nA=1\n B = \"two words\" \nexport C='x=y'\nnot a line\nD=\n";
    let expected = [("A", "1"), ("B", "two words"), ("C", "x=y"), ("D", "")];
    let expected = expected.map(|(name, value)| (name.to_owned(), Wiped::new(value.to_owned())));
    assert_eq!(parse(text), expected);
}

#[test]
fn a_reader_takes_keys_and_no_address_from_the_files_of_a_folder() {
    let text = "TIINGO_BASE_URL=http://elsewhere.example\nTIINGO_API_KEY=own\nTIINGO_PLAN=1/2/3\n\
                CAPITALBENCH_STATE_DIR=here\nCAPITALBENCH_ALLOW_PRIVATE_ADDRESSES=1\n";
    let from_files = parse(text).into_iter().collect();
    let kept = Environment { from_files }.of_reader().from_files;
    let kept: Vec<&str> = kept.keys().map(String::as_str).collect();
    assert_eq!(kept, ["TIINGO_API_KEY", "TIINGO_PLAN"]);
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
