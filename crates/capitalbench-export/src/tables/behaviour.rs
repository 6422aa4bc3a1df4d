//! How models decide, without regard to results.

use capitalbench_core::publication::boards::behaviour::Behaviour;
use capitalbench_core::round::manifest::Track;

use super::by_track;
use crate::table::{Cell, Filling, Row, Table, columns};

/// Habits of a model in a track.
pub const BEHAVIOUR: Table = Table {
    name: "behaviour",
    about: "One row per model and track over all its public decisions; calibration over resolved ones only.",
    columns: columns! {
        always "track" Text "weekly or monthly";
        always "model_id" Text "Who";
        always "decisions" Integer "Public decisions, open rounds included";
        always "average_holdings" Real "Mean number of holdings";
        always "average_hhi" Real "Mean sum of squared weights";
        always "average_largest_fraction" Real "Mean weight of the largest holding";
        maybe "average_turnover_fraction" Real "Mean share changed since the decision before; none for a single one";
        maybe "average_difference_fraction" Real "Mean distance from the other models' mean portfolio; none without two others";
        always "average_risk_taking_points" Real "0 is all cash, 100 all in the highest grade";
        always "average_confidence_fraction" Real "Mean stated confidence";
        maybe "calibration_rounds" Integer "Resolved decisions; none without one";
        maybe "calibration_confidence_fraction" Real "Mean stated confidence in them";
        maybe "calibration_hit_rate_fraction" Real "Share of them that beat the reference";
        maybe "calibration_brier" Real "Mean squared error of confidence; 0 is perfect, 0.25 a coin";
        maybe "cost_per_decision_usd" Real "Mean known cost";
    },
    filling: Filling::Whole(|all| {
        by_track(all, |track, boards| behaviour(track, &boards.behaviour))
    }),
};

pub(crate) fn behaviour(track: Track, models: &[Behaviour]) -> Vec<Row<'_>> {
    models.iter().map(|model| row(track, model)).collect()
}

fn row(track: Track, model: &Behaviour) -> Row<'_> {
    let calibration = model.calibration.as_ref();
    vec![
        track.as_str().into(),
        model.model_id.as_str().into(),
        model.decisions.len().into(),
        model.average_holdings.into(),
        model.average_hhi.into(),
        model.average_largest.into(),
        model.average_turnover.into(),
        model.average_difference.into(),
        model.average_risk_taking.into(),
        model.average_confidence.into(),
        calibration.map(|c| c.rounds).into(),
        calibration.map(|c| c.confidence).into(),
        calibration.map(|c| c.hit_rate).into(),
        calibration.map(|c| c.brier).into(),
        model.cost_per_decision_usd.into(),
    ]
}

pub const HABITS: Table = Table {
    name: "habits",
    about: "One row per public decision: figures that need no outcome.",
    columns: columns! {
        always "track" Text "weekly or monthly";
        always "model_id" Text "Who";
        always "round_id" Text "The round";
        always "hhi" Real "Sum of squared weights";
        maybe "turnover_fraction" Real "Share changed since the decision before";
        maybe "difference_fraction" Real "Distance from the others' mean portfolio";
        always "risk_taking_points" Real "0 is all cash, 100 all in the highest grade";
    },
    filling: Filling::Whole(|all| by_track(all, |track, boards| habits(track, &boards.behaviour))),
};

fn habits(track: Track, models: &[Behaviour]) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for model in models {
        for habit in &model.decisions {
            rows.push(vec![
                track.as_str().into(),
                model.model_id.as_str().into(),
                habit.round_id.as_str().into(),
                habit.hhi.into(),
                habit.turnover.into(),
                habit.difference.into(),
                habit.risk_taking.into(),
            ]);
        }
    }
    rows
}

pub const EXPOSURES: Table = Table {
    name: "exposures",
    about: "One row per model, track and group or risk grade: its mean weight over all public decisions.",
    columns: columns! {
        always "track" Text "weekly or monthly";
        always "model_id" Text "Who";
        always "dimension" Text "exposure_group or risk_bucket";
        always "value" Text "Which one";
        always "average_weight_fraction" Real "Mean weight";
    },
    filling: Filling::Whole(|all| {
        by_track(all, |track, boards| exposures(track, &boards.behaviour))
    }),
};

pub(crate) fn exposures(track: Track, models: &[Behaviour]) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for model in models {
        let mut put = |dimension: &'static str, value: String, weight: f64| {
            rows.push(vec![
                Cell::from(track.as_str()),
                model.model_id.as_str().into(),
                dimension.into(),
                value.into(),
                weight.into(),
            ]);
        };
        for (group, weight) in &model.groups {
            put("exposure_group", group.clone(), *weight);
        }
        for (grade, weight) in &model.risk {
            put("risk_bucket", grade.as_str().to_owned(), *weight);
        }
    }
    rows
}
