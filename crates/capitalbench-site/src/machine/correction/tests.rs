use super::*;

#[test]
fn old_and_new_values_are_told_with_the_reason() {
    let line = serde_json::json!({
        "corrected_at_utc": "2026-03-11T00:00:00Z",
        "reason": "the vendor corrected gold",
        "values": [
            {"model_id": "a", "replicate": "1", "figure": "portfolio_return", "old": "0.01", "new": "0.0225"},
            {"model_id": "a", "replicate": "2", "figure": "rank", "old": "3", "new": null},
            {"model_id": "b"},
        ],
    });
    let found = corrections(format!("no line\n{line}\n").as_bytes());
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].line, 2);
    assert_eq!(
        found[0].sentence(),
        "the vendor corrected gold (a, portfolio return: +1.00 % → +2.25 %; 1 more value)"
    );
    let rank = &found[0].changes[1];
    assert_eq!(rank.model, "a, replicate 2");
    assert_eq!((rank.old.as_str(), rank.new.as_str()), ("3", "–"));
}

#[test]
fn a_line_without_values_tells_its_reason() {
    let line = r#"{"corrected_at_utc":"2026-03-11T00:00:00Z","reason":"why"}"#;
    assert_eq!(corrections(line.as_bytes())[0].sentence(), "why");
}
