//! Two models on the rounds both completed.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Estimate, Taken, alphas, estimate, horizon_sessions, series, taken, told_apart, windows,
};
use crate::boards::comparison_set::ComparisonSet;
use crate::boards::cumulative::CumulativeRow;
use crate::ids::{ModelId, RoundId};
use crate::inference::daily::paired;
use crate::inference::overlap::Overlap;
use crate::inference::ties::holm;
use crate::manifest::Track;
use crate::publication::PublicRound;

/// Two models on the rounds both completed.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The one with the better row.
    pub first: ModelId,
    /// The other.
    pub second: ModelId,
    /// Mean difference per horizon; none with less than two windows.
    pub difference: Option<Estimate>,
    /// Its p value after Holm's correction over all pairs of the set.
    pub p_adjusted: Option<f64>,
}

/// Two models of a track on every round both completed, whatever sets they are in.
#[derive(Debug, Clone, PartialEq)]
pub struct HeadToHead {
    /// The one with the smaller id.
    pub first: ModelId,
    /// The other.
    pub second: ModelId,
    /// The shared rounds, in order of id.
    pub rounds: Vec<RoundId>,
    /// Separate windows they are worth.
    pub effective_windows: f64,
    /// Rounds in which the first returned more.
    pub first_ahead: usize,
    /// Rounds in which the second returned more.
    pub second_ahead: usize,
    /// Mean difference per horizon, first minus second; none with less than two windows.
    pub difference: Option<Estimate>,
}

/// Every pair of a set, p values corrected over all of them.
pub(super) fn pairs(
    set: &ComparisonSet,
    difference: impl Fn(usize, usize) -> Option<Estimate>,
) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (place, first) in set.rows.iter().enumerate() {
        for (other, second) in set.rows.iter().enumerate().skip(place + 1) {
            pairs.push(Pair {
                first: first.model_id.clone(),
                second: second.model_id.clone(),
                difference: difference(place, other),
                p_adjusted: None,
            });
        }
    }
    let tests: Vec<f64> = pairs
        .iter()
        .map(|pair| pair.difference.as_ref().map_or(1.0, told_apart))
        .collect();
    for (pair, p) in pairs.iter_mut().zip(holm(&tests)) {
        pair.p_adjusted = pair.difference.is_some().then_some(p);
    }
    pairs
}

/// Every two models of a track with a shared round.
pub(super) fn head_to_head(
    rounds: &BTreeMap<&RoundId, &PublicRound>,
    rows: &[CumulativeRow],
    track: Track,
) -> Vec<HeadToHead> {
    let mut sorted: Vec<&CumulativeRow> = rows.iter().collect();
    sorted.sort_by(|a, b| a.model_id.cmp(&b.model_id));
    let mut found = Vec::new();
    for (place, first) in sorted.iter().enumerate() {
        let own: BTreeSet<&RoundId> = first.rounds.iter().collect();
        for second in &sorted[place + 1..] {
            let shared = second.rounds.iter().filter(|id| own.contains(id));
            let shared: Vec<RoundId> = shared.cloned().collect();
            if !shared.is_empty() {
                let ids = (&first.model_id, &second.model_id);
                found.push(compared(rounds, ids, shared, track));
            }
        }
    }
    found
}

fn compared(
    rounds: &BTreeMap<&RoundId, &PublicRound>,
    (first, second): (&ModelId, &ModelId),
    shared: Vec<RoundId>,
    track: Track,
) -> HeadToHead {
    let a = taken(rounds, &shared, first);
    let b = taken(rounds, &shared, second);
    let overlap = Overlap::new(&windows(&a));
    let differences: Vec<f64> = alphas(&a)
        .iter()
        .zip(alphas(&b))
        .map(|(a, b)| a - b)
        .collect();
    let daily = series(&a).zip(series(&b)).map(|(a, b)| paired(&a, &b));
    let sessions = horizon_sessions(track);
    let value = |t: &Taken<'_>| t.standing.scored.outcome.decision_return.get();
    let ahead = |a: &[Taken<'_>], b: &[Taken<'_>]| {
        a.iter().zip(b).filter(|(a, b)| value(a) > value(b)).count()
    };
    HeadToHead {
        first: first.clone(),
        second: second.clone(),
        effective_windows: overlap.effective(),
        first_ahead: ahead(&a, &b),
        second_ahead: ahead(&b, &a),
        difference: estimate(daily.as_deref(), &differences, &overlap, sessions),
        rounds: shared,
    }
}
