//! The same stake in every round: what returns add up to over windows that do not overlap.

use super::comparison_set::ComparisonSet;
use crate::publication::{Publication, ResolvedRound};
use crate::result::score::compensated_sum;
use crate::round::manifest::Window;
use crate::values::ids::{ModelId, RoundId};
use crate::values::units::Return;

/// Dollars in every round.
pub const STAKE: f64 = 10_000.0;

/// Gains of a stake in every one of some rounds; summed, because nothing of them can be compounded.
#[derive(Debug, Clone, PartialEq)]
pub struct Stakes {
    /// The rounds, which do not overlap.
    pub rounds: Vec<RoundId>,
    /// Gains of the models, in order of the rows of the set.
    pub models: Vec<(ModelId, f64)>,
    pub reference: f64,
    pub cash: f64,
    /// The middle random portfolio of each round; none where a round has no draws.
    pub random: Option<f64>,
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
    if rounds.is_empty() {
        return None;
    }
    let sum = |returns: Vec<f64>| STAKE * compensated_sum(returns);
    let each = |value: fn(&ResolvedRound) -> Return| {
        sum(rounds.iter().map(|round| value(round.2).get()).collect())
    };
    let model = |id: &ModelId| -> Option<(ModelId, f64)> {
        let of = |round: &(Window, RoundId, &ResolvedRound)| {
            let round = publication.round(&round.1)?;
            Some(round.standing(id)?.scored.outcome.decision_return.get())
        };
        let returns: Option<Vec<f64>> = rounds.iter().map(of).collect();
        Some((id.clone(), sum(returns?)))
    };
    let middle = |round: &(Window, RoundId, &ResolvedRound)| Some(round.2.chance.as_ref()?.median);
    let random: Option<Vec<f64>> = rounds.iter().map(middle).collect();
    Some(Stakes {
        models: set
            .rows
            .iter()
            .filter_map(|row| model(&row.model_id))
            .collect(),
        reference: each(|round| round.returns.reference()),
        cash: each(|round| round.returns.cash()),
        random: random.map(sum),
        rounds: rounds.into_iter().map(|round| round.1).collect(),
    })
}
