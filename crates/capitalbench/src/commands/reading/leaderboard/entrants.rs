//! The board of entrants from outside, below those of models and never among them.

use capitalbench_archive::disk::layout;
use capitalbench_core::publication::Publication;
use capitalbench_core::publication::entrants::{EntrantRow, entrant_board};
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::units::signed_percent;
use capitalbench_export::table::score_points;
use capitalbench_export::text::score;
use serde_json::{Value, json};

use crate::cli::Rounds;
use crate::commands::publishing::published::load;
use crate::console::{BOLD, line, paint, table};
use crate::error::Error;

/// The boards of the tracks that have entries; reading them takes the whole publication, so a folder
/// without entries is not asked.
pub(super) fn boards(
    rounds: &Rounds,
    past: Option<&Publication>,
    tracks: &[Track],
) -> Result<Vec<(Track, Vec<EntrantRow>)>, Error> {
    let present;
    let publication = match past {
        Some(past) => past,
        None if rounds.folder.join(layout::LOG_ENTRIES).exists() => {
            present = load(rounds)?;
            &present
        }
        None => return Ok(Vec::new()),
    };
    let mut boards = Vec::new();
    for track in tracks {
        let board = entrant_board(&publication.entries, *track);
        let board = board.map_err(|error| Error::new(error.to_string()))?;
        if !board.is_empty() {
            boards.push((*track, board));
        }
    }
    Ok(boards)
}

pub(super) fn as_json(boards: &[(Track, Vec<EntrantRow>)]) -> Value {
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
    let board = |(track, rows): &(Track, Vec<EntrantRow>)| {
        let rows: Vec<Value> = rows.iter().enumerate().map(row).collect();
        json!({"track": track.as_str(), "rows": rows})
    };
    boards.iter().map(board).collect()
}

pub(super) fn print(boards: &[(Track, Vec<EntrantRow>)]) {
    for (track, rows) in boards {
        line(format!(
            "\n{}",
            paint(BOLD, format!("Entrants from outside, {}", track.as_str()))
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
