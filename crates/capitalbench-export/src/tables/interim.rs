//! Provisional tracking; never ranked.

use capitalbench_core::publication::facts::InterimRow;
use capitalbench_core::publication::{PublicRound, RoundState};

use crate::table::{Filling, Row, Table, columns};

/// Provisional figures by day.
pub const INTERIM_POINTS: Table = Table {
    name: "interim_points",
    about: "One row per model and day before the exit with a price snapshot. Provisional price returns, distributions not included; in no score, rank or board.",
    columns: INTERIM_COLUMNS,
    filling: Filling::ByRound(interim),
};

columns! {
    INTERIM_COLUMNS, fn point<'a>(round: &'a PublicRound, row: &'a InterimRow) -> Row<'a>;
    Always "round_id" Text "The round" => round.id().as_str();
    Always "snapshot_date" Day "Day of the snapshot" => row.day;
    Always "model_id" Text "Who; rows are in order of day, then model id" => row.model_id.as_str();
    Always "interim_return_fraction" Real "Decision since entry, provisional" => row.point.value.get();
    Always "interim_reference_fraction" Real "Reference since entry, provisional" => row.point.reference.get();
    Always "interim_alpha_fraction" Real "The difference, provisional" => row.point.alpha.get();
}

/// The provisional figures of a round.
pub(crate) fn interim(round: &PublicRound) -> Vec<Row<'_>> {
    let points = match &round.state {
        RoundState::Draft | RoundState::Ended(_) => &[][..],
        RoundState::Open(open) => &open.interim,
        RoundState::Resolved(resolved) => &resolved.interim,
    };
    points.iter().map(|row| point(round, row)).collect()
}
