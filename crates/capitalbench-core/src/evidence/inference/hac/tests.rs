use super::super::random::Random;
use super::*;
use crate::values::ids::Digest;

#[test]
fn the_lag_follows_the_rule() {
    let found = [8, 50, 100, 250, 1000].map(lag);
    assert_eq!(found, [2, 3, 4, 4, 6]);
}

#[test]
fn the_variance_of_a_hand_worked_series() {
    // Deviations -1.5, -0.5, 0.5, 1.5: variance 1.25, first lag 0.3125.
    let found = long_run_variance(&[1.0, 2.0, 3.0, 4.0], 1);
    assert!(
        (found - (1.25 + 2.0 * 0.5 * 0.3125)).abs() < 1e-15,
        "{found}"
    );
}

#[test]
fn independent_noise_is_covered_as_often_as_stated() {
    let mut random = Random::of(Digest::of(b"hac"), "coverage");
    let runs = 3000;
    let mut covered = 0;
    for _ in 0..runs {
        let series: Vec<f64> = (0..55).map(|_| random.normal()).collect();
        let (low, high) = mean_estimate(&series).unwrap().interval(0.95);
        covered += u32::from(low <= 0.0 && 0.0 <= high);
    }
    let share = f64::from(covered) / f64::from(runs);
    assert!((0.938..0.962).contains(&share), "{share}");
}

#[test]
fn short_series_give_no_estimate_and_constant_ones_no_t_value() {
    assert_eq!(mean_estimate(&[0.1; 7]), None);
    let still = mean_estimate(&[0.0; 20]).unwrap();
    assert_eq!(
        (still.t(), still.p_value().to_bits()),
        (None, 1.0_f64.to_bits())
    );
}
