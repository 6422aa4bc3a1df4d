//! What moves a model: answers to the frozen question beside answers to a twin of it, in which one
//! thing differs.
//!
//! Models answer differently when they are asked the same twice. So the distance between two lanes
//! counts only as far as it is larger than the distance within them.

use super::inference::random::Random;
use crate::publication::boards::behaviour::{Weights, distance};
use crate::values::ids::Digest;
use crate::values::sums::{compensated_sum, real};

/// The label of the method and of its draws.
pub const METHOD: &str = "twins-v1";
/// Labellings that are drawn.
pub const DRAWS: u32 = 9_999;
/// Resampled sets of rounds.
pub const RESAMPLES: usize = 1_999;
/// Most answers of a lane in a cell; every labelling of twice as many is computed.
pub const MOST_ANSWERS: usize = 5;
/// Fewest rounds of an interval.
const LEAST_ROUNDS: usize = 4;

/// The answers of one model in one round to the frozen question and to its twin.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Which round, by any number of its own.
    round: usize,
    /// Mean distance between an answer of each lane.
    between: f64,
    /// Mean distance between two answers to the frozen question, where there are two.
    noise: Option<f64>,
    /// What the lanes differ by beyond their own spread, as they are labelled.
    own: f64,
    /// The same for every way in which the labels could stand.
    labelled: Vec<f64>,
}

impl Cell {
    /// None where no lane has two answers: then the spread within a lane is not known.
    pub fn new(round: usize, base: &[Weights], variant: &[Weights]) -> Option<Self> {
        let counts = [base.len(), variant.len()];
        let is_known = counts.contains(&0) || counts.iter().all(|count| *count < 2);
        if is_known || counts.iter().any(|count| *count > MOST_ANSWERS) {
            return None;
        }
        let all: Vec<&Weights> = base.iter().chain(variant).collect();
        let distances = Distances::of(&all);
        let first: Vec<usize> = (0..base.len()).collect();
        let own = distances.effect(&first);
        let subsets = (0_u32..1 << all.len())
            .filter(|set| set.count_ones() as usize == base.len())
            .map(|set| (0..all.len()).filter(move |one| set & (1 << one) != 0));
        let labelled = subsets.map(|set| distances.effect(&set.collect::<Vec<_>>()));
        Some(Self {
            round,
            between: distances.between(&first),
            noise: distances.within(&first),
            own,
            labelled: labelled.collect(),
        })
    }
}

/// Every distance of the answers of a cell.
struct Distances(Vec<Vec<f64>>);

impl Distances {
    fn of(all: &[&Weights]) -> Self {
        let row = |own: &&Weights| all.iter().map(|other| distance(own, other)).collect();
        Self(all.iter().map(row).collect())
    }

    fn rest(&self, lane: &[usize]) -> Vec<usize> {
        (0..self.0.len())
            .filter(|one| !lane.contains(one))
            .collect()
    }

    /// Mean distance between the answers of a lane; none of a single one.
    fn within(&self, lane: &[usize]) -> Option<f64> {
        let pairs = lane
            .iter()
            .enumerate()
            .flat_map(|(at, a)| lane[at + 1..].iter().map(move |b| self.0[*a][*b]));
        let pairs: Vec<f64> = pairs.collect();
        (!pairs.is_empty()).then(|| pairs.iter().sum::<f64>() / real(pairs.len()))
    }

    fn between(&self, lane: &[usize]) -> f64 {
        let rest = self.rest(lane);
        let sum: f64 = lane
            .iter()
            .flat_map(|a| rest.iter().map(move |b| self.0[*a][*b]))
            .sum();
        sum / real(lane.len() * rest.len())
    }

    /// The distance between two lanes less that within them; twice this is an energy distance.
    fn effect(&self, lane: &[usize]) -> f64 {
        let within = match (self.within(lane), self.within(&self.rest(lane))) {
            (Some(one), Some(other)) => f64::midpoint(one, other),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => 0.0,
        };
        self.between(lane) - within
    }
}

/// How far answers move when one thing about the question differs.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Sensitivity {
    /// Models times rounds.
    pub cells: usize,
    pub rounds: usize,
    /// Mean distance between an answer to the frozen question and one to its twin.
    pub distance: f64,
    /// Mean distance between two answers to the frozen question; none where there never were two.
    pub noise: Option<f64>,
    /// Mean of what the lanes differ by beyond their own spread.
    pub effect: f64,
    /// 95 % interval by resampling whole rounds; none below four rounds.
    pub interval: Option<(f64, f64)>,
    /// Share of labellings with an effect at least as large.
    pub p_value: f64,
}

/// Tests whether a twin moves the answers; none without a cell.
pub fn sensitivity(subject: &str, cells: &[Cell]) -> Option<Sensitivity> {
    let count = (!cells.is_empty()).then(|| real(cells.len()))?;
    let average = |figure: fn(&Cell) -> f64| compensated_sum(cells.iter().map(figure)) / count;
    let effect = average(|cell| cell.own);
    let mut random = Random::of(Digest::of(subject.as_bytes()), METHOD);
    let limit = effect - 1e-12;
    let mut reached = 0_u32;
    for _ in 0..DRAWS {
        let labels = cells
            .iter()
            .map(|cell| cell.labelled[random.index(cell.labelled.len())]);
        reached += u32::from(labels.sum::<f64>() / count >= limit);
    }
    let rounds = by_round(cells);
    let noise: Vec<f64> = cells.iter().filter_map(|cell| cell.noise).collect();
    let has_noise = !noise.is_empty();
    Some(Sensitivity {
        cells: cells.len(),
        rounds: rounds.len(),
        distance: average(|cell| cell.between),
        noise: has_noise.then(|| compensated_sum(noise.iter().copied()) / real(noise.len())),
        effect,
        interval: interval(&rounds, &mut random),
        p_value: f64::from(reached + 1) / f64::from(DRAWS + 1),
    })
}

/// Sum and number of the effects of each round: its models share the text, so they stay together.
fn by_round(cells: &[Cell]) -> Vec<(f64, f64)> {
    let mut sums = std::collections::BTreeMap::new();
    for cell in cells {
        let (sum, count) = sums.entry(cell.round).or_insert((0.0, 0.0));
        *sum += cell.own;
        *count += 1.0;
    }
    sums.into_values().collect()
}

fn interval(rounds: &[(f64, f64)], random: &mut Random) -> Option<(f64, f64)> {
    if rounds.len() < LEAST_ROUNDS {
        return None;
    }
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let (mut sum, mut count) = (0.0, 0.0);
            for _ in rounds {
                let (own, cells) = rounds[random.index(rounds.len())];
                sum += own;
                count += cells;
            }
            sum / count
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let place = (RESAMPLES + 1) / 40 - 1;
    Some((*means.get(place)?, *means.get(RESAMPLES - 1 - place)?))
}

#[cfg(test)]
mod tests;
