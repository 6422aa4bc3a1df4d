//! `compare`: models side by side on the rounds they share.

use capitalbench_core::publication::standings::Standings;
use capitalbench_core::values::ids::ModelId;
use capitalbench_export::text::{percent, points};
use serde_json::json;

use super::leaderboard::set_table;
use crate::cli::{Compare, TrackName};
use crate::commands::publishing::published::{load_standings, unknown};
use crate::console::{document, is_json, line, or_none, table};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &Compare) -> Result<Exit, Error> {
    let standings = load_standings(&arguments.rounds)?;
    let models = models(&standings, &arguments.models)?;
    let mut shown = Vec::new();
    let mut shared = false;
    for track in TrackName::tracks(arguments.track) {
        let found = standings.compare(track, &models);
        let found = found.map_err(|error| Error::new(error.to_string()))?;
        let Some(found) = found else { continue };
        shared |= !found.set.included.is_empty();
        if is_json() {
            let statistics = found.statistics.as_ref();
            shown.push(set_table::as_json(&standings, &found.set, statistics));
            continue;
        }
        if !shown.is_empty() {
            line("");
        }
        shown.push(json!(track.as_str()));
        set_table::print(&standings, &found.set, found.statistics.as_ref());
        let pairs = found.statistics.iter().flat_map(|own| &own.pairs);
        let rows = pairs.map(|pair| {
            let gap = pair.difference.as_ref();
            let (first, second) = (standings.name(&pair.first), standings.name(&pair.second));
            vec![
                format!("{first} − {second}"),
                or_none(gap.map(|gap| percent(gap.value))),
                or_none(gap.map(|gap| format!("{} to {}", points(gap.low), points(gap.high)))),
                or_none(pair.p_adjusted.map(|p| format!("{p:.2}"))),
            ]
        });
        let rows: Vec<Vec<String>> = rows.collect();
        if !rows.is_empty() {
            let header = "difference per round | mean > | 95 % interval > | p, corrected >";
            line(format!("\n{}", table(header, rows)));
        }
    }
    if is_json() {
        document(&json!({"as_of": standings.as_of.to_string(), "comparisons": shown}));
    }
    Ok(Exit::of(shared))
}

/// The models that were named; an unknown one is answered with the nearest.
fn models(standings: &Standings, names: &[String]) -> Result<Vec<ModelId>, Error> {
    let known = standings.model_ids();
    let mut models = Vec::new();
    for name in names {
        let found = known
            .iter()
            .find(|(id, _)| id.as_str() == name || standings.name(id).eq_ignore_ascii_case(name));
        let (_, found) = found.ok_or_else(|| {
            let ids: Vec<&str> = known.keys().map(|id| id.as_str()).collect();
            unknown("model", name, &ids)
        })?;
        if !models.contains(*found) {
            models.push((*found).clone());
        }
    }
    if models.len() < 2 {
        return Err(Error::new("name two different models to compare"));
    }
    Ok(models)
}
