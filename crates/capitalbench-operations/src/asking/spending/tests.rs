use super::*;

#[test]
fn calls_under_way_count_against_the_cap() {
    let usd = |amount: f64| Cost::from_usd(amount).unwrap();
    let spending = Spending::new(Some(usd(1.0)), usd(0.2));
    assert!(spending.reserve(usd(0.5)));
    assert!(!spending.reserve(usd(0.5)));
    spending.settle(usd(0.5), usd(0.1));
    assert!(spending.reserve(usd(0.5)));
    assert_eq!(spending.with(|(spent, _)| *spent), usd(0.3));
    assert!(Spending::new(None, Cost::ZERO).reserve(usd(1e6)));
}
