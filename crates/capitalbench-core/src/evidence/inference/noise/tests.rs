use super::*;

#[test]
fn a_steady_model_has_market_noise_only_and_a_moody_one_its_own() {
    let steady = split(&[vec![0.01; 5], vec![-0.02; 5], vec![0.0; 5]]).unwrap();
    assert!(steady.decision < 1e-30 && steady.decision_share < 1e-12);
    assert!(steady.market > 0.0);
    let moody = split(&[vec![0.02, -0.02], vec![-0.02, 0.02], vec![0.02, -0.02]]).unwrap();
    assert!((moody.decision_share - 1.0).abs() < 1e-12);
    assert_eq!(moody.rounds, 3);
    assert_eq!(split(&[vec![0.1, 0.2]]), None);
    assert_eq!(split(&[vec![0.1], vec![0.2]]), None);
}

#[test]
fn the_official_call_has_a_place_among_the_others() {
    assert_eq!(place_among(0.0, &[]), None);
    assert!((place_among(1.0, &[0.0, 1.0, 2.0, 3.0]).unwrap() - 0.375).abs() < 1e-15);
}
