use super::*;

#[test]
fn percent_signs_are_read() {
    for (text, expected) in [
        ("a%20b", "a b"),
        ("100%", "100%"),
        ("%zz%4", "%zz%4"),
        ("%C3%BC", "ü"),
    ] {
        assert_eq!(decoded(text), expected);
    }
}
