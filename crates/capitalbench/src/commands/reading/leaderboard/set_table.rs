//! A comparison set as a table: models, then what they are held against, then what may be claimed.

use capitalbench_core::evidence::claim::{Claim, retired_sentence};
use capitalbench_core::evidence::statistics::SetStatistics;
use capitalbench_core::publication::boards::comparison_set::{ComparisonSet, MarketRow};
use capitalbench_core::publication::standings::Standings;
use capitalbench_core::result::score::Score;
use capitalbench_core::values::ids::ModelId;
use capitalbench_export::publication_v1::comparison_set;
use capitalbench_export::text::{ordinal, percent, points, score};

use serde_json::Value;

use super::interval_bar::Scale;
use crate::console::{BOLD, DIM, Table, in_header, line, or_none, paint, plural, prose};

/// A set for programs.
pub(crate) fn as_json(
    standings: &Standings,
    set: &ComparisonSet,
    found: Option<&SetStatistics>,
) -> Value {
    let name = |id: &ModelId| standings.name(id).to_owned();
    comparison_set(set, found, standings.reference_name(set), name)
}

pub(crate) fn print(standings: &Standings, set: &ComparisonSet, found: Option<&SetStatistics>) {
    line(paint(BOLD, prose(&heading(standings, set, found))));
    if set.rows.is_empty() {
        line("No resolved round is shared by all of its models yet.");
        let names = set.definition.model_ids.iter().map(|id| standings.name(id));
        let names = names.collect::<Vec<_>>().join(", ");
        line(prose(&format!("Models: {names}.")));
        return;
    }
    let reference = standings.reference_name(set);
    let scale = scale(set, found);
    let mut rows = Vec::new();
    for place in 0..set.rows.len() {
        rows.push(model_row(standings, set, place, found, scale));
    }
    rows.extend(market_rows(set, reference, scale));
    let layout = Table {
        header: &format!(
            "rank | model | score > | 95 % interval | return > | vs {} > | random > | rounds >",
            in_header(reference)
        ),
        drawn: &[3],
        // The heading tells how many rounds are shared.
        spare: &[7, 6],
        dim_from: Some(set.rows.len()),
    };
    line(layout.render(rows));
    for row in &set.rows {
        if let Score::Undefined(reason) = row.score {
            let name = standings.name(&row.model_id);
            line(format!("{name} has no score: {}.", reason.reason()));
        }
    }
    if let Some(found) = found {
        if let Some(reason) = found
            .models
            .iter()
            .find_map(|m| m.model.score.as_ref().err())
        {
            let text = format!("No interval: {}.", reason.as_str().replace('_', " "));
            line(paint(DIM, text));
        }
        let mut spreads = found.models.iter().filter_map(|m| m.model.chance_spread);
        if let Some(spread) = spreads.next() {
            line(prose(&format!(
                "By chance alone the random column spreads around the 50th percentile by {:.0} in 95 \
                 of 100 cases.",
                100.0 * spread
            )));
        }
        let name = |id: &ModelId| standings.name(id).to_owned();
        line(prose(&Claim::of(found).sentence(reference, name)));
        if let Some(retired) = retired_sentence(&found.retired, reference, name) {
            line(prose(&retired));
        }
    }
}

fn heading(standings: &Standings, set: &ComparisonSet, found: Option<&SetStatistics>) -> String {
    let definition = &set.definition;
    let mut parts = vec![
        definition.set_id.clone(),
        plural(definition.model_ids.len(), "model"),
    ];
    let mut published = standings.comparison_sets.iter();
    if published.any(|other| other.definition == *definition) {
        parts.insert(1, set.status.as_str().to_owned());
    }
    let shared = plural(set.included.len(), "shared round");
    parts.push(match found {
        Some(found) => format!(
            "{shared} ≈ {:.1} effective windows",
            found.effective_windows
        ),
        None => shared,
    });
    let last = set.included.last();
    if let Some(window) = last.and_then(|id| standings.window(id)) {
        parts.push(format!("resolved to {}", window.exit));
    }
    parts.join(" · ")
}

fn value(score: Score) -> Option<f64> {
    match score {
        Score::Points(points) => Some(points),
        Score::Undefined(_) => None,
    }
}

fn scale(set: &ComparisonSet, found: Option<&SetStatistics>) -> Option<Scale> {
    let models = found.iter().flat_map(|found| &found.models);
    let ends = models.filter_map(|model| model.model.score.as_ref().ok());
    let ends = ends.flat_map(|(low, high)| [*low, *high]);
    let market = set
        .market
        .iter()
        .filter_map(|market| value(market.reference.score));
    Scale::of(
        ends.chain(set.rows.iter().filter_map(|row| value(row.score)))
            .chain(market),
    )
}

fn model_row(
    standings: &Standings,
    set: &ComparisonSet,
    place: usize,
    found: Option<&SetStatistics>,
    scale: Option<Scale>,
) -> Vec<String> {
    let row = &set.rows[place];
    let rank = match found.and_then(|found| found.places(place)) {
        Some((from, to)) if from == to => from.to_string(),
        Some((from, to)) => format!("{from}–{to}"),
        None => (place + 1).to_string(),
    };
    let found = found.and_then(|found| found.models.get(place));
    let bar = scale.zip(value(row.score)).map(|(scale, value)| {
        match found.map(|found| &found.model.score) {
            Some(Ok(interval)) => scale.bar(*interval, value),
            _ => scale.mark(value),
        }
    });
    let luck = found.and_then(|found| found.model.luck.as_ref());
    vec![
        rank,
        standings.name(&row.model_id).to_owned(),
        score(row.score),
        bar.unwrap_or_default(),
        percent(row.average_return),
        points(row.average_alpha),
        or_none(luck.map(|luck| ordinal(luck.mean_percentile))),
        set.included.len().to_string(),
    ]
}

fn market_rows(set: &ComparisonSet, reference: &str, scale: Option<Scale>) -> Vec<Vec<String>> {
    let Some(market) = &set.market else {
        return Vec::new();
    };
    let row = |name: &str, points: String, value: Option<f64>| {
        let mut cells = vec![String::new(); 8];
        name.clone_into(&mut cells[1]);
        cells[2] = points;
        cells[4] = value.map_or_else(String::new, percent);
        cells
    };
    let of =
        |name: &str, found: &MarketRow| row(name, score(found.score), Some(found.average_return));
    let mut rows = vec![of(reference, &market.reference), of("cash", &market.cash)];
    if let Some((scale, value)) = scale.zip(value(market.reference.score)) {
        rows[0][3] = scale.mark(value);
    }
    if market.oracle_average.is_some() {
        rows.push(row("best option", "100".into(), market.oracle_average));
    }
    for control in &market.controls {
        let (name, average) = (control.model_id.as_str(), control.average_return);
        let mut cells = row(name, score(control.score), Some(average));
        cells[5] = points(control.average_alpha);
        rows.push(cells);
    }
    rows
}

/// Prints the rounds a set counts and those it leaves out, with the reason.
pub(crate) fn print_rounds(set: &ComparisonSet) {
    line("");
    let ids = set.included.iter().map(ToString::to_string);
    let ids = ids.collect::<Vec<_>>().join(", ");
    line(prose(&format!("included  {ids}")));
    for round in &set.excluded {
        let missing = round.missing.iter().map(ToString::to_string);
        let missing = missing.collect::<Vec<_>>().join(", ");
        let id = &round.round_id;
        line(prose(&format!("excluded  {id}: no result of {missing}")));
    }
    let first = &set.definition.started_round_id;
    line(format!(
        "starts with {first}; rounds before it do not count"
    ));
}
