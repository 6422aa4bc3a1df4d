use super::*;
use crate::test_support::{holding, manifest, universe_of};

#[test]
fn only_ledger_methodologies_have_a_cap() {
    let check = |label: &str, stored, expected| {
        let mut manifest = manifest(label);
        manifest.constraints.max_exposure_pct = stored;
        assert_eq!(manifest.exposure_cap_pct(), expected, "{label} {stored:?}");
        assert_eq!(manifest.limits().max_exposure_pct, expected, "{label}");
    };
    check("portfolio-v2.0", None, Some(50));
    check("portfolio-v2.2", Some(40), Some(40));
    for label in ["portfolio-v1.1", "portfolio-v2.0-pilot", "portfolio-v3.0"] {
        check(label, Some(40), None);
        check(label, None, None);
    }
}

#[test]
fn cash_and_reference_count_towards_no_exposure() {
    let universe = universe_of(&["SP500", "SMALL_CAP", "MID_CAP", "CASH", "SHORT_TREASURY"]);
    let beyond = |held: &[Holding]| universe.beyond_cap(held, 50).len();
    assert_eq!(beyond(&[holding("SP500", 100)]), 0);
    assert_eq!(
        beyond(&[holding("CASH", 60), holding("SHORT_TREASURY", 40)]),
        0
    );
    assert_eq!(
        beyond(&[holding("SHORT_TREASURY", 55), holding("CASH", 45)]),
        1
    );
    let same = [
        holding("SMALL_CAP", 30),
        holding("MID_CAP", 30),
        holding("SP500", 40),
    ];
    assert_eq!(
        universe.beyond_cap(&same, 50),
        [("diversified_us_equity", 6000)]
    );
}
