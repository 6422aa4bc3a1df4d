
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

#[test]
fn ordinals_have_the_right_suffix() {
    let all = [0.01, 0.02, 0.03, 0.04, 0.11, 0.12, 0.71, 0.93, 1.0].map(ordinal);
    let expected = [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "71st", "93rd", "100th",
    ];
    assert_eq!(all, expected);
}
