use super::*;
use crate::market::calendar::Market;
use crate::values::time::parse_day;

fn stated((confidence, beat): (f64, bool), month: u8) -> Stated {
    let day = |day: u8| parse_day(&format!("2026-{month:02}-{day:02}")).unwrap();
    let window = Window {
        entry: day(5),
        exit: day(12),
        market: Market::default(),
    };
    Stated {
        confidence,
        beat,
        window,
    }
}

fn overlap(stated: &[Stated]) -> Overlap {
    let windows: Vec<Window> = stated.iter().map(|s| s.window).collect();
    Overlap::new(&windows)
}

#[test]
fn bins_hold_their_edges_and_empty_ones_are_left_out() {
    let all = [
        stated((0.6, true), 1),
        stated((0.79, false), 2),
        stated((1.0, true), 3),
    ];
    let bins = bins(&all);
    let counts: Vec<(usize, f64)> = bins.iter().map(|b| (b.count, b.from)).collect();
    assert_eq!(counts, [(2, 0.6), (1, 0.8)]);
    assert!((bins[0].hit_rate - 0.5).abs() < 1e-15);
    assert!((bins[0].effective - 2.0).abs() < 1e-12);
    assert!(bins[1].estimate.is_none());
    // One hit of one: from 0.2065, as tables of Wilson's interval have it, to 1.
    let (low, high) = bins[1].interval;
    assert!((low - 0.206_5).abs() < 1e-4 && (high - 1.0).abs() < 1e-12);
}

#[test]
fn the_brier_score_of_certainty_is_what_it_gets_wrong() {
    let sure: Vec<Stated> = (1..=10).map(|m| stated((1.0, m > 2), m)).collect();
    let score = brier(&sure, &overlap(&sure)).unwrap();
    assert!((score.estimate.mean - 0.2).abs() < 1e-15);
    assert!(score.informative);
    assert_eq!(brier(&sure[..1], &overlap(&sure[..1])), None);
}
