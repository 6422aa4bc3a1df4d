use super::*;

#[test]
fn near_names_are_suggested_and_far_ones_are_not() {
    let names = ["CB-2026-05-10-1M", "CB-2026-05-17-1M", "example"];
    assert_eq!(closest("cb-2026-05-11-1M", names), Some("CB-2026-05-10-1M"));
    assert_eq!(closest("exampel", names), Some("example"));
    assert_eq!(closest("something else", names), None);
    assert_eq!(closest("x", []), None);
}
