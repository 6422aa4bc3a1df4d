use super::*;
use capitalbench_core::result::score::NoScore;

#[test]
fn numbers_are_rounded_once_and_zero_has_no_sign() {
    assert_eq!(percent(0.012_499), "+1.25 %");
    assert_eq!(percent(-0.000_04), "0.00 %");
    assert_eq!(points(-0.003_1), "−0.31");
    assert_eq!(share(0.555), "56 %");
    assert_eq!(score(Score::Points(-0.04)), "0.0");
    assert_eq!(score(Score::Points(25.594)), "25.6");
    assert_eq!(score(Score::Undefined(NoScore::NoOracle)), "–");
}
