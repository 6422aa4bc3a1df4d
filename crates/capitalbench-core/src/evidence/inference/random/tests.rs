use super::*;

#[test]
fn the_generator_is_the_published_one() {
    // Reference output of xoshiro256++ 1.0 for the state 1, 2, 3, 4.
    let mut random = Random([1, 2, 3, 4]);
    let expected = [
        41_943_041,
        58_720_359,
        3_588_806_011_781_223,
        3_591_011_842_654_386,
    ];
    assert_eq!([0; 4].map(|_: u8| random.next()), expected);
}

#[test]
fn every_number_has_its_chance_and_labels_differ() {
    let mut random = Random::of(Digest::of(b"x"), "a");
    let mut counts = [0_u32; 7];
    for _ in 0..70_000 {
        counts[random.index(7)] += 1;
    }
    assert!(
        counts.iter().all(|count| (9_600..10_400).contains(count)),
        "{counts:?}"
    );
    let mut other = Random::of(Digest::of(b"x"), "b");
    assert_ne!(random.below(u64::MAX), other.below(u64::MAX));
    assert_eq!(random.below(1), 0);
    let mean = (0..20_000).map(|_| random.normal()).sum::<f64>() / 20_000.0;
    assert!(mean.abs() < 0.03, "{mean}");
}
