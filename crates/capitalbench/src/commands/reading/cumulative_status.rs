//! `cumulative-status`: which rounds the boards count, and by which run.

use capitalbench_core::publication::boards::index::IndexRow;
use serde_json::json;

use crate::cli::{CumulativeStatus, TrackName};
use crate::commands::publishing::published::load_standings;
use crate::console::{Table, document, is_json, line, or_none};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &CumulativeStatus) -> Result<Exit, Error> {
    let standings = load_standings(&arguments.rounds)?;
    let tracks = TrackName::tracks(arguments.track).into_iter();
    let rows: Vec<IndexRow<'_>> = tracks.flat_map(|track| standings.index(track)).collect();
    if is_json() {
        let rows: Vec<_> = rows.iter().map(as_json).collect();
        document(&json!({"as_of": standings.as_of.to_string(), "rounds": rows}));
        return Ok(Exit::Success);
    }
    let cells = rows.iter().map(|row| {
        vec![
            row.round_id.to_string(),
            row.track.as_str().to_owned(),
            row.stage.as_str().to_owned(),
            or_none(row.official.map(|(run_id, _)| run_id)),
            or_none(row.official.map(|(_, models)| models)),
            if row.latest { "latest" } else { "" }.to_owned(),
            row.warnings.join(" | "),
        ]
    });
    let layout = Table {
        header: "round | track | state | official run | models > | | warnings",
        // The name of a round tells its track.
        spare: &[1],
        ..Table::default()
    };
    line(layout.render(cells.collect()));
    Ok(Exit::Success)
}

fn as_json(row: &IndexRow<'_>) -> serde_json::Value {
    json!({
        "round_id": row.round_id.as_str(),
        "track": row.track.as_str(),
        "state": row.stage.as_str(),
        "official_run_id": row.official.map(|(run_id, _)| run_id.as_str()),
        "included": row.official.is_some(),
        "latest": row.latest,
        "warnings": row.warnings,
    })
}
