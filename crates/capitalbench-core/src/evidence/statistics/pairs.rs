//! Every two models of a track on the rounds both completed.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::frame::Frames;
use super::record::{Taken, taken, windows};
use super::set::{correct, difference};
use super::{Estimate, LEVEL};
use crate::publication::boards::cumulative::CumulativeRow;
use crate::publication::boards::set_round::{ById, chosen};
use crate::values::ids::{ModelId, RoundId};

/// Two models of a track on every round both completed, whatever sets they are in.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct HeadToHead {
    /// The one with the smaller id.
    pub first: ModelId,
    /// The other.
    pub second: ModelId,
    /// The shared rounds, in order of id.
    pub rounds: Arc<[RoundId]>,
    /// Effective windows they are worth.
    pub effective_windows: f64,
    /// Rounds in which the first returned more.
    pub first_ahead: usize,
    /// Rounds in which the second returned more.
    pub second_ahead: usize,
    /// Mean difference per round, first minus second; none with less than two windows.
    pub difference: Option<Estimate>,
    /// Its p value after Holm's correction over all pairs of the track that can be tested.
    pub p_adjusted: Option<f64>,
}

impl HeadToHead {
    /// Whether both are told apart, corrected over all pairs of the track.
    pub fn apart(&self) -> bool {
        self.p_adjusted.is_some_and(|p| p < 1.0 - LEVEL)
    }
}

/// Every two models of a track with a shared round.
pub(super) fn head_to_head(
    rounds: &ById<'_>,
    rows: &[CumulativeRow],
    frames: &Frames,
) -> Vec<HeadToHead> {
    let mut sorted: Vec<&CumulativeRow> = rows.iter().collect();
    sorted.sort_by(|a, b| a.model_id.cmp(&b.model_id));
    let records: Vec<ModelRounds<'_>> = sorted
        .iter()
        .enumerate()
        .map(|(place, row)| ModelRounds {
            id: (place, &row.model_id),
            taken: taken(&chosen(rounds, &row.rounds), (place, &row.model_id)),
            rounds: Arc::from(row.rounds.as_slice()),
        })
        .collect();
    let mut found = Vec::new();
    for (place, first) in records.iter().enumerate() {
        let own: BTreeSet<&RoundId> = first.rounds.iter().collect();
        for second in &records[place + 1..] {
            // Most models took part in the same rounds, and those are listed once.
            let ids = [first.id.1, second.id.1];
            if first.rounds == second.rounds {
                let shared = Shared {
                    rounds: &first.rounds,
                    first: &first.taken,
                    second: &second.taken,
                };
                found.push(compared(ids, &shared, frames));
                continue;
            }
            let shared = second.rounds.iter().filter(|id| own.contains(id));
            let shared: Arc<[RoundId]> = shared.cloned().collect();
            if !shared.is_empty() {
                let chosen = chosen(rounds, &shared);
                let shared = Shared {
                    rounds: &shared,
                    first: &taken(&chosen, first.id),
                    second: &taken(&chosen, second.id),
                };
                found.push(compared(ids, &shared, frames));
            }
        }
    }
    correct(
        found
            .iter_mut()
            .map(|pair| (pair.difference, &mut pair.p_adjusted)),
    );
    found
}

/// A model's own rounds.
struct ModelRounds<'a> {
    id: (usize, &'a ModelId),
    rounds: Arc<[RoundId]>,
    taken: Vec<Taken<'a>>,
}

/// The rounds that two models share, with the decisions of each in them.
struct Shared<'a> {
    rounds: &'a Arc<[RoundId]>,
    first: &'a [Taken<'a>],
    second: &'a [Taken<'a>],
}

fn compared(ids: [&ModelId; 2], shared: &Shared<'_>, frames: &Frames) -> HeadToHead {
    let (a, b) = (shared.first, shared.second);
    let frame = frames.of(&windows(a));
    let ahead = |a: &[Taken<'_>], b: &[Taken<'_>]| {
        a.iter().zip(b).filter(|(a, b)| a.value > b.value).count()
    };
    HeadToHead {
        first: ids[0].clone(),
        second: ids[1].clone(),
        effective_windows: frame.overlap.effective(),
        first_ahead: ahead(a, b),
        second_ahead: ahead(b, a),
        difference: difference(a, b, &frame),
        p_adjusted: None,
        rounds: Arc::clone(shared.rounds),
    }
}
