//! Boards across rounds, by track.

use capitalbench_core::publication::boards::consistency::ConsistencyRow;
use capitalbench_core::publication::boards::cumulative::CumulativeRow;
use capitalbench_core::round::manifest::Track;

use super::by_track;
use crate::table::{Filling, Row, Table, columns, score_cells};

pub const CUMULATIVE: Table = Table {
    name: "cumulative",
    about: "One row per model and track over the resolved rounds it took part in; nobody is backfilled. Windows overlap: the compounded columns are no strategy's return and the count is no sample size.",
    columns: columns! {
        always "track" Text "weekly or monthly";
        always "position" Integer "Place in the board: complete records first, then score";
        always "model_id" Text "Who";
        always "provider" Text "Whose model it is";
        always "resolved_rounds" Integer "Rounds it took part in";
        always "is_complete" Flag "Took part in every resolved round of the track";
        maybe "score" Real "100 × summed returns ÷ summed oracles";
        maybe "score_reason" Text "Why there is no score";
        always "first_places" Integer "Rounds it stood first in";
        always "average_return_fraction" Real "Mean return";
        always "average_reference_fraction" Real "Mean return of the reference in the same rounds";
        always "average_alpha_fraction" Real "Mean difference";
        always "median_alpha_fraction" Real "Middle difference";
        always "compounded_return_fraction" Real "Product of one plus each return, minus one";
        always "compounded_reference_fraction" Real "The same for the reference";
        always "log_alpha" Real "Summed logarithms of both, the difference";
        always "hit_rate_reference_fraction" Real "Share of rounds above the reference";
        always "hit_rate_cash_fraction" Real "Share of rounds above cash";
        maybe "average_regret_fraction" Real "Mean regret over rounds with an oracle";
        always "best_alpha_fraction" Real "Largest difference";
        always "worst_alpha_fraction" Real "Smallest difference";
        maybe "total_cost_usd" Real "Sum of known costs";
        maybe "average_cost_usd" Real "Mean of known costs";
    },
    filling: Filling::Whole(|all| {
        by_track(all, |track, boards| cumulative(track, &boards.cumulative))
    }),
};

pub(crate) fn cumulative(track: Track, rows: &[CumulativeRow]) -> Vec<Row<'_>> {
    rows.iter()
        .enumerate()
        .map(|(place, row)| {
            let [points, reason] = score_cells(row.score);
            vec![
                track.as_str().into(),
                (place + 1).into(),
                row.model_id.as_str().into(),
                row.provider.as_str().into(),
                row.rounds.len().into(),
                row.complete.into(),
                points,
                reason,
                row.firsts.into(),
                row.average_return.into(),
                row.average_reference.into(),
                row.average_alpha.into(),
                row.median_alpha.into(),
                row.compounded_return.into(),
                row.compounded_reference.into(),
                row.log_alpha.into(),
                row.hit_rate_reference.into(),
                row.hit_rate_cash.into(),
                row.average_regret.into(),
                row.best_alpha.into(),
                row.worst_alpha.into(),
                row.total_cost_usd.into(),
                row.average_cost_usd.into(),
            ]
        })
        .collect()
}

pub const CONSISTENCY: Table = Table {
    name: "consistency",
    about: "One row per model and track over its runs of repeated calls; never mixed with the record.",
    columns: columns! {
        always "track" Text "weekly or monthly";
        always "position" Integer "Place by mean repeated alpha";
        always "model_id" Text "Who";
        always "provider" Text "Whose model it is";
        always "resolved_rounds" Integer "Rounds with a valid replicate";
        always "valid_replicates" Integer "Valid answers in all";
        always "average_return_fraction" Real "Mean of the mean returns";
        always "average_alpha_fraction" Real "Mean of the mean alphas";
        always "median_alpha_fraction" Real "Middle of the mean alphas";
        always "best_alpha_fraction" Real "Largest mean alpha of a round";
        always "worst_alpha_fraction" Real "Smallest mean alpha of a round";
        always "average_consistency_rate_fraction" Real "Mean share of the most frequent pick";
        always "average_overlap_fraction" Real "Mean likeness of whole portfolios";
        always "average_modal_alpha_fraction" Real "Mean alpha of the most frequent pick";
        maybe "total_cost_usd" Real "Sum of known costs";
        maybe "average_cost_per_round_usd" Real "Mean cost of rounds with a known one";
    },
    filling: Filling::Whole(|all| {
        by_track(all, |track, boards| {
            consistency(track, &boards.consistency.rows)
        })
    }),
};

pub(crate) fn consistency(track: Track, rows: &[ConsistencyRow]) -> Vec<Row<'_>> {
    rows.iter()
        .enumerate()
        .map(|(place, row)| {
            vec![
                track.as_str().into(),
                (place + 1).into(),
                row.model_id.as_str().into(),
                row.provider.as_str().into(),
                row.rounds.len().into(),
                row.replicates.into(),
                row.average_return.into(),
                row.average_alpha.into(),
                row.median_alpha.into(),
                row.best_alpha.into(),
                row.worst_alpha.into(),
                row.average_consistency_rate.into(),
                row.average_overlap.into(),
                row.average_modal_alpha.into(),
                row.total_cost_usd.into(),
                row.average_cost_per_round_usd.into(),
            ]
        })
        .collect()
}
