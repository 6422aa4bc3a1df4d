//! What moves the models, and their answers in twin lanes.

use std::collections::BTreeMap;

use capitalbench_core::evidence::sensitivity::{LaneFound, Moved, TrackSensitivity};
use capitalbench_core::publication::PublicRound;
use capitalbench_core::publication::facts::LaneAnswer;
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::OptionId;
use capitalbench_core::values::units::BasisPoints;

use crate::table::{Filling, Row, Table, columns};

/// What stands for all models together.
const ALL: &str = "*";

/// What moves models.
pub const SENSITIVITY: Table = Table {
    name: "sensitivity",
    about: "One row per track, model and thing that may move its answers, with what that did; it looks at no result and changes no rank. Method twins-v1 and order-bias-v1.",
    columns: SENSITIVITY_COLUMNS,
    filling: Filling::Whole(|publication| {
        let tracks = publication.statistics.sensitivity.iter();
        tracks
            .flat_map(|(track, found)| sensitivity(*track, Some(found)))
            .collect()
    }),
};

/// One thing that may move answers, and what it did.
struct Did {
    moved_by: &'static str,
    counts: (usize, usize),
    distance: Option<f64>,
    noise: Option<f64>,
    effect: Option<f64>,
    interval: Option<(f64, f64)>,
    chances: Option<(f64, f64)>,
}

columns! {
    SENSITIVITY_COLUMNS, fn row<'a>(track: Track, model_id: &'a str, did: &Did) -> Row<'a>;
    Always "track" Text "weekly or monthly" => track.as_str();
    Always "model_id" Text "Who; * is all models together" => model_id;
    Always "moved_by" Text "place (of an option in the list), order, masked, no_briefing or no_table (the twin lanes), or mood (the very same text again)" => did.moved_by;
    Always "cells" Integer "Models times rounds" => did.counts.0;
    Always "rounds" Integer "Rounds" => did.counts.1;
    Maybe "distance_fraction" Real "Mean half-L1 distance between an answer to the frozen text and one to its twin, or to itself" => did.distance;
    Maybe "noise_fraction" Real "Mean half-L1 distance between two answers to the frozen text" => did.noise;
    Maybe "effect_fraction" Real "Distance beyond the spread within both lanes; for place the mean lean, below zero towards the beginning" => did.effect;
    Maybe "effect_low_fraction" Real "Lower end of its 95 % interval; none below four rounds" => did.interval.map(|(low, _)| low);
    Maybe "effect_high_fraction" Real "Upper end" => did.interval.map(|(_, high)| high);
    Maybe "p_value" Real "Share of permuted labels, or of drawn orders, with at least this effect" => did.chances.map(|(p, _)| p);
    Maybe "p_adjusted" Real "The same after Holm for all models and twins of the track" => did.chances.map(|(_, p)| p);
}

pub(crate) fn sensitivity(track: Track, found: Option<&TrackSensitivity>) -> Vec<Row<'_>> {
    let Some(found) = found else {
        return Vec::new();
    };
    let models = found.models.iter();
    let models = models.map(|own| (own.model_id.as_str(), &own.moved));
    let all = models.chain(std::iter::once((ALL, &found.all)));
    let rows = all.flat_map(|(id, moved)| things(moved).into_iter().map(move |did| (id, did)));
    rows.map(|(id, did)| row(track, id, &did)).collect()
}

fn things(moved: &Moved) -> Vec<Did> {
    let place = moved.order.iter().map(|own| Did {
        moved_by: "place",
        counts: (own.bias.rounds, own.bias.rounds),
        distance: None,
        noise: None,
        effect: Some(own.bias.lean),
        interval: own.bias.interval,
        chances: Some((own.bias.p_value, own.p_adjusted)),
    });
    let lane = |own: &LaneFound| Did {
        moved_by: own.lane.as_str(),
        counts: (own.found.cells, own.found.rounds),
        distance: Some(own.found.distance),
        noise: own.found.noise,
        effect: Some(own.found.effect),
        interval: own.found.interval,
        chances: Some((own.found.p_value, own.p_adjusted)),
    };
    let mood = moved.noise.iter().map(|own| Did {
        moved_by: "mood",
        counts: (own.cells, own.rounds),
        distance: Some(own.distance),
        noise: None,
        effect: None,
        interval: None,
        chances: None,
    });
    place
        .chain(moved.lanes.iter().map(lane))
        .chain(mood)
        .collect()
}

/// Answers of twin lanes.
pub const LANE_ANSWERS: Table = Table {
    name: "lane_answers",
    about: "One row per holding of an answer in a twin lane, under the ids of the round; no record and no board holds it.",
    columns: ANSWER_COLUMNS,
    filling: Filling::ByRound(|round| {
        let mut rows = Vec::new();
        for answer in round.lanes() {
            let mut held: BTreeMap<&OptionId, BasisPoints> = BTreeMap::new();
            held.extend(answer.holdings.iter().map(|(id, weight)| (id, *weight)));
            let held = held.into_iter();
            rows.extend(held.map(|(id, weight)| answer_row(round, answer, id, weight)));
        }
        rows
    }),
};

columns! {
    ANSWER_COLUMNS, fn answer_row<'a>(round: &'a PublicRound, answer: &'a LaneAnswer, id: &'a OptionId, weight: BasisPoints) -> Row<'a>;
    Always "round_id" Text "The round" => round.id().as_str();
    Always "model_id" Text "Who" => answer.model_id.as_str();
    Always "lane" Text "base, order, masked, no_briefing or no_table" => answer.lane.as_str();
    Always "replicate" Integer "Which answer, from 1" => answer.replicate;
    Always "option_id" Text "What it would hold" => id.as_str();
    Always "weight_bps" Integer "Weight in basis points; 10,000 is the whole" => weight.get();
}
