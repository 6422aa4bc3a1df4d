
use super::*;

#[test]
fn zero_has_no_sign() {
    for (value, text) in [
        (0.0021, "+0.21\u{a0}%"),
        (-0.0014, "\u{2212}0.14\u{a0}%"),
        (-0.000_001, "0.00\u{a0}%"),
        (0.0, "0.00\u{a0}%"),
    ] {
        assert_eq!(signed_percent(value), text);
    }
    assert_eq!(decimal(-12.34, 1), "\u{2212}12.3");
    assert_eq!(chance(0.0), "< 0.001");
    assert_eq!(thousands(10_000), "10,000");
    assert_eq!(thousands(999), "999");
    assert_eq!(share(0.456), "46\u{a0}%");
}
