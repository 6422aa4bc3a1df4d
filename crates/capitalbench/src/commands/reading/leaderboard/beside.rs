//! What a reader should know beside the first board of a track: a set with more rounds, and why models
//! are missing.

use capitalbench_core::publication::boards::first_board::FirstBoard;
use capitalbench_core::publication::standings::Standings;
use capitalbench_export::text::absence_sentences;
use serde_json::{Value, json};

use crate::console::{DIM, line, paint, plural, prose};

fn sentences(standings: &Standings, board: &FirstBoard<'_>) -> Vec<String> {
    let absences = board.absences.iter();
    let told = absences.flat_map(|own| absence_sentences(own, standings.name(&own.model_id)));
    told.collect()
}

pub(super) fn print(standings: &Standings, board: &FirstBoard<'_>) {
    for sentence in sentences(standings, board) {
        line(paint(DIM, prose(&sentence)));
    }
    if let Some(larger) = board.larger {
        let id = &larger.definition.set_id;
        let models = plural(larger.definition.model_ids.len(), "model");
        let rounds = plural(larger.included.len(), "shared round");
        let text = format!("More rounds: {id} has {rounds} of {models}.");
        line(paint(DIM, prose(&text)));
        line(paint(DIM, format!("  capitalbench leaderboard --set {id}")));
    }
}

/// A set for programs, with what stands beside its board.
pub(super) fn added(mut set: Value, standings: &Standings, board: &FirstBoard<'_>) -> Value {
    if let Some(larger) = board.larger {
        set["larger_set_id"] = json!(larger.definition.set_id);
    }
    if !board.absences.is_empty() {
        set["absences"] = json!(sentences(standings, board));
    }
    set
}
