//! Comparison sets: rosters, rounds and rows.

use capitalbench_core::evidence::statistics::{SetModel, SetStatistics};
use capitalbench_core::publication::Publication;
use capitalbench_core::publication::boards::comparison_set::{ComparisonSet, SetRow};
use capitalbench_core::result::score::Score;
use capitalbench_core::values::ids::{ModelId, RoundId};

use super::statistics::{INTERVAL_REASON, interval_reason};
use crate::table::{Filling, Row, Table, columns, score_points, score_reason};

pub const COMPARISON_SETS: Table = Table {
    name: "comparison_sets",
    about: "One row per comparison set: a fixed roster of one track, scored only on rounds that all of it completed.",
    columns: SET_COLUMNS,
    filling: Filling::Whole(|publication| {
        let sets = publication.comparison_sets.iter();
        sets.map(|set| comparison_set(set, of(publication, set)))
            .collect()
    }),
};

columns! {
    SET_COLUMNS, pub(crate) fn comparison_set<'a>(set: &'a ComparisonSet, statistics: Option<&SetStatistics>) -> Row<'a>;
    Always "set_id" Text "Name of the set" => set.definition.set_id.as_str();
    Always "track" Text "weekly or monthly" => set.definition.track.as_str();
    Always "label" Text "Name for people" => set.definition.label.as_str();
    Always "status" Text "current, qualified, forming or waiting" => set.status.as_str();
    Always "origin" Text "policy or discovered" => set.definition.origin.as_str();
    Always "roster_rule" Text "contains or frozen: which later rounds it covers" => set.definition.rule.as_str();
    Always "started_round_id" Text "First round it may count" => set.definition.started_round_id.as_str();
    Always "model_count" Integer "Models of the roster" => set.definition.model_ids.len();
    Always "included_round_count" Integer "Shared rounds" => set.included.len();
    Always "excluded_round_count" Integer "Rounds left out for everyone" => set.excluded.len();
    Always "separate_windows" Integer "Most included windows that do not overlap" => set.separate_windows;
    Maybe "effective_windows" Real "Effective windows the rounds are worth; none without a round" => statistics.map(|s| s.effective_windows);
    Maybe "leader_deflated_probability" Real "Deflated ratio of the leader's daily record among all tries; it would need 0.95" => statistics.and_then(|s| s.leader_deflated);
    Maybe "tau_squared" Real "Variance of true gaps between its models as far as records show any" => statistics.and_then(|s| s.shrinkage).map(|own| own.tau_squared);
    Maybe "kept_share_fraction" Real "Share of a model's distance from the mean that shrinkage keeps" => statistics.and_then(|s| s.shrinkage).map(|own| own.kept);
    Maybe "retired_model_ids" Text "Models of the track that are asked no more and are no part of it, separated by commas" => statistics.map(|s| s.retired.iter().map(|own| own.model_id.as_str()).collect::<Vec<_>>().join(","));
}

fn of<'a>(publication: &'a Publication, set: &ComparisonSet) -> Option<&'a SetStatistics> {
    publication.statistics.sets.get(&set.definition.set_id)
}

pub const SET_MODELS: Table = Table {
    name: "set_models",
    about: "One row per model of a set's roster.",
    columns: SET_MODEL_COLUMNS,
    filling: Filling::Whole(|publication| {
        let sets = publication.comparison_sets.iter();
        sets.flat_map(|set| {
            let models = set.definition.model_ids.iter();
            models.map(|id| set_model(&set.definition.set_id, id))
        })
        .collect()
    }),
};

columns! {
    SET_MODEL_COLUMNS, fn set_model<'a>(set_id: &'a str, model_id: &'a ModelId) -> Row<'a>;
    Always "set_id" Text "The set" => set_id;
    Always "model_id" Text "Who" => model_id.as_str();
}

/// Why a round is left out.
pub(crate) const EXCLUDED: &str = "missing_models";

pub const SET_ROUNDS: Table = Table {
    name: "set_rounds",
    about: "One row per candidate round of a set: included, or excluded for everyone with who is missing.",
    columns: SET_ROUND_COLUMNS,
    filling: Filling::Whole(|all| all.comparison_sets.iter().flat_map(set_rounds).collect()),
};

columns! {
    SET_ROUND_COLUMNS, fn set_round<'a>(set_id: &'a str, round_id: &'a RoundId, missing: Option<&[ModelId]>) -> Row<'a>;
    Always "set_id" Text "The set" => set_id;
    Always "round_id" Text "The round" => round_id.as_str();
    Always "role" Text "included or excluded" => missing.map_or("included", |_| "excluded");
    Maybe "excluded_reason" Text "missing_models: not every model of the roster completed it" => missing.map(|_| EXCLUDED);
    Maybe "missing_model_ids" Text "Who is missing, separated by commas" => missing.map(|ids| ids.iter().map(ModelId::as_str).collect::<Vec<_>>().join(","));
}

fn set_rounds(set: &ComparisonSet) -> Vec<Row<'_>> {
    let id = set.definition.set_id.as_str();
    let included = set.included.iter().map(|round| set_round(id, round, None));
    let excluded = set.excluded.iter();
    let excluded = excluded.map(|round| set_round(id, &round.round_id, Some(&round.missing)));
    included.chain(excluded).collect()
}

pub const SET_ROWS: Table = Table {
    name: "set_rows",
    about: "One row per entrant of a set over its included rounds. `entrant` tells models from what they are held against; only models have a position.",
    columns: SET_ROW_COLUMNS,
    filling: Filling::Whole(|publication| {
        let sets = publication.comparison_sets.iter();
        let name = |id: &ModelId| publication.name(id).to_owned();
        sets.flat_map(|set| set_rows(set, of(publication, set), &name))
            .collect()
    }),
};

columns! {
    SET_ROW_COLUMNS, fn set_row<'a>(set_id: &'a str, own: &Entrant<'a>) -> Row<'a>;
    Always "set_id" Text "The set" => set_id;
    Always "entrant" Text "model, reference, cash, oracle or control" => own.kind;
    Maybe "position" Integer "Place by score; models only" => own.place;
    Maybe "model_id" Text "Who; none for reference, cash and oracle" => own.row.map(|row| row.model_id.as_str());
    Maybe "score" Real "100 × summed returns ÷ summed oracles" => score_points(own.score);
    Maybe "score_reason" Text "Why there is no score" => score_reason(own.score);
    Maybe "score_low" Real "Lower end of the 95 % interval" => own.found.and_then(|found| found.model.score.ok()).map(|(low, _)| low);
    Maybe "score_high" Real "Upper end" => own.found.and_then(|found| found.model.score.ok()).map(|(_, high)| high);
    Maybe "score_interval_reason" Text INTERVAL_REASON => own.found.and_then(|found| interval_reason(&found.model));
    Maybe "rank_from" Integer "Best place that the corrected tests of all pairs allow" => own.found.map(|found| found.rank.from);
    Maybe "rank_to" Integer "Worst place" => own.found.map(|found| found.rank.to);
    Maybe "tie_group" Integer "Models that cannot be told apart share a group" => own.found.map(|found| found.group);
    Maybe "total_return_fraction" Real "Sum of returns" => own.total;
    Maybe "average_return_fraction" Real "Mean return" => own.average;
    Maybe "average_alpha_fraction" Real "Mean difference to the reference" => own.row.map(|row| row.average_alpha);
    Maybe "positive_alpha_fraction" Real "Share of rounds above the reference" => own.row.map(|row| row.positive_alpha_share);
    Maybe "first_places" Integer "Rounds with the highest return of the roster" => own.row.filter(|_| own.place.is_some()).map(|row| row.firsts);
    Maybe "random_percentile_fraction" Real "Mean share of random portfolios below it" => own.found.and_then(|found| found.model.luck).map(|luck| luck.mean_percentile);
    Maybe "random_p_value" Real "Chance of a record this high among random ones by null-v1, for comparison only" => own.found.and_then(|found| found.model.luck).map(|luck| luck.p_value);
    Maybe "model_name" Text "Name for people, as in `models`; none for reference, cash and oracle" => own.name.clone();
    Maybe "luck_p_value" Real "Chance of a record this high without skill by null-v2; none where fewer than two rounds froze 60 daily returns" => own.found.and_then(|found| found.model.luck_test).map(|luck| luck.p_value);
    Maybe "shrunken_alpha_fraction" Real "Gap per round to expect, shrunk towards the mean of the set" => own.found.and_then(|found| found.shrunken);
}

/// A model, or what models are held against.
struct Entrant<'a> {
    kind: &'static str,
    place: Option<usize>,
    row: Option<&'a SetRow>,
    name: Option<String>,
    score: Score,
    total: f64,
    average: f64,
    found: Option<&'a SetModel>,
}

impl<'a> Entrant<'a> {
    fn of_market(kind: &'static str, score: Score, total: f64, average: f64) -> Self {
        Self {
            kind,
            place: None,
            row: None,
            name: None,
            score,
            total,
            average,
            found: None,
        }
    }

    fn of_row(kind: &'static str, row: &'a SetRow) -> Self {
        Self {
            row: Some(row),
            ..Self::of_market(kind, row.score, row.total_return, row.average_return)
        }
    }
}

/// The rows of a set: models first, then the market and the controls.
pub(crate) fn set_rows<'a>(
    set: &'a ComparisonSet,
    statistics: Option<&'a SetStatistics>,
    name: &dyn Fn(&ModelId) -> String,
) -> Vec<Row<'a>> {
    let models = set.rows.iter().enumerate().map(|(place, row)| Entrant {
        place: Some(place + 1),
        found: statistics.and_then(|found| found.models.get(place)),
        ..Entrant::of_row("model", row)
    });
    let mut entrants: Vec<Entrant<'a>> = models.collect();
    if let Some(market) = &set.market {
        for (kind, row) in [("reference", &market.reference), ("cash", &market.cash)] {
            let (total, average) = (row.total_return, row.average_return);
            entrants.push(Entrant::of_market(kind, row.score, total, average));
        }
        if let (Some(total), Some(average)) = (market.oracle_total, market.oracle_average) {
            let best = Score::Points(100.0);
            entrants.push(Entrant::of_market("oracle", best, total, average));
        }
        let controls = market.controls.iter();
        entrants.extend(controls.map(|row| Entrant::of_row("control", row)));
    }
    for entrant in &mut entrants {
        entrant.name = entrant.row.map(|row| name(&row.model_id));
    }
    let id = set.definition.set_id.as_str();
    entrants.iter().map(|own| set_row(id, own)).collect()
}
