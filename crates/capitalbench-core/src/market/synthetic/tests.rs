use super::*;
use crate::test_support::option;
use crate::values::time::parse_day;

fn market(seed: u64) -> SyntheticMarket {
    let day = |text| parse_day(text).unwrap();
    SyntheticMarket::new(
        seed,
        Market::default(),
        day("2026-01-03"),
        day("2026-12-31"),
    )
}

#[test]
fn the_same_seed_is_the_same_market() {
    let fund = option("AAA", "AAA");
    assert_eq!(market(7).history(&fund), market(7).history(&fund));
    assert_ne!(market(7).history(&fund), market(8).history(&fund));
    assert!(
        market(7)
            .sessions()
            .iter()
            .all(|day| Market::default().is_session(*day))
    );
}

#[test]
fn adjusted_closes_move_as_closes_and_dividends_say() {
    let bars = market(7).history(&option("AAA", "AAA"));
    assert!(bars.iter().any(|bar| bar.dividend > 0.0));
    for pair in bars.windows(2) {
        let expected = pair[1].close / (pair[0].close - pair[1].dividend);
        let found = pair[1].adjusted / pair[0].adjusted;
        assert!((found - expected).abs() < 1e-12, "{pair:?}");
    }
}

#[test]
fn cash_stands_still() {
    let bars = market(7).history(&option("CASH", "CASH"));
    assert!(bars.iter().all(|bar| (bar.close - 1.0).abs() < 1e-15));
}
