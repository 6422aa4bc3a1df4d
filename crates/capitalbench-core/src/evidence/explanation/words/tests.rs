use super::*;

#[test]
fn ordinals_and_thousands_read_well() {
    let all = [0.01, 0.02, 0.03, 0.04, 0.11, 0.12, 0.71, 0.93, 1.0].map(ordinal);
    let expected = [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "71st", "93rd", "100th",
    ];
    assert_eq!(all, expected);
    let all = [0, 999, 10_000, 1_000_007].map(thousands);
    assert_eq!(all, ["0", "999", "10,000", "1,000,007"]);
}

#[test]
fn a_small_probability_is_never_shown_as_zero() {
    for (p, expected) in [
        (0.0009, "below 0.001"),
        (0.0012, "0.001"),
        (0.0049, "0.005"),
        (0.049, "0.049"),
        (0.25, "0.25"),
    ] {
        assert_eq!(chance(p), expected);
    }
}
