//! `leaderboard`: a comparison set or a round on the terminal.

use std::path::Path;

use capitalbench_archive::public::entrants::has_entrants;

use capitalbench_core::publication::Publication;
use capitalbench_core::publication::boards::comparison_set::ComparisonSet;
use capitalbench_core::publication::boards::first_board::FirstBoard;
use capitalbench_core::publication::standings::Standings;
use capitalbench_core::round::manifest::Track;
use capitalbench_export::publication_v1;
use serde_json::{Value, json};

use crate::cli::{Leaderboard, TrackName};
use crate::commands::publishing::published::{load, load_standings, unknown};
use crate::console::{DIM, document, is_json, line, paint, plural, prose};
use crate::error::{Error, Exit};

mod beside;
mod corrections;
mod entrants;
mod interval_bar;
mod past;
mod round_table;
pub(crate) mod set_table;

use past::Past;

pub(crate) fn run(arguments: &Leaderboard) -> Result<Exit, Error> {
    let past = match &arguments.at {
        Some(checkpoint) => Some(Past::restore(&arguments.rounds, checkpoint)?),
        None => None,
    };
    if let Some(name) = &arguments.round {
        let publication = match &past {
            Some(past) => past.publication()?,
            None => load(&arguments.rounds)?,
        };
        let past = past.as_ref();
        let folder = past.map_or(&*arguments.rounds.folder, Past::folder);
        return one_round(&publication, name, folder, past);
    }
    let standings = match &past {
        Some(past) => past.standings()?,
        None => load_standings(&arguments.rounds)?,
    };
    let tracks = TrackName::tracks(arguments.track);
    let boards = boards(arguments.set.as_deref(), &standings, &tracks)?;
    let entrants = entrants_of(arguments, past.as_ref(), &tracks)?;
    if is_json() {
        let mut told = as_json(&standings, &boards);
        if !entrants.is_empty() {
            told["entrants"] = entrants::as_json(&entrants);
        }
        document(&with_checkpoint(past.as_ref(), told));
        return Ok(Exit::Success);
    }
    if let Some(past) = &past {
        past.print();
    }
    for (place, board) in boards.iter().enumerate() {
        let set = board.set;
        if place > 0 {
            line("");
        }
        set_table::print(&standings, set, standings.statistics(set).as_ref());
        beside::print(&standings, board);
        if arguments.set.is_some() {
            set_table::print_rounds(set);
        }
    }
    entrants::print(&entrants);
    if arguments.set.is_none() {
        open_rounds(&standings, &tracks);
    }
    let ranked = |board: &FirstBoard<'_>| !board.set.rows.is_empty();
    Ok(Exit::of(boards.iter().any(ranked)))
}

/// The boards of entrants, unless a set of models was named.
fn entrants_of(
    arguments: &Leaderboard,
    past: Option<&Past>,
    tracks: &[Track],
) -> Result<Vec<entrants::EntrantBoard>, Error> {
    if arguments.set.is_some() {
        return Ok(Vec::new());
    }
    let is_entered = has_entrants(&arguments.rounds.folder);
    let past = past
        .filter(|_| is_entered)
        .map(Past::publication)
        .transpose()?;
    entrants::boards(&arguments.rounds, past.as_ref(), tracks)
}

/// The same boards for programs.
pub(super) fn documents(
    standings: &Standings,
    name: Option<&str>,
    tracks: &[Track],
) -> Result<Value, Error> {
    Ok(as_json(standings, &boards(name, standings, tracks)?))
}

fn as_json(standings: &Standings, boards: &[FirstBoard<'_>]) -> Value {
    let shown = boards.iter().map(|board| {
        let found = standings.statistics(board.set);
        let set = set_table::as_json(standings, board.set, found.as_ref());
        beside::added(set, standings, board)
    });
    let shown: Vec<Value> = shown.collect();
    json!({"as_of": standings.as_of.to_string(), "comparison_sets": shown})
}

/// The set that was named, or the first board of each track.
fn boards<'a>(
    name: Option<&str>,
    standings: &'a Standings,
    tracks: &[Track],
) -> Result<Vec<FirstBoard<'a>>, Error> {
    let Some(name) = name else {
        let boards = tracks.iter();
        let boards = boards.filter_map(|track| standings.first_board(*track));
        return Ok(boards.collect());
    };
    Ok(vec![FirstBoard {
        set: named(standings, name)?,
        larger: None,
        absences: Vec::new(),
    }])
}

fn named<'a>(standings: &'a Standings, name: &str) -> Result<&'a ComparisonSet, Error> {
    let sets = &standings.comparison_sets;
    let found = sets.iter().find(|set| set.definition.set_id == name);
    found.ok_or_else(|| {
        let known: Vec<&str> = sets
            .iter()
            .map(|set| set.definition.set_id.as_str())
            .collect();
        unknown("comparison set", name, &known)
    })
}

/// A document of a past board says of which.
fn with_checkpoint(past: Option<&Past>, mut told: Value) -> Value {
    if let Some(past) = past {
        told["checkpoint"] = past.as_json();
    }
    told
}

fn one_round(
    publication: &Publication,
    name: &str,
    folder: &Path,
    past: Option<&Past>,
) -> Result<Exit, Error> {
    let found = publication
        .rounds
        .iter()
        .find(|round| round.id().as_str() == name);
    let round = found.ok_or_else(|| {
        let known: Vec<&str> = publication.rounds.iter().map(|r| r.id().as_str()).collect();
        unknown("public round", name, &known)
    })?;
    if is_json() {
        let as_of = publication.as_of.to_string();
        let corrected = corrections::as_json(folder, round)?;
        let round = publication_v1::round(round);
        let told = json!({"as_of": as_of, "round": round, "corrections": corrected});
        document(&with_checkpoint(past, told));
    } else {
        if let Some(past) = past {
            past.print();
        }
        round_table::print(publication, round);
        corrections::print(folder, round)?;
    }
    Ok(Exit::Success)
}

/// How many rounds are open, and which result comes next.
fn open_rounds(standings: &Standings, tracks: &[Track]) {
    let open = standings.open_rounds(tracks);
    let mut parts = vec![format!("{} open", plural(open.pending, "round"))];
    if let Some(day) = open.next_exit {
        parts.push(format!("next result after the close of {day}"));
    }
    if open.overdue > 0 {
        parts.push(format!("{} overdue", open.overdue));
    }
    parts.push(format!("as of {}", standings.as_of));
    line(format!("\n{}", paint(DIM, prose(&parts.join(" · ")))));
}
