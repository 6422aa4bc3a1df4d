//! How models decide, without regard to results.

use capitalbench_core::publication::boards::behaviour::{Behaviour, Habit};
use capitalbench_core::round::manifest::Track;

use super::by_track;
use crate::table::{Filling, Row, Table, columns};

/// Habits of a model in a track.
pub const BEHAVIOUR: Table = Table {
    name: "behaviour",
    about: "One row per model and track over all its public decisions; calibration over resolved ones only.",
    columns: BEHAVIOUR_COLUMNS,
    filling: Filling::Whole(|all| {
        by_track(all, |track, boards| behaviour(track, &boards.behaviour))
    }),
};

columns! {
    BEHAVIOUR_COLUMNS, fn behaviour_row(track: Track, model: &Behaviour) -> Row<'_>;
    Always "track" Text "weekly or monthly" => track.as_str();
    Always "model_id" Text "Who" => model.model_id.as_str();
    Always "decisions" Integer "Public decisions, open rounds included" => model.decisions.len();
    Always "average_holdings" Real "Mean number of holdings" => model.average_holdings;
    Always "average_hhi" Real "Mean sum of squared weights" => model.average_hhi;
    Always "average_largest_fraction" Real "Mean weight of the largest holding" => model.average_largest;
    Maybe "average_turnover_fraction" Real "Mean share changed since the decision before; none for a single one" => model.average_turnover;
    Maybe "average_difference_fraction" Real "Mean distance from the other models' mean portfolio; none without two others" => model.average_difference;
    Always "average_risk_taking_points" Real "0 is all cash, 100 all in the highest grade" => model.average_risk_taking;
    Always "average_confidence_fraction" Real "Mean stated confidence" => model.average_confidence;
    Maybe "calibration_rounds" Integer "Resolved decisions; none without one" => model.calibration.as_ref().map(|c| c.rounds);
    Maybe "calibration_confidence_fraction" Real "Mean stated confidence in them" => model.calibration.as_ref().map(|c| c.confidence);
    Maybe "calibration_hit_rate_fraction" Real "Share of them that beat the reference" => model.calibration.as_ref().map(|c| c.hit_rate);
    Maybe "calibration_brier" Real "Mean squared error of confidence; 0 is perfect, 0.25 a coin" => model.calibration.as_ref().map(|c| c.brier);
    Maybe "cost_per_decision_usd" Real "Mean known cost" => model.cost_per_decision_usd;
}

pub(crate) fn behaviour(track: Track, models: &[Behaviour]) -> Vec<Row<'_>> {
    models
        .iter()
        .map(|model| behaviour_row(track, model))
        .collect()
}

pub const HABITS: Table = Table {
    name: "habits",
    about: "One row per public decision: figures that need no outcome.",
    columns: HABIT_COLUMNS,
    filling: Filling::Whole(|all| by_track(all, |track, boards| habits(track, &boards.behaviour))),
};

columns! {
    HABIT_COLUMNS, fn habit<'a>(track: Track, model: &'a Behaviour, habit: &'a Habit) -> Row<'a>;
    Always "track" Text "weekly or monthly" => track.as_str();
    Always "model_id" Text "Who" => model.model_id.as_str();
    Always "round_id" Text "The round" => habit.round_id.as_str();
    Always "hhi" Real "Sum of squared weights" => habit.hhi;
    Maybe "turnover_fraction" Real "Share changed since the decision before" => habit.turnover;
    Maybe "difference_fraction" Real "Distance from the others' mean portfolio" => habit.difference;
    Always "risk_taking_points" Real "0 is all cash, 100 all in the highest grade" => habit.risk_taking;
}

fn habits(track: Track, models: &[Behaviour]) -> Vec<Row<'_>> {
    let decided = models
        .iter()
        .flat_map(|model| model.decisions.iter().map(move |own| (model, own)));
    decided
        .map(|(model, own)| habit(track, model, own))
        .collect()
}

pub const EXPOSURES: Table = Table {
    name: "exposures",
    about: "One row per model, track and group or risk grade: its mean weight over all public decisions.",
    columns: EXPOSURE_COLUMNS,
    filling: Filling::Whole(|all| {
        by_track(all, |track, boards| exposures(track, &boards.behaviour))
    }),
};

columns! {
    EXPOSURE_COLUMNS, fn exposure<'a>(track: Track, model: &'a Behaviour, dimension: &'static str, value: &'a str, weight: f64) -> Row<'a>;
    Always "track" Text "weekly or monthly" => track.as_str();
    Always "model_id" Text "Who" => model.model_id.as_str();
    Always "dimension" Text "exposure_group or risk_bucket" => dimension;
    Always "value" Text "Which one" => value;
    Always "average_weight_fraction" Real "Mean weight" => weight;
}

pub(crate) fn exposures(track: Track, models: &[Behaviour]) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for model in models {
        let row =
            |dimension, value, weight: &f64| exposure(track, model, dimension, value, *weight);
        rows.extend(
            model
                .groups
                .iter()
                .map(|(group, weight)| row("exposure_group", group, weight)),
        );
        rows.extend(
            model
                .risk
                .iter()
                .map(|(grade, weight)| row("risk_bucket", grade.as_str(), weight)),
        );
    }
    rows
}
