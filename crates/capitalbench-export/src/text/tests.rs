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
fn a_sum_of_costs_says_what_is_unknown() {
    let sum = |known_usd, models, unknown, incomplete| CostSum {
        known_usd,
        models,
        unknown,
        incomplete,
    };
    for (sum, sentence) in [
        (sum(None, 0, 0, 0), None),
        (sum(None, 8, 8, 0), Some("Cost unknown for 8 of 8 models.")),
        (
            sum(Some(0.25), 1, 0, 0),
            Some("Known cost 0.2500\u{a0}USD."),
        ),
        (
            sum(Some(1.5), 8, 4, 0),
            Some("Known cost 1.50\u{a0}USD; cost unknown for 4 of 8 models."),
        ),
        (
            sum(Some(1.5), 8, 1, 2),
            Some(
                "Known cost 1.50\u{a0}USD; cost unknown for 1 of 8 models; known only in part for 2 of 8 models.",
            ),
        ),
    ] {
        assert_eq!(cost_sentence(sum).as_deref(), sentence);
    }
}
