use super::*;

fn bin(count: usize, confidence: f64, hit_rate: f64) -> Bin {
    Bin {
        from: 0.0,
        to: 1.0,
        count,
        effective: real(count),
        confidence,
        hit_rate,
        interval: (0.0, 1.0),
        estimate: None,
    }
}

fn check(bins: &[Bin], windows: f64, expected: Option<ConfidenceSide>) {
    let side = judged(bins, windows).map(|found| found.side);
    assert_eq!(side, expected, "{bins:?} over {windows} windows");
}

#[test]
fn confidence_is_judged_only_beyond_chance() {
    use ConfidenceSide::{Less, Level, More};
    check(&[], 0.0, None);
    // One round that came true tells nothing of somebody who was 62 % sure.
    check(&[bin(1, 0.62, 1.0)], 1.0, Some(Level));
    check(&[bin(40, 0.62, 0.0)], 40.0, Some(More));
    check(&[bin(40, 0.62, 1.0)], 40.0, Some(Less));
    // Forty rounds that overlap so much that they are worth two.
    check(&[bin(40, 0.62, 1.0)], 2.0, Some(Level));
    // Bins count by their decisions: 0.5 stated and 0.5 came true.
    check(&[bin(30, 0.4, 0.4), bin(10, 0.8, 0.8)], 40.0, Some(Level));
}
