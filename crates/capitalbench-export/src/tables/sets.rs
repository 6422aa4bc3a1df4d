//! Comparison sets: rosters, rounds and rows.

use capitalbench_core::evidence::statistics::{SetModel, SetStatistics};
use capitalbench_core::publication::Publication;
use capitalbench_core::publication::boards::comparison_set::{ComparisonSet, MarketRow, SetRow};
use capitalbench_core::values::ids::ModelId;

use super::statistics::{INTERVAL_REASON, interval_reason};
use crate::table::{Cell, Filling, Row, Table, columns, score_cells};

pub const COMPARISON_SETS: Table = Table {
    name: "comparison_sets",
    about: "One row per comparison set: a fixed roster of one track, scored only on rounds that all of it completed.",
    columns: columns! {
        always "set_id" Text "Name of the set";
        always "track" Text "weekly or monthly";
        always "label" Text "Name for people";
        always "status" Text "current, qualified, forming or waiting";
        always "origin" Text "policy or discovered";
        always "roster_rule" Text "contains or frozen: which later rounds it covers";
        always "started_round_id" Text "First round it may count";
        always "model_count" Integer "Models of the roster";
        always "included_round_count" Integer "Shared rounds";
        always "excluded_round_count" Integer "Rounds left out for everyone";
        always "separate_windows" Integer "Most included windows that do not overlap";
        maybe "effective_windows" Real "Separate windows the rounds are worth; none without a round";
        maybe "leader_deflated_probability" Real "Chance that the leader is better than luck, all tries counted";
    },
    filling: Filling::Whole(|publication| {
        let sets = publication.comparison_sets.iter();
        sets.map(|set| comparison_set(set, of(publication, set)))
            .collect()
    }),
};

fn of<'a>(publication: &'a Publication, set: &ComparisonSet) -> Option<&'a SetStatistics> {
    publication.statistics.sets.get(&set.definition.set_id)
}

pub(crate) fn comparison_set<'a>(
    set: &'a ComparisonSet,
    statistics: Option<&SetStatistics>,
) -> Row<'a> {
    let definition = &set.definition;
    vec![
        definition.set_id.as_str().into(),
        definition.track.as_str().into(),
        definition.label.as_str().into(),
        set.status.as_str().into(),
        definition.origin.as_str().into(),
        definition.rule.as_str().into(),
        definition.started_round_id.as_str().into(),
        definition.model_ids.len().into(),
        set.included.len().into(),
        set.excluded.len().into(),
        set.separate_windows.into(),
        statistics.map(|s| s.effective_windows).into(),
        statistics.and_then(|s| s.leader_deflated).into(),
    ]
}

pub const SET_MODELS: Table = Table {
    name: "set_models",
    about: "One row per model of a set's roster.",
    columns: columns! {
        always "set_id" Text "The set";
        always "model_id" Text "Who";
    },
    filling: Filling::Whole(|publication| {
        let sets = publication.comparison_sets.iter();
        sets.flat_map(|set| {
            let models = set.definition.model_ids.iter();
            models.map(|id| vec![set.definition.set_id.as_str().into(), id.as_str().into()])
        })
        .collect()
    }),
};

/// Why a round is left out.
pub(crate) const EXCLUDED: &str = "missing_models";

pub const SET_ROUNDS: Table = Table {
    name: "set_rounds",
    about: "One row per candidate round of a set: included, or excluded for everyone with who is missing.",
    columns: columns! {
        always "set_id" Text "The set";
        always "round_id" Text "The round";
        always "role" Text "included or excluded";
        maybe "excluded_reason" Text "missing_models: not every model of the roster completed it";
        maybe "missing_model_ids" Text "Who is missing, separated by commas";
    },
    filling: Filling::Whole(|all| all.comparison_sets.iter().flat_map(set_rounds).collect()),
};

fn set_rounds(set: &ComparisonSet) -> Vec<Row<'_>> {
    let id = set.definition.set_id.as_str();
    let included = set.included.iter().map(|round| {
        vec![
            id.into(),
            round.as_str().into(),
            "included".into(),
            Cell::Missing,
            Cell::Missing,
        ]
    });
    let excluded = set.excluded.iter().map(|round| {
        let missing: Vec<&str> = round.missing.iter().map(ModelId::as_str).collect();
        vec![
            id.into(),
            round.round_id.as_str().into(),
            "excluded".into(),
            EXCLUDED.into(),
            missing.join(",").into(),
        ]
    });
    included.chain(excluded).collect()
}

pub const SET_ROWS: Table = Table {
    name: "set_rows",
    about: "One row per entrant of a set over its included rounds. `entrant` tells models from what they are held against; only models have a position.",
    columns: columns! {
        always "set_id" Text "The set";
        always "entrant" Text "model, reference, cash, oracle or control";
        maybe "position" Integer "Place by score; models only";
        maybe "model_id" Text "Who; none for reference, cash and oracle";
        maybe "score" Real "100 × summed returns ÷ summed oracles";
        maybe "score_reason" Text "Why there is no score";
        maybe "score_low" Real "Lower end of the 95 % interval";
        maybe "score_high" Real "Upper end";
        maybe "score_interval_reason" Text INTERVAL_REASON;
        maybe "rank_from" Integer "Best place of the 95 % range over resampled histories";
        maybe "rank_to" Integer "Worst place";
        maybe "tie_group" Integer "Models that cannot be told apart share a group";
        maybe "total_return_fraction" Real "Sum of returns";
        maybe "average_return_fraction" Real "Mean return";
        maybe "average_alpha_fraction" Real "Mean difference to the reference";
        maybe "positive_alpha_fraction" Real "Share of rounds above the reference";
        maybe "first_places" Integer "Rounds with the highest return of the roster";
        maybe "random_percentile_fraction" Real "Mean share of random portfolios below it";
        maybe "random_p_value" Real "Chance of a record this high among random ones";
    },
    filling: Filling::Whole(|publication| {
        let sets = publication.comparison_sets.iter();
        sets.flat_map(|set| set_rows(set, of(publication, set)))
            .collect()
    }),
};

/// The rows of a set: models first, then the market and the controls.
pub(crate) fn set_rows<'a>(
    set: &'a ComparisonSet,
    statistics: Option<&SetStatistics>,
) -> Vec<Row<'a>> {
    let id = set.definition.set_id.as_str();
    let mut rows = Vec::new();
    for (place, row) in set.rows.iter().enumerate() {
        let model = statistics.and_then(|statistics| statistics.models.get(place));
        rows.push(model_row(id, place + 1, row, model));
    }
    let Some(market) = &set.market else {
        return rows;
    };
    rows.push(market_row(id, "reference", &market.reference));
    rows.push(market_row(id, "cash", &market.cash));
    if let (Some(total), Some(average)) = (market.oracle_total, market.oracle_average) {
        let mut row = blank(id, "oracle");
        row[4] = 100.0.into();
        row[12] = total.into();
        row[13] = average.into();
        rows.push(row);
    }
    for control in &market.controls {
        let mut row = figures(id, "control", control);
        row[16] = Cell::Missing;
        rows.push(row);
    }
    rows
}

fn blank<'a>(id: &'a str, entrant: &'a str) -> Row<'a> {
    let mut row = vec![Cell::Missing; SET_ROWS.columns.len()];
    row[0] = id.into();
    row[1] = entrant.into();
    row
}

fn figures<'a>(id: &'a str, entrant: &'a str, row: &'a SetRow) -> Row<'a> {
    let mut cells = blank(id, entrant);
    cells[3] = row.model_id.as_str().into();
    [cells[4], cells[5]] = score_cells(row.score);
    cells[12] = row.total_return.into();
    cells[13] = row.average_return.into();
    cells[14] = row.average_alpha.into();
    cells[15] = row.positive_alpha_share.into();
    cells[16] = row.firsts.into();
    cells
}

fn model_row<'a>(id: &'a str, place: usize, row: &'a SetRow, found: Option<&SetModel>) -> Row<'a> {
    let mut cells = figures(id, "model", row);
    cells[2] = place.into();
    if let Some(found) = found {
        if let Ok((low, high)) = found.model.score {
            (cells[6], cells[7]) = (low.into(), high.into());
        }
        cells[8] = interval_reason(&found.model).into();
        cells[9] = found.rank.as_ref().map(|rank| rank.from).into();
        cells[10] = found.rank.as_ref().map(|rank| rank.to).into();
        cells[11] = found.group.into();
        let luck = found.model.luck.as_ref();
        cells[17] = luck.map(|luck| luck.mean_percentile).into();
        cells[18] = luck.map(|luck| luck.p_value).into();
    }
    cells
}

fn market_row<'a>(id: &'a str, entrant: &'a str, row: &MarketRow) -> Row<'a> {
    let mut cells = blank(id, entrant);
    [cells[4], cells[5]] = score_cells(row.score);
    cells[12] = row.total_return.into();
    cells[13] = row.average_return.into();
    cells
}
