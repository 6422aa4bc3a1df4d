//! All tables of an export.

use capitalbench_core::publication::Publication;
use capitalbench_core::publication::boards::TrackBoards;
use capitalbench_core::round::manifest::Track;

use crate::table::{Row, Table};

pub mod behaviour;
pub mod boards;
pub mod claims;
pub mod decisions;
pub mod entrants;
pub mod interim;
pub mod market;
pub mod outcomes;
pub mod rounds;
pub mod sensitivity;
pub mod sets;
pub mod statistics;

/// Every table, in the order of the dictionary.
pub const ALL: [&Table; 33] = [
    &rounds::ROUNDS,
    &rounds::ARTIFACT_HASHES,
    &rounds::MODELS,
    &market::OPTIONS,
    &market::PRICES,
    &decisions::SUBMISSIONS,
    &decisions::HOLDINGS,
    &decisions::MISSING_ANSWERS,
    &decisions::EXPLANATIONS,
    &sensitivity::LANE_ANSWERS,
    &decisions::CONTROLS,
    &decisions::CONTROL_HOLDINGS,
    &interim::INTERIM_POINTS,
    &outcomes::ROUND_RESULTS,
    &market::OPTION_RETURNS,
    &outcomes::OUTCOMES,
    &outcomes::CONTROL_OUTCOMES,
    &outcomes::REPEATED_CALLS,
    &boards::CUMULATIVE,
    &boards::CONSISTENCY,
    &behaviour::BEHAVIOUR,
    &behaviour::HABITS,
    &behaviour::EXPOSURES,
    &sets::COMPARISON_SETS,
    &sets::SET_MODELS,
    &sets::SET_ROUNDS,
    &sets::SET_ROWS,
    &statistics::STATISTICS,
    &statistics::PAIRS,
    &statistics::RELIABILITY,
    &claims::CLAIMS,
    &entrants::ENTRIES,
    &sensitivity::SENSITIVITY,
];

/// The tables that a database has too. It keeps claims and entries with the boards of their track.
pub fn in_database() -> impl Iterator<Item = &'static Table> {
    let apart =
        |table: &&Table| ![claims::CLAIMS.name, entrants::ENTRIES.name].contains(&table.name);
    ALL.into_iter().filter(apart)
}

/// The rows that each track's boards give, weekly before monthly.
fn by_track<'a>(
    publication: &'a Publication,
    rows: impl Fn(Track, &'a TrackBoards) -> Vec<Row<'a>>,
) -> Vec<Row<'a>> {
    let tracks = publication.boards.iter();
    tracks
        .flat_map(|(track, boards)| rows(*track, boards))
        .collect()
}
