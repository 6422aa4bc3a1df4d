use super::*;
use crate::result::returns::tests::returns_of;
use crate::test_support::*;

mod option_returns;
mod properties;

/// A score as a reader sees it: one decimal, or the reason why there is none.
fn shown(value: f64, oracle: Option<f64>) -> String {
    let oracle = oracle.map(Return::from_fraction);
    show(score(Return::from_fraction(value), oracle))
}

fn show(result: Result<Score, AboveOracle>) -> String {
    match result {
        Ok(Score::Points(points)) => format!("{points:.1}"),
        Ok(Score::Undefined(reason)) => format!("{reason:?}"),
        Err(AboveOracle { .. }) => "AboveOracle".to_owned(),
    }
}

#[test]
fn a_score_is_the_share_of_the_oracles_return() {
    let check = |value, oracle, expected| {
        assert_eq!(shown(value, Some(oracle)), expected, "{value} of {oracle}");
    };
    check(0.0393, 0.0462, "85.1");
    check(-0.02, 0.04, "-50.0");
    check(-0.01, 0.04, "-25.0");
    check(0.0, 0.04, "0.0");
    check(0.04, 0.04, "100.0");
    check(-1.0, 0.01, "-10000.0");
}

#[test]
fn a_zero_oracle_is_matched_or_gives_no_score() {
    let check = |value, oracle, expected| {
        assert_eq!(shown(value, Some(oracle)), expected, "{value} of {oracle}");
    };
    check(0.0, 0.0, "100.0");
    check(-0.01, 0.0, "ZeroOracle");
    check(-0.9e-9, 0.0, "100.0");
    check(-1.1e-9, 0.0, "ZeroOracle");
    check(-0.01, 0.9e-9, "ZeroOracle");
    check(-0.01, 1.1e-9, "-909090909.1");
    check(0.9e-9, 0.9e-9, "100.0");
    check(1.5e-9, 2e-9, "75.0");
}

#[test]
fn a_negative_oracle_gives_no_score_unless_it_is_matched() {
    let check = |value, expected| {
        assert_eq!(shown(value, Some(-0.01)), expected, "{value}");
    };
    check(-0.02, "NegativeOracle");
    check(-0.010_000_1, "NegativeOracle");
    check(-0.01, "100.0");
    check(-0.01 - 0.9e-9, "100.0");
    check(-0.01 - 1.1e-9, "NegativeOracle");
}

#[test]
fn without_an_oracle_there_is_no_score() {
    assert_eq!(shown(0.03, None), "NoOracle");
    assert_eq!(shown(0.0, None), "NoOracle");
}

#[test]
fn a_return_above_the_oracle_is_an_error_beyond_rounding() {
    for oracle in [0.04, 0.0, -0.01] {
        let within = Return::from_fraction(oracle + 0.9e-9);
        let points = score(within, Some(Return::from_fraction(oracle)));
        assert_eq!(points, Ok(Score::Points(100.0)), "{oracle}");
        let above = shown(oracle + 1.1e-9, Some(oracle));
        assert_eq!(above, "AboveOracle", "{oracle}");
    }
    let error = score(
        Return::from_fraction(0.05),
        Some(Return::from_fraction(0.04)),
    );
    let text = error.unwrap_err().to_string();
    assert!(text.contains("0.05") && text.contains("0.04"), "{text}");
}

#[test]
fn figures_that_are_not_finite_give_no_score() {
    let check = |value, oracle| {
        assert_eq!(shown(value, Some(oracle)), "NotFinite", "{value} {oracle}");
    };
    check(f64::NAN, 0.04);
    check(0.03, f64::NAN);
    check(0.03, f64::INFINITY);
    check(f64::INFINITY, f64::INFINITY);
    check(f64::INFINITY, 0.04);
    check(f64::NEG_INFINITY, 0.04);
    check(-f64::MAX, 1e-8);
}

#[test]
fn published_scores_are_met_to_the_last_bit() {
    let check = |value: f64, expected: f64| {
        let oracle = Some(Return::from_fraction(0.046_179_769_964_533_66));
        let Ok(Score::Points(points)) = score(Return::from_fraction(value), oracle) else {
            panic!("no points for {value}");
        };
        assert_eq!(points.to_bits(), expected.to_bits(), "{points}");
    };
    check(0.039_316_678_330_076_64, 85.138_315_674_313_86);
    check(0.035_763_739_225_084_17, 77.444_602_371_451_7);
    check(0.029_112_118_571_585_42, 63.040_847_959_926_4);
    check(0.026_065_243_183_992_04, 56.442_990_521_629_5);
    check(0.024_714_073_695_964_44, 53.517_100_052_566_3);
}

#[test]
fn rounds_are_summed_before_they_are_divided() {
    let check = |rounds: &[(f64, f64)], expected: &str| {
        let pairs: Vec<(Return, Return)> = rounds
            .iter()
            .map(|&(v, o)| (Return::from_fraction(v), Return::from_fraction(o)))
            .collect();
        assert_eq!(show(score_of_sums(&pairs)), expected, "{rounds:?}");
    };
    check(&[(0.04, 0.08), (-0.01, 0.02)], "30.0");
    check(&[(-0.01, 0.0), (0.05, 0.10)], "40.0");
    check(&[(0.0, 0.0), (0.0, 0.0)], "100.0");
    check(&[(-0.01, 0.0), (-0.02, 0.0)], "ZeroOracle");
    check(&[(-0.02, -0.01), (-0.03, -0.02)], "NegativeOracle");
    check(&[(0.03, 0.04)], "75.0");
    check(&[(0.06, 0.04), (0.0, 0.04)], "75.0");
    check(&[(0.06, 0.04), (0.04, 0.04)], "AboveOracle");
    check(&[], "NoRounds");
}

fn assert_bits(found: Return, expected: f64) {
    assert_eq!(found.get().to_bits(), expected.to_bits(), "{found:?}");
}

#[test]
fn a_published_portfolio_is_met_to_the_last_bit() {
    let rows = [
        ("SEMICONDUCTORS", 0.046_179_769_964_533_66),
        ("TECHNOLOGY", 0.033_823_879_363_045_87),
        ("MOMENTUM", 0.035_658_688_451_164_71),
        ("SP500", 0.003_299_829_512_448_227),
    ];
    let returns = returns_of(&rows, rows[3].1);
    let universe = universe_of(&["SEMICONDUCTORS", "TECHNOLOGY", "MOMENTUM", "SP500"]);
    let holdings = [("SEMICONDUCTORS", 40), ("TECHNOLOGY", 30), ("MOMENTUM", 30)];
    let outcome = score_submission(&portfolio("m", &holdings), &universe, &returns).unwrap();
    assert_bits(outcome.decision_return, 0.039_316_678_330_076_64);
    assert_bits(outcome.alpha, 0.036_016_848_817_628_414);
    assert_bits(outcome.regret.unwrap(), 0.006_863_091_634_457_016);
    assert_bits(outcome.primary_return, rows[0].1);
    assert_eq!(
        outcome.spread.hhi.to_bits(),
        0.339_999_999_999_999_97_f64.to_bits()
    );
    assert_eq!(
        (outcome.pick_rank, outcome.beats_reference),
        (None, true),
        "a portfolio has no option rank"
    );
}

#[test]
fn a_published_pick_is_met_to_the_last_bit() {
    let semiconductors = Return::between(price(566.54), price(570.91)).get();
    let rows = [
        ("SEMICONDUCTORS", semiconductors),
        ("HEALTHCARE", 0.065_231_026_552_372_78),
        ("SP500", -0.016_526_124_562_783_13),
    ];
    let returns = returns_of(&rows, rows[2].1);
    let universe = universe_of(&["SEMICONDUCTORS", "HEALTHCARE", "SP500"]);
    let mut pick = pick("m", "SEMICONDUCTORS");
    pick.cost_usd = Some(0.5);
    let outcome = score_submission(&pick, &universe, &returns).unwrap();
    assert_bits(outcome.decision_return, 0.007_713_488_897_518_328);
    assert_bits(outcome.alpha, 0.024_239_613_460_301_457);
    assert_bits(outcome.regret.unwrap(), 0.057_517_537_654_854_456);
    assert_eq!(outcome.pick_rank, Some(2));
    assert_eq!(outcome.spread.hhi.to_bits(), 1.0_f64.to_bits());
    assert_eq!(outcome.spread.largest, BasisPoints::WHOLE);
}

#[test]
fn holding_the_reference_beats_neither_reference_nor_cash() {
    let reference = -0.000_998_275_705_599_516_2;
    let returns = returns_of(&[("SP500", reference), ("CASH", 0.0)], reference);
    let universe = universe_of(&["SP500", "CASH"]);
    let check = |id, alpha: f64, beats: (bool, bool)| {
        let outcome = score_submission(&portfolio("m", &[(id, 100)]), &universe, &returns);
        let outcome = outcome.unwrap();
        assert_bits(outcome.alpha, alpha);
        assert_eq!((outcome.beats_reference, outcome.beats_cash), beats, "{id}");
    };
    check("SP500", 0.0, (false, false));
    check("CASH", -reference, (true, false));
}

#[test]
fn alpha_per_dollar_needs_a_cost_above_zero() {
    let alpha = -0.006_693_183_507_567_15;
    let returns = returns_of(&[("AAA", alpha), ("SP500", 0.0)], 0.0);
    let universe = universe_of(&["AAA", "SP500"]);
    let check = |cost: Option<f64>, expected: Option<f64>| {
        let mut submission = pick("m", "AAA");
        submission.cost_usd = cost;
        let outcome = score_submission(&submission, &universe, &returns).unwrap();
        let bits = |value: Option<f64>| value.map(f64::to_bits);
        assert_eq!(bits(outcome.alpha_per_dollar), bits(expected), "{cost:?}");
    };
    check(
        Some(0.479_689_999_999_999_95),
        Some(-0.013_953_143_712_746_046),
    );
    check(Some(0.0), None);
    check(None, None);
}

#[test]
fn weights_in_cash_and_in_the_reference_are_totalled() {
    let mut flagged = option("GOV", "GOV");
    flagged.flags.reference = true;
    let mut dollars = option("DOLLARS", "X");
    (dollars.symbol, dollars.data_symbol) = (None, None);
    dollars.flags.cash = true;
    let mut options = universe().options().to_vec();
    options.extend([flagged, dollars]);
    let universe = Universe::new(options).unwrap();
    let check = |holdings: &[(&str, u32)], expected: (usize, u32, u32, u32)| {
        let spread = spread(&portfolio("m", holdings).decision.holdings(), &universe);
        let percent = |bps: BasisPoints| bps.get() / 100;
        let found = (
            spread.holdings,
            percent(spread.largest),
            percent(spread.cash),
            percent(spread.reference),
        );
        assert_eq!(found, expected, "{holdings:?}");
    };
    check(&[("AAA", 60), ("BBB", 40)], (2, 60, 0, 0));
    check(
        &[("CASH", 15), ("DOLLARS", 10), ("AAA", 75)],
        (3, 75, 25, 0),
    );
    check(&[("SP500", 30), ("GOV", 20), ("CASH", 50)], (3, 50, 50, 50));
}

#[test]
fn an_option_without_a_return_cannot_be_scored() {
    let returns = option_returns::priced(&[], &[], &[]).unwrap();
    let stranger = score_submission(&pick("m", "ZZZ"), &universe(), &returns);
    let text = stranger.unwrap_err().to_string();
    assert_eq!(text, "m holds ZZZ, which is not in the universe");
    let nothing = score_submission(&portfolio("m", &[]), &universe(), &returns);
    assert!(nothing.is_err(), "no holdings, no outcome");
}

#[test]
fn small_terms_survive_large_ones_that_cancel() {
    let check = |values: &[f64], expected: f64| {
        let sum = compensated_sum(values.iter().copied());
        assert_eq!(sum.to_bits(), expected.to_bits(), "{values:?}: {sum}");
    };
    check(&[], 0.0);
    check(&[0.1], 0.1);
    check(&[1.0, 1e100, 1.0, -1e100], 2.0);
    check(&[1e16, 1.0, -1e16], 1.0);
    check(&[0.1; 10], 1.0);
}
