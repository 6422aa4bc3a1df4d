use super::*;

#[test]
fn prices_are_whole_pico_dollars() {
    let text = "pricing:\n  p:\n    m:\n      input_per_1m_tokens_usd: 0.14\n      \
                    output_per_1m_tokens_usd: 30\n    half:\n      input_per_1m_tokens_usd: 1\n";
    let card = parse(text.as_bytes()).unwrap();
    let price = card.price("p", "m").unwrap();
    assert_eq!((price.input, price.output), (140_000, 30_000_000));
    assert_eq!((price.cached, card.as_of), (None, None));
    let dated = text.replace(
        "0.14\n",
        "0.14\n      cached_input_per_1m_tokens_usd: 0.07\n",
    );
    let dated = parse(format!("as_of: 2026-11-15\nsource: seen\n{dated}").as_bytes()).unwrap();
    assert_eq!(dated.price("p", "m").unwrap().cached, Some(70_000));
    assert_eq!(dated.as_of.unwrap().to_string(), "2026-11-15");
    let undated = parse(format!("as_of: yesterday\n{text}").as_bytes()).unwrap_err();
    assert_eq!(undated.field.as_deref(), Some("as_of"));
    assert_eq!(card.price("p", "half"), None);
    assert_eq!(card.price("q", "m"), None);
    let bad = parse(text.replace("30", "-30").as_bytes()).unwrap_err();
    assert!(bad.to_string().contains("from 0 to 100,000"), "{bad}");
}
