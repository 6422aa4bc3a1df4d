use super::*;
use crate::values::ids::Digest;

fn random() -> Random {
    Random::of(Digest::of(b"bootstrap"), "test")
}

fn noise(random: &mut Random, mean: f64) -> Vec<f64> {
    (0..60).map(|_| mean + random.normal()).collect()
}

#[test]
fn a_clear_leader_is_first_and_equals_are_not_separable() {
    let mut random = random();
    let alike: Vec<Vec<f64>> = (0..4).map(|_| noise(&mut random, 0.0)).collect();
    let ranges = rank_ranges(&alike, &mut random).unwrap();
    assert!(ranges.iter().any(|range| range.from == 1 && range.to >= 3));
    let total: f64 = ranges.iter().map(|range| range.best).sum();
    assert!((total - 1.0).abs() < 1e-9);
    let mut clear = alike;
    clear[2].iter_mut().for_each(|value| *value += 3.0);
    let ranges = rank_ranges(&clear, &mut random).unwrap();
    assert_eq!((ranges[2].from, ranges[2].to), (1, 1));
    assert!(ranges[2].best > 0.999);
}

#[test]
fn identical_series_share_the_first_place() {
    let mut random = random();
    let one = noise(&mut random, 0.0);
    let ranges = rank_ranges(&[one.clone(), one], &mut random).unwrap();
    assert!((ranges[0].best - 0.5).abs() < 1e-9);
    assert_eq!((ranges[0].from, ranges[0].to), (1, 2));
    assert_eq!(ranges[0], ranges[1]);
}

#[test]
fn equals_come_first_by_chance_as_often_as_stated() {
    let mut random = random();
    let sure = (0..300).filter(|_| {
        let mut pair = vec![noise(&mut random, 0.0), noise(&mut random, 0.0)];
        for series in &mut pair {
            series.truncate(26);
        }
        let ranges = rank_ranges(&pair, &mut random).unwrap();
        ranges.iter().any(|range| range.best > 0.95)
    });
    let sure = sure.count();
    assert!((5..=40).contains(&sure), "{sure} of 300");
}

#[test]
fn short_series_give_neither_ranks_nor_interval() {
    let mut random = random();
    assert_eq!(rank_ranges(&[vec![0.0; 20]], &mut random), None);
    assert_eq!(
        rank_ranges(&[vec![0.0; 11], vec![0.0; 11]], &mut random),
        None
    );
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
