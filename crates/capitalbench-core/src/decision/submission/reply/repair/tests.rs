use super::*;

#[test]
fn repairs_respect_the_limits_of_strings() {
    let commas = |text| without_trailing_commas(text);
    assert_eq!(
        commas("{\"a\": [1, ], }").as_deref(),
        Some("{\"a\": [1 ] }")
    );
    assert_eq!(commas("{\"a\": \",}\"}"), None);
    assert_eq!(commas("{\"a\": \"\\\",}\"}"), None);
    let ends = |text| without_raw_line_ends(text);
    assert_eq!(
        ends("{\n\"a\": \"x\ny\"}").as_deref(),
        Some("{\n\"a\": \"x\\ny\"}")
    );
    assert_eq!(ends("{\n\"a\": \"x\"}"), None);
}
