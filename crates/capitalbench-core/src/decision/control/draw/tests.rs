use super::*;

fn draw(label: &str) -> Draw {
    Draw::new(Digest::of(b"freeze"), label)
}

#[test]
fn the_same_seed_draws_the_same() {
    let numbers = |label| {
        let mut draw = draw(label);
        (0..20).map(|_| draw.below(1000)).collect::<Vec<_>>()
    };
    assert_eq!(numbers("a"), numbers("a"));
    assert_ne!(numbers("a"), numbers("b"));
}

#[test]
fn every_number_has_its_chance() {
    let mut counts = [0_u32; 6];
    let mut draw = draw("a");
    for _ in 0..6000 {
        counts[usize::try_from(draw.below(6)).unwrap()] += 1;
    }
    assert!(
        counts.iter().all(|count| (850..1150).contains(count)),
        "{counts:?}"
    );
    assert_eq!(draw.below(1), 0);
    assert_eq!(draw.below(0), 0);
}

#[test]
fn every_split_has_its_chance() {
    // Three into two: four ways.
    let mut counts = std::collections::BTreeMap::new();
    let mut draw = draw("a");
    for _ in 0..4000 {
        *counts.entry(draw.split(3, 2)).or_insert(0_u32) += 1;
    }
    assert_eq!(counts.len(), 4);
    assert!(
        counts.values().all(|count| (850..1150).contains(count)),
        "{counts:?}"
    );
    assert!(counts.keys().all(|split| split.iter().sum::<u32>() == 3));
    assert_eq!(draw.split(5, 1), [5]);
}
