use super::*;
use crate::values::ids::OptionId;

fn id(name: &str) -> OptionId {
    OptionId::parse(name).unwrap()
}

fn held(parts: &[(&str, f64)]) -> Weights {
    parts.iter().map(|(name, w)| (id(name), *w)).collect()
}

/// An answer of four holdings: each is the usual one, or another one with this chance. Weights vary a
/// little, so that two labellings are hardly ever equally far apart.
fn answer(random: &mut Random, change: f64, away: f64) -> Weights {
    let sizes = [0; 4].map(|_| 0.5 + random.unit());
    let total: f64 = sizes.iter().sum();
    let mut weights = Weights::new();
    for (place, size) in sizes.into_iter().enumerate() {
        let moved = random.unit() < away;
        let odd = random.unit() < change;
        let name = match (moved, odd) {
            (true, _) => format!("TWIN{place}"),
            (_, true) => format!("OTHER{place}_{}", random.index(3)),
            _ => format!("USUAL{place}"),
        };
        *weights.entry(id(&name)).or_default() += size / total;
    }
    weights
}

/// Cells of 2 + 2 answers in which the twin moves a share of the portfolio.
fn cells(seed: u32, count: usize, shift: f64) -> Vec<Cell> {
    let mut random = Random::of(Digest::of(&seed.to_le_bytes()), "cells");
    let mut cell = |round| {
        let mut lane = |away: f64| [0, 1].map(|_| answer(&mut random, 0.2, away));
        Cell::new(round, &lane(0.0), &lane(shift)).unwrap()
    };
    (0..count).map(&mut cell).collect()
}

#[test]
fn the_effect_is_the_distance_between_lanes_less_the_one_within() {
    let (a, b) = (held(&[("A", 1.0)]), held(&[("A", 0.5), ("B", 0.5)]));
    let far = held(&[("C", 1.0)]);
    let cell = Cell::new(0, &[a.clone(), b], &[far.clone(), far.clone()]).unwrap();
    // Between: all four 1. Within: one half and none.
    assert!((cell.own - 0.75).abs() < 1e-12, "{cell:?}");
    assert_eq!(cell.noise, Some(0.5));
    assert_eq!(cell.labelled.len(), 6);
    let same = Cell::new(0, &[a.clone(), a.clone()], &[a.clone(), a.clone()]).unwrap();
    assert_eq!((same.own, same.between), (0.0, 0.0));
    let single = Cell::new(0, &[a.clone(), a.clone()], std::slice::from_ref(&far)).unwrap();
    assert!((single.own - 1.0).abs() < 1e-12);
}

#[test]
fn one_answer_of_each_lane_cannot_tell_effect_from_noise() {
    let (a, b) = (held(&[("A", 1.0)]), held(&[("B", 1.0)]));
    assert_eq!(Cell::new(0, std::slice::from_ref(&a), &[b]), None);
    assert_eq!(Cell::new(0, &[a.clone(), a.clone()], &[]), None);
    assert_eq!(sensitivity("nobody", &[]), None);
}

#[test]
fn a_twin_that_moves_the_answers_is_found() {
    let found = sensitivity("moved", &cells(1, 30, 0.6)).unwrap();
    assert!(found.p_value <= 0.001, "{found:?}");
    let (low, high) = found.interval.unwrap();
    assert!(low > 0.0 && low < found.effect && found.effect < high);
    assert!(found.distance > found.noise.unwrap());
}

#[test]
fn p_values_of_twins_that_change_nothing_are_spread_evenly() {
    let count = 300_u32;
    let mut p_values: Vec<f64> = (0..count)
        .map(|seed| {
            sensitivity(&format!("honest {seed}"), &cells(seed, 12, 0.0))
                .unwrap()
                .p_value
        })
        .collect();
    p_values.sort_by(f64::total_cmp);
    let total = f64::from(count);
    let gap = (1..).zip(&p_values).map(|(rank, p)| {
        let rank = f64::from(rank);
        (rank / total - p).max(p - (rank - 1.0) / total)
    });
    let largest = gap.fold(0.0, f64::max);
    // Kolmogorov and Smirnov's limit at one percent.
    assert!(largest < 1.63 / total.sqrt(), "{largest}");
    let flagged = p_values.iter().filter(|p| **p < 0.05).count();
    assert!(flagged <= 27, "{flagged} of {count}");
}

#[test]
fn models_of_a_round_stay_together_when_rounds_are_resampled() {
    let mut all = Vec::new();
    for round in 0..3 {
        for model in 0..20 {
            let own = cells(round * 100 + model, 1, 0.5).remove(0);
            let round = usize::try_from(round).unwrap();
            all.push(Cell { round, ..own });
        }
    }
    let found = sensitivity("pooled", &all).unwrap();
    assert_eq!((found.cells, found.rounds, found.interval), (60, 3, None));
}
