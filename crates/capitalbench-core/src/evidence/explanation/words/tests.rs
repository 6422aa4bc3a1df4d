
use super::*;

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
