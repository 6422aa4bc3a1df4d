//! Provisional tracking; never ranked.

use capitalbench_core::publication::{PublicRound, RoundState};

use crate::table::{Filling, Row, Table, columns};

/// Provisional figures by day.
pub const INTERIM_POINTS: Table = Table {
    name: "interim_points",
    about: "One row per model and day before the exit with a price snapshot. Provisional price returns, distributions not included; in no score, rank or board.",
    columns: columns! {
        always "round_id" Text "The round";
        always "snapshot_date" Day "Day of the snapshot";
        always "model_id" Text "Who; rows are in order of day, then model id";
        always "interim_return_fraction" Real "Decision since entry, provisional";
        always "interim_reference_fraction" Real "Reference since entry, provisional";
        always "interim_alpha_fraction" Real "The difference, provisional";
    },
    filling: Filling::ByRound(interim),
};

/// The provisional figures of a round.
pub(crate) fn interim(round: &PublicRound) -> Vec<Row<'_>> {
    let points = match &round.state {
        RoundState::Draft => &[][..],
        RoundState::Open(open) => &open.interim,
        RoundState::Resolved(resolved) => &resolved.interim,
    };
    points
        .iter()
        .map(|row| {
            vec![
                round.id().as_str().into(),
                row.day.into(),
                row.model_id.as_str().into(),
                row.point.value.get().into(),
                row.point.reference.get().into(),
                row.point.alpha.get().into(),
            ]
        })
        .collect()
}
