//! What a result was before it was corrected, and why it was.

use std::path::Path;

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::layout::run;
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_core::publication::PublicRound;
use capitalbench_site::machine::{Change, Correction, corrections};
use serde_json::{Value, json};

use crate::console::{DIM, line, paint, table};

/// The corrections of the run of record; none while there is no result.
fn load(rounds: &Path, round: &PublicRound) -> Result<Vec<Correction>, FileError> {
    let Some(resolved) = round.resolved() else {
        return Ok(Vec::new());
    };
    let path = rounds.join(round.id().as_str());
    // A folder of another name is one that `verify` complains about.
    if !RoundFolder::is_round(&path) {
        return Ok(Vec::new());
    }
    let folder = RoundFolder::open(&path)?;
    let own = folder.run(&resolved.run_id)?;
    let bytes = own.read_optional(run::CORRECTIONS)?;
    Ok(corrections(&bytes.unwrap_or_default()))
}

/// Prints every correction with its reason and the values that changed.
pub(super) fn print(rounds: &Path, round: &PublicRound) -> Result<(), FileError> {
    for correction in load(rounds, round)? {
        let (at, reason) = (correction.at, &correction.reason);
        line(format!("\nCorrected {at}: {reason}"));
        let changes = correction.changes.into_iter();
        let rows: Vec<Vec<String>> = changes
            .map(|change| vec![change.model, change.figure, change.old, change.new])
            .collect();
        if !rows.is_empty() {
            line(paint(DIM, table("model | figure | old > | new >", rows)));
        }
    }
    Ok(())
}

pub(super) fn as_json(rounds: &Path, round: &PublicRound) -> Result<Vec<Value>, FileError> {
    let change = |own: &Change| json!({"model": own.model, "figure": own.figure, "old": own.old, "new": own.new});
    let told = |own: &Correction| {
        let changes: Vec<Value> = own.changes.iter().map(change).collect();
        json!({"at": own.at.to_string(), "reason": own.reason, "changes": changes})
    };
    Ok(load(rounds, round)?.iter().map(told).collect())
}
