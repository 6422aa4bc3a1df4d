use super::*;

#[test]
fn ticks_are_round_and_inside() {
    let ticks = Scale::between(-0.013, 0.021, 0.0, 1.0).ticks(5.0);
    assert_eq!(ticks.len(), 4, "{ticks:?}");
    assert!((ticks[0] + 0.01).abs() < 1e-12 && (ticks[3] - 0.02).abs() < 1e-12);
    let flat = Scale::over([0.5, 0.5], 0.0, 10.0);
    assert!((flat.at(0.5) - 5.0).abs() < 1e-9);
    assert!((Scale::over([], 0.0, 10.0).at(9.0) - 10.0).abs() < 1e-9);
    assert_eq!(thinned(46, 6), [0, 8, 16, 24, 32, 40]);
    assert_eq!(thinned(0, 6), [0; 0]);
}
