use super::*;

#[test]
fn the_shipped_card_is_the_locked_one() {
    let (name, version) = SHIPPED.split_once(' ').unwrap();
    let lock = include_str!("../../../../../Cargo.lock");
    let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
    assert!(lock.contains(&entry), "the lock file holds another version");
}

#[test]
fn known_models_have_prices_and_unknown_ones_do_not() {
    let at = "2026-11-15T00:00:00Z".parse().unwrap();
    let price = |provider, api_model_name, input_tokens| {
        let wanted = Wanted {
            provider,
            api_model_name,
            input_tokens,
        };
        shipped_price(&wanted, at)
    };
    let opus = price("anthropic", "claude-opus-5", 30_000).unwrap();
    let expected = TokenPrice {
        input: 5_000_000,
        cached: Some(500_000),
        cache_write: Some(6_250_000),
        output: 25_000_000,
        reasoning: None,
    };
    assert_eq!(opus, expected);
    let grok = price("xai", "grok-4.6", 30_000).unwrap();
    assert_eq!((grok.input, grok.output), (2_000_000, 6_000_000));
    assert_eq!(grok.cached, Some(500_000));
    let long = price("xai", "grok-4.6", 300_000).unwrap();
    assert_eq!(long.input, 4_000_000);
    assert_eq!(price("openai", "nobody-knows-it", 1), None);
    assert_eq!(price("vllm", "claude-opus-5", 1), None);
}
