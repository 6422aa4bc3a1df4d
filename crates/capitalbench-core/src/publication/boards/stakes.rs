//! The same stake in every round: what returns add up to over windows that do not overlap.

use jiff::civil::Date;

use super::comparison_set::ComparisonSet;
use crate::evidence::inference::random::Random;
use crate::publication::{ChanceSummary, Publication, ResolvedRound};
use crate::result::score::compensated_sum;
use crate::round::manifest::Window;
use crate::values::ids::{Digest, ModelId, RoundId};
use crate::values::sums::real;
use crate::values::units::Return;

/// The stake of every round, in the currency of its market.
pub const STAKE: f64 = 10_000.0;
/// Chains of random portfolios, one portfolio for each round.
const CHAINS: usize = 1_000;
/// Part of the seed of the chains.
const LABEL: &str = "stakes-v1";
/// The parts of all chains that lie below each line of the fan, in hundredths.
pub const FAN: [usize; 5] = [5, 25, 50, 75, 95];

/// Gains of a stake in every one of some rounds, after each of them; summed, because nothing of them
/// can be compounded.
#[derive(Debug, Clone, PartialEq)]
pub struct Stakes {
    /// The rounds, which do not overlap, each with the day on which it ended.
    pub rounds: Vec<(RoundId, Date)>,
    /// The day on which the first of them began.
    pub begun: Date,
    /// Gains of the models, in order of the rows of the set.
    pub models: Vec<(ModelId, Vec<f64>)>,
    pub reference: Vec<f64>,
    pub cash: Vec<f64>,
    /// Where chains of random portfolios stand: the gains below which [`FAN`] of them lie; none where
    /// a round has no draws.
    pub random: Option<Vec<[f64; 5]>>,
}

/// The stakes of a set over the first of its rounds that do not overlap.
pub fn stakes(publication: &Publication, set: &ComparisonSet) -> Option<Stakes> {
    let of = |id: &RoundId| -> Option<(Window, RoundId, &ResolvedRound)> {
        let round = publication.round(id)?;
        Some((round.manifest.window?, id.clone(), round.resolved()?))
    };
    let mut rounds: Vec<(Window, RoundId, &ResolvedRound)> =
        set.included.iter().filter_map(of).collect();
    rounds.sort_by(|a, b| (a.0.exit, a.0.entry, &a.1).cmp(&(b.0.exit, b.0.entry, &b.1)));
    let mut free_from = None;
    rounds.retain(|(window, _, _)| {
        let free = free_from.is_none_or(|free| window.entry >= free);
        if free {
            free_from = Some(window.exit);
        }
        free
    });
    let begun = rounds.first()?.0.entry;
    let each = |value: fn(&ResolvedRound) -> Return| {
        let returns: Vec<f64> = rounds.iter().map(|round| value(round.2).get()).collect();
        so_far(&returns)
    };
    let model = |id: &ModelId| -> Option<(ModelId, Vec<f64>)> {
        let of = |round: &(Window, RoundId, &ResolvedRound)| {
            let round = publication.round(&round.1)?;
            Some(round.standing(id)?.scored.outcome.decision_return.get())
        };
        let returns: Option<Vec<f64>> = rounds.iter().map(of).collect();
        Some((id.clone(), so_far(&returns?)))
    };
    let draws: Option<Vec<&ChanceSummary>> =
        rounds.iter().map(|round| round.2.chance.as_ref()).collect();
    let seed = Digest::of(set.definition.set_id.as_bytes());
    Some(Stakes {
        models: set
            .rows
            .iter()
            .filter_map(|row| model(&row.model_id))
            .collect(),
        reference: each(|round| round.returns.reference()),
        cash: each(|round| round.returns.cash()),
        random: draws.map(|draws| fan(seed, &draws)),
        begun,
        rounds: rounds
            .into_iter()
            .map(|(window, id, _)| (id, window.exit))
            .collect(),
    })
}

/// The gains after each round.
fn so_far(returns: &[f64]) -> Vec<f64> {
    let sum = |count: usize| STAKE * compensated_sum(returns[..count].iter().copied());
    (1..=returns.len()).map(sum).collect()
}

/// The fan of chains that hold another random portfolio in every round.
fn fan(seed: Digest, rounds: &[&ChanceSummary]) -> Vec<[f64; 5]> {
    let mut random = Random::of(seed, LABEL);
    let mut chains = vec![0.0; CHAINS];
    let mut found = Vec::with_capacity(rounds.len());
    for round in rounds {
        for gain in &mut chains {
            *gain += STAKE * drawn(round, &mut random);
        }
        let mut sorted = chains.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        found.push(FAN.map(|share| sorted[CHAINS * share / 100]));
    }
    found
}

/// The return of a random portfolio, as the counts of a round's draws have it.
fn drawn(round: &ChanceSummary, random: &mut Random) -> f64 {
    let all: u64 = round.bins.iter().map(|count| u64::from(*count)).sum();
    let mut place = random.below(all);
    let width = (round.high - round.low) / real(round.bins.len().max(1));
    for (bin, count) in round.bins.iter().enumerate() {
        let count = u64::from(*count);
        if place < count {
            return round.low + width * (real(bin) + random.unit());
        }
        place -= count;
    }
    round.median
}

#[cfg(test)]
mod tests;
