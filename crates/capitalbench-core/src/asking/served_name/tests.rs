use super::fits;

#[test]
fn a_date_or_a_build_is_the_same_model_and_a_tier_is_not() {
    for served in [
        "gpt-5.2",
        "gpt-5.2-2025-12-11",
        "gpt-5.2-20251211",
        "gpt-5.2-001",
    ] {
        assert!(fits("gpt-5.2", served, &[]), "{served}");
    }
    for served in [
        "gpt-5.2-mini",
        "gpt-5.2-pro",
        "gpt-5",
        "gpt-5.20",
        "gpt-5.2-",
        "gpt-5.2-2025-12-11-mini",
        "",
    ] {
        assert!(!fits("gpt-5.2", served, &[]), "{served}");
    }
    let also = ["gpt-5.6-sol".to_owned()];
    assert!(fits("gpt-5.6", "gpt-5.6-sol", &also));
    assert!(!fits("gpt-5.6", "gpt-5.6-luna", &also));
}
