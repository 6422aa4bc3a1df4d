//! Every two models of a track on the rounds both completed.

use std::collections::{BTreeMap, BTreeSet};

use super::frame::Frames;
use super::record::{Taken, taken, windows};
use super::set::difference;
use super::{Estimate, horizon_sessions};
use crate::boards::cumulative::CumulativeRow;
use crate::ids::{ModelId, RoundId};
use crate::manifest::Track;
use crate::publication::PublicRound;

/// Two models of a track on every round both completed, whatever sets they are in.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
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

/// Every two models of a track with a shared round.
pub(super) fn head_to_head(
    rounds: &BTreeMap<&RoundId, &PublicRound>,
    rows: &[CumulativeRow],
    track: Track,
    frames: &Frames,
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
                found.push(compared(rounds, ids, shared, track, frames));
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
    frames: &Frames,
) -> HeadToHead {
    let a = taken(rounds, &shared, first);
    let b = taken(rounds, &shared, second);
    let frame = frames.of(&windows(&a));
    let sessions = horizon_sessions(track);
    let value = |t: &Taken<'_>| t.standing.scored.outcome.decision_return.get();
    let ahead = |a: &[Taken<'_>], b: &[Taken<'_>]| {
        a.iter().zip(b).filter(|(a, b)| value(a) > value(b)).count()
    };
    HeadToHead {
        first: first.clone(),
        second: second.clone(),
        effective_windows: frame.overlap.effective(),
        first_ahead: ahead(&a, &b),
        second_ahead: ahead(&b, &a),
        difference: difference(&a, &b, &frame, sessions),
        rounds: shared,
    }
}
