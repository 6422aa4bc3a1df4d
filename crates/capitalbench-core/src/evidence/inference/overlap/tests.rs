use super::*;
use crate::market::calendar::Market;
use crate::values::time::parse_day;

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-12
}

#[test]
fn windows_apart_count_whole_and_equal_ones_once() {
    assert!(close(
        Overlap::of_spans(&[(0, 5), (5, 10), (10, 15)]).effective(),
        3.0
    ));
    assert!(close(
        Overlap::of_spans(&[(0, 5), (0, 5), (0, 5)]).effective(),
        1.0
    ));
    // Half of each is shared: 4 / (2 + 2 · 0.5).
    assert!(close(
        Overlap::of_spans(&[(0, 4), (2, 6)]).effective(),
        4.0 / 3.0
    ));
    assert!(close(Overlap::of_spans(&[]).effective(), 0.0));
}

#[test]
fn windows_are_counted_in_sessions() {
    let window = |entry: &str, exit: &str| Window {
        entry: parse_day(entry).unwrap(),
        exit: parse_day(exit).unwrap(),
        market: Market::default(),
    };
    // A holiday lies inside: four sessions each, two of them shared.
    let overlap = Overlap::new(&[
        window("2026-06-29", "2026-07-06"),
        window("2026-07-01", "2026-07-08"),
    ]);
    assert_eq!(overlap.pairs.len(), 1);
    assert!(close(overlap.pairs[0].2, 0.5), "{overlap:?}");
}

#[test]
fn few_windows_are_conservative_and_say_so() {
    let spans: Vec<(usize, usize)> = (0..3).map(|i| (5 * i, 5 * i + 5)).collect();
    let few = Overlap::of_spans(&spans).mean(&[0.1, -0.1, 0.2]).unwrap();
    assert!(!few.informative);
    assert!(close(few.estimate.degrees, 2.0));
    let spans: Vec<(usize, usize)> = (0..10).map(|i| (5 * i, 5 * i + 5)).collect();
    let values: Vec<f64> = (0..10).map(f64::from).collect();
    let many = Overlap::of_spans(&spans).mean(&values).unwrap();
    assert!(many.informative);
    // Windows apart: the usual standard error of a mean.
    assert!(close(
        many.estimate.standard_error,
        (82.5_f64 / 90.0).sqrt()
    ));
}

#[test]
fn a_score_without_a_clear_denominator_has_no_interval() {
    let spans: Vec<(usize, usize)> = (0..10).map(|i| (5 * i, 5 * i + 5)).collect();
    let overlap = Overlap::of_spans(&spans);
    let returns = [0.01; 10];
    let oracles: Vec<f64> = (0..10)
        .map(|i| if i % 2 == 0 { 0.05 } else { -0.05 })
        .collect();
    let refused = score_estimate(&overlap, &returns, &oracles);
    assert_eq!(refused, Err(NoInterval::SmallDenominator));
    let score = score_estimate(&overlap, &returns, &[0.05; 10]).unwrap();
    assert!(close(score.mean, 20.0) && close(score.standard_error, 0.0));
}

#[test]
fn overlap_shows_a_share_of_the_variance_that_is_given_back() {
    let apart = Overlap::of_spans(&[(0, 5), (5, 10)]);
    assert!(close(apart.kappa(), 1.0));
    // K is 1 and ½: (2 + 2 · ¼) ÷ (2 + 2 · ½).
    let half = Overlap::of_spans(&[(0, 4), (2, 6)]);
    assert!(close(half.kappa(), 2.5 / 3.0));
    let spans: Vec<(usize, usize)> = (0..40).map(|day| (day, day + 5)).collect();
    let often = Overlap::of_spans(&spans).kappa();
    assert!((0.66..0.72).contains(&often), "{often}");
}

#[test]
fn a_score_below_four_windows_has_no_interval() {
    let overlap = Overlap::of_spans(&[(0, 5), (5, 10), (10, 15)]);
    let refused = score_estimate(&overlap, &[0.01; 3], &[0.05; 3]);
    assert_eq!(refused, Err(NoInterval::TooFewWindows));
}
