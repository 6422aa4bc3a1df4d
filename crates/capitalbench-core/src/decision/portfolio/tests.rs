use super::*;
use crate::test_support::holding;

#[test]
fn the_first_of_equal_largest_holdings_is_primary() {
    let holdings = [holding("A", 30), holding("B", 35), holding("C", 35)];
    assert_eq!(primary_holding(&holdings).unwrap().option_id.as_str(), "B");
    assert_eq!(primary_holding(&[]), None);
}

#[test]
fn impossible_limits_are_named() {
    assert!(Constraints::default().problems().is_empty());
    let check = |change: fn(&mut Constraints), part: &str| {
        let mut limits = Constraints::default();
        change(&mut limits);
        let problems = limits.problems().join("; ");
        assert!(problems.contains(part), "{problems}");
    };
    check(|c| c.min_holdings = 0, "min_holdings");
    check(|c| c.max_holdings = 0, "max_holdings 0 is below");
    check(|c| c.increment_pct = 0, "allocation_increment_pct");
    check(|c| c.increment_pct = 7, "multiples");
    check(|c| c.min_allocation_pct = 101, "min_allocation_pct");
    check(
        |c| (c.min_holdings, c.min_allocation_pct) = (5, 25),
        "more than 100",
    );
    check(
        |c| c.max_exposure_pct = Some(0),
        "max_economic_exposure_pct",
    );
}
