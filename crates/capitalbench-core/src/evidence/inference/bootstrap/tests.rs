use super::*;
use crate::values::ids::Digest;

fn random() -> Random {
    Random::of(Digest::of(b"bootstrap"), "test")
}

fn noise(random: &mut Random, mean: f64) -> Vec<f64> {
    (0..60).map(|_| mean + random.normal()).collect()
}

#[test]
fn short_series_give_no_interval() {
    let mut random = random();
    assert_eq!(studentised_interval(&[1.0; 7], &mut random), None);
    assert_eq!(studentised_interval(&[1.0; 20], &mut random), None);
}

#[test]
fn the_studentised_interval_covers() {
    let mut random = random();
    let mut covered = 0;
    for _ in 0..60 {
        let series = noise(&mut random, 0.0);
        let (low, high) = studentised_interval(&series, &mut random).unwrap();
        covered += u32::from(low <= 0.0 && 0.0 <= high);
    }
    assert!(covered >= 52, "{covered} of 60");
}
