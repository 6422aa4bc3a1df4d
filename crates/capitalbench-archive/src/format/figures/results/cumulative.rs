//! Boards across rounds in the columns of the earlier public project.

use std::collections::BTreeMap;

use capitalbench_core::publication::boards::consistency::ConsistencyBoard;
use capitalbench_core::publication::boards::cumulative::{CumulativeRow, by_alpha};
use capitalbench_core::publication::boards::index::IndexRow;
use capitalbench_core::publication::{PublicRound, ResolvedRound};
use capitalbench_core::values::ids::RoundId;

use super::ResultTable;

const OFFICIAL: [&str; 18] = [
    "model_id",
    "provider",
    "resolved_rounds",
    "average_official_return",
    "average_sp500_return",
    "average_alpha_vs_sp500",
    "median_alpha_vs_sp500",
    "cumulative_model_return",
    "cumulative_sp500_return",
    "cumulative_log_alpha",
    "hit_rate_vs_sp500",
    "hit_rate_vs_cash",
    "average_regret_vs_best_option",
    "best_round_alpha",
    "worst_round_alpha",
    "total_cost_usd",
    "average_cost_usd",
    "rounds_included",
];
const CONSISTENCY: [&str; 17] = [
    "model_id",
    "provider",
    "resolved_rounds",
    "total_replicates",
    "average_repeated_return",
    "average_repeated_alpha_vs_sp500",
    "median_repeated_alpha_vs_sp500",
    "average_consistency_rate",
    "average_modal_pick_alpha_vs_sp500",
    "average_modal_pick_return",
    "average_best_replicate_return",
    "average_worst_replicate_return",
    "best_round_repeated_alpha",
    "worst_round_repeated_alpha",
    "total_cost_usd",
    "average_cost_per_round",
    "rounds_included",
];
const INDEX: [&str; 11] = [
    "round_id",
    "decision_deadline_utc",
    "horizon_days",
    "official_run_id",
    "stability_run_id",
    "official_models_count",
    "stability_models_count",
    "included_in_latest",
    "included_in_official_cumulative",
    "included_in_stability_cumulative",
    "warnings",
];

/// `official_leaderboard.csv`: mean alpha first, as the older table has it.
pub fn official(rows: &[CumulativeRow]) -> ResultTable {
    let mut table = ResultTable::new(&OFFICIAL);
    for row in by_alpha(rows) {
        table.cell(row.model_id.as_str());
        table.cell(&row.provider);
        table.count(row.rounds.len());
        for value in [
            row.average_return,
            row.average_reference,
            row.average_alpha,
            row.median_alpha,
            row.compounded_return,
            row.compounded_reference,
            row.log_alpha,
            row.hit_rate_reference,
            row.hit_rate_cash,
        ] {
            table.real(value);
        }
        table.maybe(row.average_regret, ResultTable::real);
        table.real(row.best_alpha);
        table.real(row.worst_alpha);
        table.maybe(row.total_cost_usd, ResultTable::real);
        table.maybe(row.average_cost_usd, ResultTable::real);
        table.cell(&joined(&row.rounds));
    }
    table
}

/// `stability_leaderboard.csv`.
pub fn consistency(board: &ConsistencyBoard) -> ResultTable {
    let mut table = ResultTable::new(&CONSISTENCY);
    for row in &board.rows {
        table.cell(row.model_id.as_str());
        table.cell(&row.provider);
        table.count(row.rounds.len());
        table.count(row.replicates);
        for value in [
            row.average_return,
            row.average_alpha,
            row.median_alpha,
            row.average_consistency_rate,
            row.average_modal_alpha,
            row.average_modal_return,
            row.average_best_return,
            row.average_worst_return,
            row.best_alpha,
            row.worst_alpha,
        ] {
            table.real(value);
        }
        table.maybe(row.total_cost_usd, ResultTable::real);
        table.maybe(row.average_cost_per_round_usd, ResultTable::real);
        table.cell(&joined(&row.rounds));
    }
    table
}

fn joined(rounds: &[RoundId]) -> String {
    let ids: Vec<&str> = rounds.iter().map(RoundId::as_str).collect();
    ids.join(",")
}

/// `round_index.csv`.
pub fn round_index(rows: &[IndexRow<'_>], rounds: &[PublicRound]) -> ResultTable {
    let by_id: BTreeMap<&RoundId, &PublicRound> =
        rounds.iter().map(|own| (own.id(), own)).collect();
    let mut table = ResultTable::new(&INDEX);
    let yes = |flag: bool| if flag { "yes" } else { "no" };
    for (row, round) in rows
        .iter()
        .filter_map(|row| Some((row, by_id.get(row.round_id)?)))
    {
        let manifest = &round.manifest;
        let resolved = round.resolved();
        let repeated = resolved.and_then(|r: &ResolvedRound| r.repeated.first());
        table.cell(round.id().as_str());
        let deadline = manifest.decision_deadline.as_ref();
        table.maybe(deadline, |table, deadline| table.cell(deadline.text()));
        table.maybe(manifest.window, |table, window| table.count(window.days()));
        table.maybe(resolved, |table, resolved| {
            table.cell(resolved.run_id.as_str());
        });
        table.maybe(repeated, |table, run| table.cell(run.run_id.as_str()));
        table.count(resolved.map_or(0, |resolved| resolved.models.len()));
        table.count(repeated.map_or(0, |run| run.models.len()));
        table.cell(yes(row.latest));
        table.cell(yes(resolved.is_some()));
        let valid = repeated.is_some_and(|run| run.models.iter().any(|m| m.figures.is_some()));
        table.cell(yes(valid));
        table.cell(&row.warnings.join(" | "));
    }
    table
}
