use super::*;

#[test]
fn costs_are_exact() {
    let price = TokenPrice {
        input: 5_000_000,
        output: 30_000_000,
        ..TokenPrice::default()
    };
    let tokens = Billed {
        input: 1_000_000,
        output: 100_000,
        reasoning: 60_000,
        ..Billed::default()
    };
    assert_eq!(Some(price.cost(tokens)), Cost::from_usd(8.0));
    let apart = TokenPrice {
        reasoning: Some(10_000_000),
        ..price
    };
    assert_eq!(Some(apart.cost(tokens)), Cost::from_usd(6.8));
    assert!(price.worst_case(1_000_000, 100_000) >= price.cost(tokens));
    let cache = TokenPrice {
        cached: Some(500_000),
        cache_write: Some(6_250_000),
        ..price
    };
    let partly = Billed {
        cached: 400_000,
        cache_write: 100_000,
        ..tokens
    };
    assert_eq!(
        Some(cache.cost(partly)),
        Cost::from_usd(2.5 + 0.2 + 0.625 + 3.0)
    );
    assert_eq!(price.cost(partly), price.cost(tokens));
    assert!(cache.worst_case(1_000_000, 100_000) > price.worst_case(1_000_000, 100_000));
    assert!((price.cost(tokens).usd() - 8.0).abs() < 1e-12);
    assert_eq!(Cost::from_usd(f64::NAN), None);
    assert_eq!(Cost::from_usd(-1.0), None);
    assert_eq!(Cost::ZERO.minus(Cost(3)), Cost::ZERO);
    assert_eq!(Cost(2).plus(Cost(3)).times(2), Cost(10));
}
