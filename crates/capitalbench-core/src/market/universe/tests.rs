use super::*;
use crate::test_support::option;

#[test]
fn the_first_candidate_in_file_order_is_the_reference() {
    let mut flagged = option("OTHER", "OTH");
    flagged.flags.reference = true;
    let check = |options: Vec<MarketOption>, id: &str| {
        let universe = Universe::new(options).unwrap();
        assert_eq!(universe.reference().id.as_str(), id);
    };
    check(vec![option("AAA", "A"), option("SP500", "X")], "SP500");
    check(vec![option("AAA", "A"), option("BBB", "SPY")], "BBB");
    check(vec![option("SP500", "X"), flagged.clone()], "SP500");
    check(vec![option("AAA", "A"), flagged], "OTHER");
    let none = Universe::new(vec![option("AAA", "A")]);
    assert_eq!(none, Err(UniverseError::NoReference));
}

#[test]
fn broken_options_are_named() {
    let check = |change: fn(&mut MarketOption), part: &str| {
        let mut bad = option("SP500", "SPY");
        change(&mut bad);
        let error = Universe::new(vec![bad]).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    check(|o| o.symbol = None, "symbol and tiingo_symbol");
    check(|o| o.flags.cash = true, "a cash option has no symbol");
    check(
        |o| o.exposure_description = "A. B. C.".into(),
        "3 sentences",
    );
    check(
        |o| o.exposure_description = "Best pick here.".into(),
        "best pick",
    );
    check(|o| o.exposure_description = " ".into(), "blank");
    let twice = Universe::new(vec![option("SP500", "SPY"), option("SP500", "SPY")]);
    assert!(matches!(twice, Err(UniverseError::DuplicateId(_))));
    assert_eq!(Universe::new(Vec::new()), Err(UniverseError::Empty));
}

#[test]
fn clusters_fall_back_to_the_group() {
    let mut other = option("PERU", "EPU");
    assert_eq!(other.exposure_cluster(), "test_group");
    other.group = "country_equity".into();
    assert_eq!(other.exposure_cluster(), "international_equity");
    assert_eq!(option("OIL", "USO").exposure_cluster(), "energy");
}
