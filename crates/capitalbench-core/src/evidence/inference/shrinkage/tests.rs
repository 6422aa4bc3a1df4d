use super::*;

#[test]
fn records_that_differ_less_than_chance_shrink_to_their_mean() {
    let found = shrinkage(&[0.01, 0.02, 0.03], &[0.05; 3]).unwrap();
    assert!(found.tau_squared.abs() < 1e-15 && found.kept.abs() < 1e-15);
    assert!((found.of(0.03) - 0.02).abs() < 1e-15);
}

#[test]
fn clear_differences_are_kept() {
    let found = shrinkage(&[0.0, 0.1, 0.2], &[0.01; 3]).unwrap();
    // Variance 0.01, of which chance explains 0.00005.
    assert!((found.tau_squared - 0.009_95).abs() < 1e-12);
    assert!((found.kept - 0.995).abs() < 1e-12);
    assert!((found.of(0.2) - (0.1 + 0.0995)).abs() < 1e-12);
    assert_eq!(shrinkage(&[0.0, 0.1], &[0.01]), None);
    assert_eq!(shrinkage(&[0.0, 0.1, 0.2], &[0.01; 2]), None);
}
