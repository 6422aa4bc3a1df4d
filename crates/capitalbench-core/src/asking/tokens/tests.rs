use super::*;

#[test]
fn unknown_providers_are_estimated_cautiously() {
    let text = "x".repeat(7_000);
    assert_eq!(estimate(&text, "openai"), 2_000);
    assert!(
        estimate(&text, "somebody")
            >= measured_providers()
                .map(|p| estimate(&text, p))
                .max()
                .unwrap()
    );
    assert_eq!(estimate("", "xai"), 0);
}
