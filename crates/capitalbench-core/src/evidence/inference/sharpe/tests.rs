use super::*;

#[test]
fn one_try_is_the_probabilistic_ratio() {
    let even: Vec<f64> = (0..100)
        .map(|i| if i % 2 == 0 { 1.1 } else { -0.9 })
        .collect();
    let moments = moments(&even).unwrap();
    assert!((moments.sharpe - 0.1).abs() < 1e-12);
    assert!((moments.kurtosis - 1.0).abs() < 1e-12);
    let chance = deflated(&moments, 0.04, 1.0).unwrap();
    assert!((chance - normal_cdf(0.1 * 99.0_f64.sqrt())).abs() < 1e-12);
}

#[test]
fn more_tries_make_the_same_record_worth_less() {
    let values: Vec<f64> = (0..60).map(|i| f64::from(i % 7) - 2.9).collect();
    let moments = moments(&values).unwrap();
    let chance = |tries| deflated(&moments, 0.01, tries).unwrap();
    assert!(chance(1.0) > chance(10.0) && chance(10.0) > chance(100.0));
    assert!(super::moments(&[1.0; 10]).is_none());
}
