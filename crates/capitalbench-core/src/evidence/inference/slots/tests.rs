use std::collections::BTreeMap;

use super::*;
use crate::test_support::universe_of;
use crate::values::ids::Digest;

#[test]
fn every_portfolio_of_a_slate_has_the_same_chance() {
    let universe = universe_of(&["AAA", "BBB", "CCC", "DDD", "SP500", "CASH"]);
    let slots = Slots::new(&universe, &["AAA", "BBB", "CCC", "SP500"]).unwrap();
    let mut random = Random::of(Digest::of(b"slots"), "test");
    let mut held = Vec::new();
    let mut seen: BTreeMap<Vec<(u32, u64)>, u32> = BTreeMap::new();
    for _ in 0..10_000 {
        slots.draw(&mut random, &mut held);
        let mut portfolio: Vec<(u32, u64)> = held.iter().map(|(p, w)| (*p, w.to_bits())).collect();
        portfolio.sort_unstable();
        *seen.entry(portfolio).or_default() += 1;
        let whole: f64 = held.iter().map(|(_, share)| share).sum();
        assert!((whole - 1.0).abs() < 1e-12);
    }
    // Nothing, one of three, two of three, and two of three with the third: 1 + 3 + 3 + 3.
    assert_eq!(seen.len(), 10);
    let expected = 1_000.0;
    let chi: f64 = seen
        .values()
        .map(|count| (f64::from(*count) - expected).powi(2) / expected)
        .sum();
    assert!(chi < 30.0, "{seen:?}");
    assert!(
        seen.keys()
            .flatten()
            .all(|(place, _)| *place != 3 && *place != 5)
    );
}

#[test]
fn a_slate_that_the_universe_lacks_is_refused() {
    let universe = universe_of(&["AAA", "SP500", "CASH"]);
    assert_eq!(Slots::new(&universe, &["ZZZ"]), None);
    let alone = Slots::new(&universe, &["SP500"]).unwrap();
    let mut held = Vec::new();
    alone.draw(&mut Random::of(Digest::of(b"slots"), "alone"), &mut held);
    assert_eq!(held, [(1, 1.0)]);
}
