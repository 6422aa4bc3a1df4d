//! Two models on the rounds that both completed.

use super::mean;
use crate::publication::PublicRound;
use crate::values::ids::ModelId;

/// Mean over rounds of the first model's return minus the second's; none without a shared round.
pub fn mean_difference<'a>(
    rounds: impl IntoIterator<Item = &'a PublicRound>,
    first: &ModelId,
    second: &ModelId,
) -> Option<f64> {
    let difference = |round: &PublicRound| {
        let of = |id: &ModelId| Some(round.standing(id)?.scored.outcome.decision_return);
        Some((of(first)? - of(second)?).get())
    };
    let differences: Vec<f64> = rounds.into_iter().filter_map(difference).collect();
    mean(&differences)
}
