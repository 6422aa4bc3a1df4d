//! Does a model favour what stands early or late in the list? The order is drawn by lot, so any
//! habit of place shows, and needs no extra call.

use super::inference::distribution::student_quantile;
use super::inference::random::Random;
use crate::values::ids::Digest;
use crate::values::sums::{mean, real, variance};

/// The label of the draws.
pub const LABEL: &str = "order-bias-v1";
/// Orders that are drawn again.
pub const DRAWS: u32 = 9_999;
/// Fewest rounds of an interval.
const LEAST_ROUNDS: usize = 4;

/// A decision among options whose order was drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// How many options were listed.
    options: usize,
    /// Weights with their place in the list, from one.
    held: Vec<(usize, f64)>,
}

impl Placed {
    /// None where something is held that was not listed, and of a list without a choice.
    pub fn new(options: usize, held: Vec<(usize, f64)>) -> Option<Self> {
        let is_listed = held.iter().all(|(place, _)| (1..=options).contains(place));
        (options > 1 && is_listed).then_some(Self { options, held })
    }

    /// `Σ w (place − (N + 1) / 2) / N`: −½ is all at the top, ½ all at the end.
    fn lean(&self) -> f64 {
        let middle = f64::midpoint(real(self.options), 1.0);
        let parts = self
            .held
            .iter()
            .map(|(place, w)| w * (real(*place) - middle));
        parts.sum::<f64>() / real(self.options)
    }

    /// The lean of the same weights in an order that is drawn again. The held options go to places
    /// without repetition; `taken` is room for them.
    fn drawn(&self, random: &mut Random, taken: &mut Vec<usize>) -> f64 {
        taken.clear();
        let middle = f64::midpoint(real(self.options), 1.0);
        let mut sum = 0.0;
        for (_, weight) in &self.held {
            let place = loop {
                let place = random.index(self.options) + 1;
                if !taken.contains(&place) {
                    break place;
                }
            };
            taken.push(place);
            sum += weight * (real(place) - middle);
        }
        sum / real(self.options)
    }
}

/// How far a model's weights lean to one end of the list.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct OrderBias {
    /// Rounds with a drawn order.
    pub rounds: usize,
    /// Mean lean: below zero towards the beginning, above towards the end; at most a half.
    pub lean: f64,
    /// 95 % interval of the mean; none below four rounds.
    pub interval: Option<(f64, f64)>,
    /// Share of drawn orders with a mean lean at least as far from zero.
    pub p_value: f64,
}

/// Tests the decisions of rounds against orders that are drawn again; none without a round.
///
/// The test is exact: whatever a model holds, each order of a round had the same chance.
pub fn order_bias(subject: &str, rounds: &[Placed]) -> Option<OrderBias> {
    let leans: Vec<f64> = rounds.iter().map(Placed::lean).collect();
    let lean = (!leans.is_empty()).then(|| mean(&leans))?;
    let mut random = Random::of(Digest::of(subject.as_bytes()), LABEL);
    let (mut reached, mut taken) = (0_u32, Vec::new());
    let limit = lean.abs() - 1e-12;
    for _ in 0..DRAWS {
        let drawn = rounds.iter().map(|own| own.drawn(&mut random, &mut taken));
        let drawn = drawn.sum::<f64>() / real(rounds.len());
        reached += u32::from(drawn.abs() >= limit);
    }
    let spread = variance(&leans).filter(|_| leans.len() >= LEAST_ROUNDS);
    let interval = spread.map(|variance| {
        let count = real(leans.len());
        let width = student_quantile(0.975, count - 1.0) * (variance / count).sqrt();
        (lean - width, lean + width)
    });
    Some(OrderBias {
        rounds: rounds.len(),
        lean,
        interval,
        p_value: f64::from(reached + 1) / f64::from(DRAWS + 1),
    })
}

#[cfg(test)]
mod tests;
