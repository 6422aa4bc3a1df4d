//! What the record of two sides says about the days of a claim that would compare them.

use std::collections::BTreeMap;

use super::terms::Second;
use crate::decision::portfolio::Holding;
use crate::evidence::inference::daily::{ActiveDays, Day, by_day, paired};
use crate::evidence::statistics::LEAST_DAYS;
use crate::publication::{PublicRound, Publication, Standing};
use crate::round::manifest::Track;
use crate::values::ids::{ModelId, OptionId};
use crate::values::sums::{mean, real, variance};
use crate::values::units::BasisPoints;

/// The days that two sides had in common rounds.
#[derive(Debug, Clone, PartialEq)]
pub struct PairRecord {
    pub rounds: usize,
    pub days: usize,
    /// Daily deviation of the mean difference over live rounds.
    pub deviation: f64,
    /// Rounds that are live on a day, on average.
    pub live: f64,
    /// Correlation of the differences of two rounds on the same day.
    pub between_rounds: f64,
    /// Half the absolute difference of the weights at the entry, on average.
    pub distance: f64,
    /// The mean difference by day.
    pub series: ActiveDays,
}

impl PairRecord {
    /// The record of a track; none where fewer than twenty days are known.
    pub fn of(
        publication: &Publication,
        track: Track,
        (first, second): (&ModelId, &Second),
    ) -> Option<Self> {
        let mut of_rounds: Vec<ActiveDays> = Vec::new();
        let mut distances = Vec::new();
        for round in publication
            .rounds
            .iter()
            .filter(|own| own.track == Some(track))
        {
            let Some((days, distance)) = shared(round, first, second) else {
                continue;
            };
            of_rounds.push(days);
            distances.push(distance);
        }
        let days: Vec<Day> = by_day(of_rounds.iter().flatten().copied());
        let means: Vec<f64> = days.iter().map(|day| day.mean).collect();
        let deviation = variance(&means)?.sqrt();
        if days.len() < LEAST_DAYS || deviation <= 0.0 {
            return None;
        }
        let live: Vec<f64> = days.iter().map(|day| real(day.known)).collect();
        Some(Self {
            rounds: of_rounds.len(),
            days: days.len(),
            deviation,
            live: mean(&live),
            between_rounds: between_rounds(&of_rounds, &days),
            distance: mean(&distances),
            series: days.iter().map(|day| (day.day, day.mean)).collect(),
        })
    }

    /// The correlation of two records on the days both have; none with fewer than twenty.
    pub fn correlation(&self, other: &Self) -> Option<f64> {
        let shared: BTreeMap<_, f64> = other.series.iter().copied().collect();
        let both = self
            .series
            .iter()
            .filter_map(|(day, a)| Some((*a, *shared.get(day)?)));
        let (a, b): (Vec<f64>, Vec<f64>) = both.unzip();
        correlation(&a, &b).filter(|_| a.len() >= LEAST_DAYS)
    }
}

/// Daily differences and the distance of both decisions in a round that both completed.
fn shared(round: &PublicRound, first: &ModelId, second: &Second) -> Option<(ActiveDays, f64)> {
    let first = round.standing(first)?;
    let held = |own: &Standing| own.scored.submission.decision.holdings();
    let own = first.days.as_ref()?;
    let Some(second) = second.model() else {
        let reference = &round.universe.reference().id;
        let all = Weights::from([(reference.clone(), BasisPoints::WHOLE.weight())]);
        let distance = distance(&weights(&held(first)), &all);
        return Some((own.clone(), distance));
    };
    let second = round.standing(second)?;
    let days: ActiveDays = paired(own, second.days.as_ref()?).collect();
    let distance = distance(&weights(&held(first)), &weights(&held(second)));
    Some((days, distance))
}

type Weights = BTreeMap<OptionId, f64>;

fn weights(held: &[Holding]) -> Weights {
    let mut found = Weights::new();
    for own in held {
        *found.entry(own.option_id.clone()).or_default() += own.weight.weight();
    }
    found
}

fn distance(a: &Weights, b: &Weights) -> f64 {
    let of = |all: &Weights, id: &OptionId| all.get(id).copied().unwrap_or(0.0);
    let own = a.iter().map(|(id, weight)| (weight - of(b, id)).abs());
    let other = b.iter().filter(|(id, _)| !a.contains_key(*id));
    f64::midpoint(
        own.sum::<f64>(),
        other.map(|(_, weight)| *weight).sum::<f64>(),
    )
}

/// How alike the rounds of a day are: the correlation of every two of them, all days and pairs
/// together; half where no day has two.
fn between_rounds(rounds: &[ActiveDays], days: &[Day]) -> f64 {
    let means: BTreeMap<_, _> = days.iter().map(|day| (day.day, day)).collect();
    let grand = mean(&days.iter().map(|day| day.mean).collect::<Vec<f64>>());
    let (mut own, mut values) = (0.0, 0);
    let (mut cross, mut pairs) = (0.0, 0);
    for (day, value) in rounds.iter().flatten() {
        own += (value - grand).powi(2);
        values += 1;
        if let Some(known) = means.get(day).filter(|known| known.known > 1) {
            let others = real(known.known) * known.mean - value - real(known.known - 1) * grand;
            cross += (value - grand) * others;
            pairs += known.known - 1;
        }
    }
    if values == 0 || pairs == 0 || own <= 0.0 {
        return 0.5;
    }
    ((cross / real(pairs)) / (own / real(values))).clamp(0.0, 1.0)
}

fn correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    let (first, second) = (mean(a), mean(b));
    let both = a.iter().zip(b).map(|(a, b)| (a - first) * (b - second));
    let scale = (variance(a)? * variance(b)?).sqrt() * real(a.len().saturating_sub(1));
    (scale > 0.0).then(|| (both.sum::<f64>() / scale).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests;
