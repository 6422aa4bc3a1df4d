use super::*;
use crate::test_support::option_id;

#[test]
fn prices_that_differ_or_are_missing_exceed_the_tolerance() {
    let row = |id: &str, other: Result<f64, &str>| Comparison {
        option_id: option_id(id),
        scored: Return::from_fraction(0.01),
        other: other.map(Return::from_fraction).map_err(str::to_owned),
    };
    let check = CrossCheck {
        source: "csv".into(),
        tolerance_bps: DEFAULT_TOLERANCE_BPS,
        rows: vec![
            row("SAME", Ok(0.01)),
            row("NEAR", Ok(0.0109)),
            row("FAR", Ok(0.0088)),
            row("UNKNOWN", Err("no rows")),
        ],
    };
    let beyond: Vec<&str> = check
        .beyond()
        .iter()
        .map(|r| r.option_id.as_str())
        .collect();
    assert_eq!(beyond, ["FAR", "UNKNOWN"]);
    let apart = check.rows[2].apart_bps().unwrap();
    assert!((apart + 12.0).abs() < 1e-9);
}
