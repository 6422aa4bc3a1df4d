use super::*;

#[test]
fn negative_numbers_have_a_minus_sign_and_names_keep_their_hyphens() {
    let text = "-0.58 % from 2026-05-10 to CB-1W, (-3), z -1.20, --max 3, -x";
    let shown = "−0.58 % from 2026-05-10 to CB-1W, (−3), z −1.20, --max 3, -x";
    assert_eq!(with_minus(text), shown);
}

#[test]
fn texts_are_broken_at_words_and_keep_their_percent_signs() {
    assert_eq!(wrapped("one two 95 % x", 2, 9), "  one two\n  95 % x");
    assert_eq!(wrapped("a  b", 0, usize::MAX), "a  b");
}
