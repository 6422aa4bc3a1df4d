use super::*;
use crate::evidence::inference::random::Random;
use crate::values::ids::Digest;

#[test]
fn the_part_in_the_market_and_the_rest_are_told_apart() {
    let mut random = Random::of(Digest::of(b"synthetic"), "test");
    let reference: Vec<f64> = (0..250).map(|_| 0.01 * random.normal()).collect();
    let gains: Vec<f64> = reference
        .iter()
        .map(|own| 0.0005 + 0.5 * own + 0.001 * random.normal())
        .collect();
    let found = synthetic(&gains, &reference).unwrap();
    assert!((found.beta.value - 1.5).abs() < 0.03, "{found:?}");
    assert!((found.capm_alpha.value - 0.0005).abs() < 0.0003);
    assert!(found.capm_alpha.low > 0.0);
    let yearly = variance(&gains).unwrap().sqrt() * YEAR_DAYS.sqrt();
    assert!((found.tracking_error - yearly).abs() < 1e-12);
    let ratio = mean(&gains) * YEAR_DAYS / yearly;
    assert!((found.information_ratio.value - ratio).abs() < 1e-9);
}

#[test]
fn betas_are_covered_as_often_as_stated() {
    let mut random = Random::of(Digest::of(b"synthetic"), "coverage");
    let (mut beta, mut alpha) = (0, 0);
    for _ in 0..1_000 {
        let reference: Vec<f64> = (0..60).map(|_| 0.01 * random.normal()).collect();
        let gains: Vec<f64> = reference
            .iter()
            .map(|own| -0.3 * own + 0.01 * random.normal())
            .collect();
        let found = synthetic(&gains, &reference).unwrap();
        beta += u32::from(found.beta.low <= 0.7 && 0.7 <= found.beta.high);
        alpha += u32::from(found.capm_alpha.low <= 0.0 && 0.0 <= found.capm_alpha.high);
    }
    for covered in [beta, alpha] {
        assert!((925..=970).contains(&covered), "{beta} {alpha}");
    }
}

#[test]
fn a_drawdown_is_measured_from_the_high_before_it() {
    let found = drawdown([0.1, -0.5, 0.2, 1.0].into_iter());
    assert!((found - 0.5).abs() < 1e-12);
    assert!(drawdown([0.1, 0.2].into_iter()).abs() < 1e-15);
    assert_eq!(synthetic(&[0.01; 30], &[0.0; 30]), None);
}
