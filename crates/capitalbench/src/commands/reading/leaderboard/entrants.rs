//! The board of entrants from outside, below those of models and never among them.

use capitalbench_archive::public::entrants::has_entrants;
use capitalbench_core::publication::Publication;
use capitalbench_core::publication::entrants::{EntrantLane, EntrantRow, entrant_board};
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::units::signed_percent;
use capitalbench_export::table::score_points;
use capitalbench_export::text::score;
use serde_json::{Value, json};

use crate::cli::Rounds;
use crate::commands::publishing::published::load;
use crate::console::{BOLD, line, muted, paint, table};
use crate::error::Error;

/// A track and a lane with their rows.
pub(super) type EntrantBoard = ((Track, EntrantLane), Vec<EntrantRow>);

/// The boards of the tracks that have entries; reading them takes the whole publication, so a folder
/// without entries is not asked.
pub(super) fn boards(
    rounds: &Rounds,
    past: Option<&Publication>,
    tracks: &[Track],
) -> Result<Vec<EntrantBoard>, Error> {
    let present;
    let publication = match past {
        Some(past) => past,
        None if has_entrants(&rounds.folder) => {
            // The boards above have said of what market this is.
            present = muted(|| load(rounds))?;
            &present
        }
        None => return Ok(Vec::new()),
    };
    let mut boards = Vec::new();
    let lanes = |track: &Track| EntrantLane::ALL.map(|lane| (*track, lane));
    for (track, lane) in tracks.iter().flat_map(lanes) {
        let board = entrant_board(&publication.entries, track, lane);
        let board = board.map_err(|error| Error::new(error.to_string()))?;
        if !board.is_empty() {
            boards.push(((track, lane), board));
        }
    }
    Ok(boards)
}

pub(super) fn as_json(boards: &[EntrantBoard]) -> Value {
    let row = |(place, row): (usize, &EntrantRow)| {
        json!({
            "place": place + 1,
            "entrant": row.entrant.as_str(),
            "name": row.name,
            "kind": row.kind.as_str(),
            "capitalbench_score": score_points(row.score),
            "average_alpha_fraction": row.average_alpha,
            "average_return_fraction": row.average_return,
            "entries": row.entries,
            "as_cash": row.as_cash,
            "keys": row.keys,
        })
    };
    let board = |((track, lane), rows): &EntrantBoard| {
        let rows: Vec<Value> = rows.iter().enumerate().map(row).collect();
        json!({"track": track.as_str(), "lane": lane.as_str(), "rows": rows})
    };
    boards.iter().map(board).collect()
}

pub(super) fn print(boards: &[EntrantBoard]) {
    for ((track, lane), rows) in boards {
        let title = match lane {
            EntrantLane::Sealed => "Entrants from outside",
            EntrantLane::Open => "Open lane, agents that may use tools",
        };
        line(format!(
            "\n{}",
            paint(BOLD, format!("{title}, {}", track.as_str()))
        ));
        let cells = rows.iter().enumerate().map(|(place, row)| {
            vec![
                (place + 1).to_string(),
                row.name.clone(),
                row.kind.as_str().to_owned(),
                score(row.score),
                signed_percent(row.average_alpha),
                signed_percent(row.average_return),
                row.entries.to_string(),
                row.as_cash.to_string(),
                row.keys.to_string(),
            ]
        });
        let header = "place > | entrant | kind | score > | gap > | return > | entries > | as cash > | keys >";
        line(table(header, cells.collect()));
    }
}
