use super::*;

#[test]
fn bars_share_a_scale() {
    let scale = Scale::of([0.0, 23.0, f64::NAN]).expect("a scale");
    assert_eq!(scale.bar((0.0, 23.0), 10.0), "├─────────●────────────┤");
    assert_eq!(scale.bar((5.0, 7.0), 6.0).trim_end(), "     ├●┤");
    assert_eq!(scale.mark(23.0), format!("{:>24}", '○'));
    assert_eq!(Scale::of([f64::INFINITY]), None);
    let flat = Scale::of([2.0]).expect("a scale");
    assert_eq!(flat.bar((2.0, 2.0), 2.0).trim_end(), "●");
}
