//! Which rounds the boards count, and why the others are in none.

use super::set_round::{SetResult, SetRound};
use crate::publication::PublicRound;
use crate::round::lifecycle::Stage;
use crate::round::manifest::Track;
use crate::values::ids::{RoundId, RunId};

/// A round as the index of boards shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexRow<'a> {
    pub round_id: &'a RoundId,
    pub track: Track,
    /// As far as the public sees it.
    pub stage: Stage,
    /// The run that counts and its models, once there is a result.
    pub official: Option<(&'a RunId, usize)>,
    /// It is the latest resolved one of its track.
    pub latest: bool,
    /// Why it is in no board, or what a reader should know.
    pub warnings: Vec<String>,
}

/// The rounds of a track in order of id, from rounds in key order.
pub fn index(rounds: &[PublicRound], track: Track) -> Vec<IndexRow<'_>> {
    rows(&rounds.iter().map(SetRound::of).collect::<Vec<_>>(), track)
}

pub(crate) fn rows<'a>(rounds: &[SetRound<'a>], track: Track) -> Vec<IndexRow<'a>> {
    let of_track = rounds.iter().filter(|round| round.track == Some(track));
    let mut resolved = of_track.clone().filter(|round| round.result.is_some());
    let latest = resolved.next_back().map(|round| round.id);
    let row = |round: &SetRound<'a>| {
        let result = round.result.as_ref();
        IndexRow {
            round_id: round.id,
            track,
            stage: round.stage,
            official: result.map(|result| (result.run_id, result.models().len())),
            latest: latest == Some(round.id),
            warnings: warnings(round.stage, result),
        }
    };
    let mut rows: Vec<IndexRow<'a>> = of_track.map(row).collect();
    rows.sort_by(|a, b| a.round_id.cmp(b.round_id));
    rows
}

fn warnings(stage: Stage, result: Option<&SetResult<'_>>) -> Vec<String> {
    let Some(result) = result else {
        return vec![format!("{}: no result is public", stage.as_str())];
    };
    let without = result.without_replicate.iter();
    let text = without.map(|model| format!("{model} has no valid replicate"));
    text.collect()
}
