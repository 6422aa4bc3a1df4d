//! `publication.json`, version 1: the rows of the tables, nested.
//!
//! A round that is not resolved has no member for a result; the schema forbids one.

use capitalbench_core::decision::submission::Submission;
use capitalbench_core::evidence::claim::Claim;
use capitalbench_core::evidence::statistics::{LEVEL, SetStatistics, method};
use capitalbench_core::publication::boards::comparison_set::ComparisonSet;
use capitalbench_core::publication::{PublicRound, Publication};
use capitalbench_core::values::ids::{ModelId, RoundId};
use serde_json::{Map, Value, json};

use crate::table::{Cell, Row, Table};
use crate::tables::{
    behaviour, boards, claims, decisions, entrants, interim, market, outcomes, rounds, sensitivity,
    sets, statistics,
};
use crate::text::reference_name;

/// The name of the format.
pub const FORMAT: &str = "capitalbench-publication";
/// Its version; a change that could break a reader gets a new one.
pub const VERSION: u32 = 1;

/// The member of the document that grows with the rounds.
pub(crate) const ROUNDS: &str = "rounds";

/// The members of the document, with null for [`ROUNDS`]: the writer makes
/// each round with [`round`] when it writes it, to save memory.
pub(crate) fn members(publication: &Publication) -> Map<String, Value> {
    let method = method();
    let tracks = publication.boards.iter().map(|(track, found)| {
        let records = publication.statistics.records.get(track);
        let records = records.map(Vec::as_slice).unwrap_or_default();
        json!({
            "track": track.as_str(),
            "latest_round_id": found.latest.as_ref().map(RoundId::as_str),
            "cumulative": objects(&boards::CUMULATIVE, boards::cumulative(publication, *track, &found.cumulative)),
            "consistency": objects(&boards::CONSISTENCY, boards::consistency(*track, &found.consistency.rows)),
            "behaviour": objects(&behaviour::BEHAVIOUR, behaviour::behaviour(*track, &found.behaviour)),
            "exposures": objects(&behaviour::EXPOSURES, behaviour::exposures(*track, &found.behaviour)),
            "statistics": objects(&statistics::STATISTICS, statistics::statistics(*track, records)),
            "sensitivity": objects(&sensitivity::SENSITIVITY, sensitivity::sensitivity(*track, publication.statistics.sensitivity.get(track))),
        })
    });
    let sets = publication.comparison_sets.iter();
    let document = json!({
        "format": FORMAT,
        "version": VERSION,
        "as_of": publication.as_of.to_string(),
        "synthetic": publication.synthetic,
        "method": {
            "version": method.version,
            "interval_level": LEVEL,
            "null_label": method.null_label,
            "null_draws": method.null_draws,
            "bootstrap_draws": method.bootstrap_draws,
        },
        "models": objects(&rounds::MODELS, rounds::models(publication)),
        "options": objects(&market::OPTIONS, market::options(publication)),
        ROUNDS: null,
        "boards": tracks.collect::<Vec<_>>(),
        "comparison_sets": sets.map(|set| {
            let found = publication.statistics.sets.get(&set.definition.set_id);
            let name = |id: &ModelId| publication.name(id).to_owned();
            comparison_set(set, found, reference_name(publication, set), name)
        }).collect::<Vec<_>>(),
        "claims": objects(&claims::CLAIMS, claims::CLAIMS.rows(publication)),
        "entries": objects(&entrants::ENTRIES, entrants::ENTRIES.rows(publication)),
    });
    match document {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

/// A round; one that is not resolved has no member `result`.
pub fn round(round: &PublicRound) -> Value {
    let mut members = object(&rounds::ROUNDS, rounds::round(round));
    let of_side = |side: &str| {
        let prices = market::prices(round).into_iter();
        prices
            .filter(|row| row[1] == Cell::from(side))
            .collect::<Vec<_>>()
    };
    let decided = |table: &Table, row: Row<'_>, submission: &Submission| {
        let mut members = object(table, row);
        let holdings = decisions::holdings(submission);
        members.insert("holdings".into(), objects(&decisions::HOLDINGS, holdings));
        Value::Object(members)
    };
    let submissions = round.submissions().into_iter();
    let submissions =
        submissions.map(|s| decided(&decisions::SUBMISSIONS, decisions::submission(round, s), s));
    let controls = decisions::controls_of(round).into_iter();
    let controls = controls.map(|s| decided(&decisions::CONTROLS, decisions::control(s), s));
    let own = |table: &Table| objects(table, table.rows_of(round));
    let mut put = |name: &str, value: Value| _ = members.insert(name.into(), value);
    put("artifact_hashes", own(&rounds::ARTIFACT_HASHES));
    put("submissions", submissions.collect());
    put("missing_answers", own(&decisions::MISSING_ANSWERS));
    put("explanations", own(&decisions::EXPLANATIONS));
    put("lane_answers", own(&sensitivity::LANE_ANSWERS));
    put("controls", controls.collect());
    put("entry_prices", objects(&market::PRICES, of_side("entry")));
    put("interim", own(&interim::INTERIM_POINTS));
    if let Some((resolved, row)) = round.resolved().zip(outcomes::round_result(round)) {
        let mut result = object(&outcomes::ROUND_RESULTS, row);
        let bins = resolved.chance.as_ref().map(|chance| chance.bins.clone());
        let mut add = |name: &str, value: Value| _ = result.insert(name.into(), value);
        add("random_histogram", bins.into());
        add("exit_prices", objects(&market::PRICES, of_side("exit")));
        add("option_returns", own(&market::OPTION_RETURNS));
        add("outcomes", own(&outcomes::OUTCOMES));
        add("control_outcomes", own(&outcomes::CONTROL_OUTCOMES));
        add("repeated_calls", own(&outcomes::REPEATED_CALLS));
        put("result", Value::Object(result));
    }
    Value::Object(members)
}

/// A comparison set with what it may claim; `name` gives models their names in the sentence.
pub fn comparison_set(
    set: &ComparisonSet,
    found: Option<&SetStatistics>,
    reference: &str,
    name: impl Fn(&ModelId) -> String,
) -> Value {
    let mut members = object(&sets::COMPARISON_SETS, sets::comparison_set(set, found));
    let claim = found.map(|found| Claim::of(found).sentence(reference, &name));
    let models = set.definition.model_ids.iter().map(ModelId::as_str);
    let included = set.included.iter().map(RoundId::as_str);
    let excluded = set.excluded.iter().map(|round| {
        let missing: Vec<&str> = round.missing.iter().map(ModelId::as_str).collect();
        json!({
            "round_id": round.round_id.as_str(),
            "reason": sets::EXCLUDED,
            "missing_model_ids": missing,
        })
    });
    let (rows, market): (Vec<Row<'_>>, Vec<Row<'_>>) = sets::set_rows(set, found, &name)
        .into_iter()
        .partition(|row| row[1] == Cell::from("model"));
    let pairs = found.map(|found| statistics::pairs(&set.definition.set_id, &found.pairs));
    let mut put = |name: &str, value: Value| _ = members.insert(name.into(), value);
    put("model_ids", models.collect());
    put("included_round_ids", included.collect());
    put("excluded_rounds", excluded.collect());
    put("rows", objects(&sets::SET_ROWS, rows));
    put("market", objects(&sets::SET_ROWS, market));
    let pairs = pairs.unwrap_or_default();
    put("pairs", objects(&statistics::PAIRS, pairs));
    put("claim", claim.into());
    Value::Object(members)
}

fn objects(table: &Table, rows: Vec<Row<'_>>) -> Value {
    let rows = rows.into_iter();
    rows.map(|row| Value::Object(object(table, row))).collect()
}

/// A row of a table as members.
pub fn object(table: &Table, row: Row<'_>) -> Map<String, Value> {
    let cells = table.columns.iter().zip(row);
    cells
        .map(|(column, cell)| (column.name.to_owned(), value(cell)))
        .collect()
}

/// A cell as a document holds it.
pub fn value(cell: Cell<'_>) -> Value {
    match cell {
        Cell::Text(text) => Value::String(text.into_owned()),
        Cell::Integer(value) => value.into(),
        Cell::Real(value) => value.into(),
        Cell::Flag(value) => value.into(),
        Cell::Day(day) => day.to_string().into(),
        Cell::Instant(instant) => instant.to_string().into(),
        Cell::Missing => Value::Null,
    }
}
