//! Boards across rounds, by track.

use capitalbench_core::publication::Publication;
use capitalbench_core::publication::boards::consistency::ConsistencyRow;
use capitalbench_core::publication::boards::cumulative::CumulativeRow;
use capitalbench_core::round::manifest::Track;

use super::by_track;
use crate::table::{Filling, Row, Table, columns, score_points, score_reason};

pub const CUMULATIVE: Table = Table {
    name: "cumulative",
    about: "One row per model and track over the resolved rounds it took part in; nobody is backfilled. Windows overlap: the compounded columns are no strategy's return and the count is no sample size.",
    columns: CUMULATIVE_COLUMNS,
    filling: Filling::Whole(|all| {
        by_track(all, |track, boards| {
            cumulative(all, track, &boards.cumulative)
        })
    }),
};

columns! {
    CUMULATIVE_COLUMNS, fn cumulative_row<'a>(name: &'a str, track: Track, place: usize, row: &'a CumulativeRow) -> Row<'a>;
    Always "track" Text "weekly or monthly" => track.as_str();
    Always "position" Integer "Place in the board: complete records first, then score" => place;
    Always "model_id" Text "Who" => row.model_id.as_str();
    Always "provider" Text "Whose model it is" => row.provider.as_str();
    Always "resolved_rounds" Integer "Rounds it took part in" => row.rounds.len();
    Always "is_complete" Flag "Took part in every resolved round of the track" => row.complete;
    Maybe "score" Real "100 × summed returns ÷ summed oracles" => score_points(row.score);
    Maybe "score_reason" Text "Why there is no score" => score_reason(row.score);
    Always "first_places" Integer "Rounds it stood first in" => row.firsts;
    Always "average_return_fraction" Real "Mean return" => row.average_return;
    Always "average_reference_fraction" Real "Mean return of the reference in the same rounds" => row.average_reference;
    Always "average_alpha_fraction" Real "Mean difference" => row.average_alpha;
    Always "median_alpha_fraction" Real "Middle difference" => row.median_alpha;
    Always "compounded_return_fraction" Real "Product of one plus each return, minus one" => row.compounded_return;
    Always "compounded_reference_fraction" Real "The same for the reference" => row.compounded_reference;
    Always "log_alpha" Real "Summed logarithms of both, the difference" => row.log_alpha;
    Always "hit_rate_reference_fraction" Real "Share of rounds above the reference" => row.hit_rate_reference;
    Always "hit_rate_cash_fraction" Real "Share of rounds above cash" => row.hit_rate_cash;
    Maybe "average_regret_fraction" Real "Mean regret over rounds with an oracle" => row.average_regret;
    Always "best_alpha_fraction" Real "Largest difference" => row.best_alpha;
    Always "worst_alpha_fraction" Real "Smallest difference" => row.worst_alpha;
    Maybe "total_cost_usd" Real "Sum of known costs" => row.total_cost_usd;
    Maybe "average_cost_usd" Real "Mean of known costs" => row.average_cost_usd;
    Always "model_name" Text "Name for people, as in `models`" => name;
    Always "rounds_with_cost" Integer "Rounds whose cost is known; in the others it is unknown, not zero" => row.rounds_with_cost;
}

pub(crate) fn cumulative<'a>(
    publication: &'a Publication,
    track: Track,
    rows: &'a [CumulativeRow],
) -> Vec<Row<'a>> {
    let placed = (1..).zip(rows);
    placed
        .map(|(place, row)| cumulative_row(publication.name(&row.model_id), track, place, row))
        .collect()
}

pub const CONSISTENCY: Table = Table {
    name: "consistency",
    about: "One row per model and track over its runs of repeated calls; never mixed with the record.",
    columns: CONSISTENCY_COLUMNS,
    filling: Filling::Whole(|all| {
        by_track(all, |track, boards| {
            consistency(track, &boards.consistency.rows)
        })
    }),
};

columns! {
    CONSISTENCY_COLUMNS, fn consistency_row(track: Track, place: usize, row: &ConsistencyRow) -> Row<'_>;
    Always "track" Text "weekly or monthly" => track.as_str();
    Always "position" Integer "Place by mean repeated alpha" => place;
    Always "model_id" Text "Who" => row.model_id.as_str();
    Always "provider" Text "Whose model it is" => row.provider.as_str();
    Always "resolved_rounds" Integer "Rounds with a valid replicate" => row.rounds.len();
    Always "valid_replicates" Integer "Valid answers in all" => row.replicates;
    Always "average_return_fraction" Real "Mean of the mean returns" => row.average_return;
    Always "average_alpha_fraction" Real "Mean of the mean alphas" => row.average_alpha;
    Always "median_alpha_fraction" Real "Middle of the mean alphas" => row.median_alpha;
    Always "best_alpha_fraction" Real "Largest mean alpha of a round" => row.best_alpha;
    Always "worst_alpha_fraction" Real "Smallest mean alpha of a round" => row.worst_alpha;
    Always "average_consistency_rate_fraction" Real "Mean share of the most frequent pick" => row.average_consistency_rate;
    Always "average_overlap_fraction" Real "Mean likeness of whole portfolios" => row.average_overlap;
    Always "average_modal_alpha_fraction" Real "Mean alpha of the most frequent pick" => row.average_modal_alpha;
    Maybe "total_cost_usd" Real "Sum of known costs" => row.total_cost_usd;
    Maybe "average_cost_per_round_usd" Real "Mean cost of rounds with a known one" => row.average_cost_per_round_usd;
}

pub(crate) fn consistency(track: Track, rows: &[ConsistencyRow]) -> Vec<Row<'_>> {
    let placed = (1..).zip(rows);
    placed
        .map(|(place, row)| consistency_row(track, place, row))
        .collect()
}
