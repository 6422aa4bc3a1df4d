//! Which rounds the boards count, and why the others are in none.

use std::collections::BTreeSet;

use crate::publication::PublicRound;
use crate::round::manifest::Track;
use crate::values::ids::ModelId;

/// A round as the index of boards shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexRow<'a> {
    pub round: &'a PublicRound,
    /// It is the latest resolved one of its track.
    pub latest: bool,
    /// Why it is in no board, or what a reader should know.
    pub warnings: Vec<String>,
}

/// The rounds of a track in order of id, from rounds in key order.
pub fn index(rounds: &[PublicRound], track: Track) -> Vec<IndexRow<'_>> {
    let of_track = rounds.iter().filter(|round| round.track == Some(track));
    let mut resolved = of_track.clone().filter(|round| round.resolved().is_some());
    let latest = resolved.next_back().map(PublicRound::id);
    let row = |round| IndexRow {
        round,
        latest: latest == Some(round.id()),
        warnings: warnings(round),
    };
    let mut rows: Vec<IndexRow<'_>> = of_track.map(row).collect();
    rows.sort_by(|a, b| a.round.id().cmp(b.round.id()));
    rows
}

fn warnings(round: &PublicRound) -> Vec<String> {
    let Some(resolved) = round.resolved() else {
        return vec![format!("{}: no result is public", round.state.as_str())];
    };
    let models = resolved.repeated.iter().flat_map(|run| &run.models);
    let unlike = models.filter(|model| model.figures.is_none());
    let unlike: BTreeSet<&ModelId> = unlike.map(|model| &model.model_id).collect();
    let text = |model: &&ModelId| format!("{model} has no valid replicate");
    unlike.iter().map(text).collect()
}
