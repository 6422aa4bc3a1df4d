use super::*;
use crate::decision::portfolio::Constraints;
use crate::result::returns::tests::returns_of;
use crate::round::manifest::SubmissionFormat;
use crate::test_support::{holding, option_id, universe, universe_of};

fn null(volatility: &Volatility) -> Null {
    let rows = [
        ("AAA", 0.05),
        ("BBB", -0.02),
        ("CCC", 0.01),
        ("SP500", 0.02),
        ("CASH", 0.0),
    ];
    let limits = Constraints::default();
    let allowed = Admissible::new(&universe(), SubmissionFormat::Portfolio, &limits).unwrap();
    let returns = returns_of(&rows, 0.02);
    let freeze = Digest::of(b"freeze");
    Null::draw(&universe(), &allowed, freeze, &returns, volatility).unwrap()
}

#[test]
fn percentiles_run_from_the_worst_to_the_best() {
    let null = null(&Volatility::new());
    assert!(null.percentile(0.05) > 0.99);
    assert!(null.percentile(-0.02) < 0.01);
    assert!((null.percentile(null.median()) - 0.5).abs() < 0.01);
    assert_eq!(null.histogram(20).iter().sum::<u32>(), 10_000);
    assert_eq!(null, self::null(&Volatility::new()));
}

#[test]
fn the_second_null_compares_with_portfolios_as_risky() {
    let risk = [("AAA", 0.4), ("BBB", 0.4), ("CCC", 0.1), ("SP500", 0.15)];
    let volatility: Volatility = risk.iter().map(|(id, v)| (option_id(id), *v)).collect();
    let null = null(&volatility);
    let held = [holding("AAA", 100)];
    let matched = null
        .matched_percentile(&held, &volatility, &universe(), 0.05)
        .unwrap();
    // Among the riskiest portfolios the best of the risky options is still the best.
    assert!(matched > 0.95, "{matched}");
    let cash = [holding("CASH", 100)];
    let matched = null
        .matched_percentile(&cash, &volatility, &universe(), 0.0)
        .unwrap();
    assert!(matched < 0.5, "{matched}");
    let unknown = Volatility::new();
    assert_eq!(
        self::null(&unknown).matched_percentile(&held, &unknown, &universe(), 0.05),
        None
    );
}

#[test]
fn overlapping_rounds_add_little_evidence() {
    let p = [0.9; 4];
    let apart = Overlap::of_spans(&[(0, 5), (5, 10), (10, 15), (15, 20)]);
    let same = Overlap::of_spans(&[(0, 5); 4]);
    let combined = |overlap| stouffer(&p, DRAWS, overlap).unwrap();
    let (apart, same) = (combined(&apart), combined(&same));
    assert!((apart.z - 2.0 * normal_quantile(0.9)).abs() < 1e-12);
    assert!((same.z - normal_quantile(0.9)).abs() < 1e-12);
    assert!((same.p_value - 0.1).abs() < 1e-9);
    assert_eq!(stouffer(&[], DRAWS, &Overlap::of_spans(&[])), None);
}

#[test]
fn an_extreme_percentile_is_no_rarer_than_its_draws_can_tell() {
    let apart = Overlap::of_spans(&[(0, 5), (5, 10)]);
    for (draws, edge) in [(DRAWS, 0.5 / 10_000.0), (NEAREST, 0.5 / 1_000.0)] {
        let found = stouffer(&[1.0, 1.0], draws, &apart).unwrap();
        let expected = normal_quantile(1.0 - edge) * 2.0_f64.sqrt();
        assert!((found.z - expected).abs() < 1e-12, "{draws}");
    }
}

#[test]
fn chance_alone_spreads_a_mean_percentile_widely() {
    // Evenly spread percentiles deviate by 1/√12; 2.2 windows leave 38 points on either side.
    assert!((Stouffer::chance_spread(2.2) - 0.381).abs() < 1e-3);
    assert!((Stouffer::chance_spread(0.5) - 0.5).abs() < 1e-15);
}

#[test]
fn a_hidden_option_without_volatility_is_not_missed() {
    let mut options = universe_of(&["AAA", "SP500", "CASH", "HID"])
        .options()
        .to_vec();
    options[3].listing = Listing::Hidden;
    let universe = Universe::new(options).unwrap();
    let rows = [("AAA", 0.05), ("SP500", 0.02), ("CASH", 0.0), ("HID", 0.09)];
    let limits = Constraints::default();
    let allowed = Admissible::new(&universe, SubmissionFormat::Portfolio, &limits).unwrap();
    let returns = returns_of(&rows, 0.02);
    let volatility: Volatility = [(option_id("AAA"), 0.4), (option_id("SP500"), 0.2)].into();
    let freeze = Digest::of(b"freeze");
    let null = Null::draw(&universe, &allowed, freeze, &returns, &volatility).unwrap();
    let held = [holding("AAA", 100)];
    let matched = null.matched_percentile(&held, &volatility, &universe, 0.05);
    assert!(matched.is_some());
}
