//! Models in each kind of market, and from set to set.

use std::collections::BTreeSet;

use capitalbench_core::publication::boards::comparison_set::ComparisonSet;
use capitalbench_core::publication::boards::regime::{Regime, by_regime};
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::ModelId;

use super::super::view::{TRACKS, View, set_path, track_name};
use crate::figures::{count, signed_points};
use crate::page::Page;
use crate::table::{Table, head, number, scored, text};
use crate::title::written;

/// What the page of the kinds of market shows.
pub(super) const MARKETS: &str =
    "How each model did when the reference rose, fell or hardly moved.";
/// Sets across; the newest ones.
const MOST_SETS: usize = 12;

/// The gap of every model in each kind of market.
pub(crate) fn markets(view: &View<'_>) -> Page {
    let mut page = Page::new(
        "boards/markets/",
        "Kinds of market",
        &view.reference.put_into(MARKETS),
    )
    .below("boards/", "Boards");
    let the = view.reference.the();
    page.body.say(&format!("Mean gap to {the} in points, with the number of rounds. A weekly market is flat within 0.5 % and sharp from 2 %; a monthly one within 1 % and from 3 %. A portfolio of low risk gains in a falling market without any skill, and the other way round, so read a row across."));
    for track in TRACKS {
        page.body.section(track.as_str(), track_name(Some(track)));
        let found = by_regime(&view.publication.rounds, track);
        if found.rounds.is_empty() {
            page.body.say("No round is resolved yet.");
            continue;
        }
        let caption = format!("{} gap by kind of market", track_name(Some(track)));
        let mut table = Table::new(&caption, "Model");
        for regime in Regime::ALL {
            let rounds = found.rounds.get(&regime).copied().unwrap_or_default();
            let rounds = count(rounds, "round", "rounds");
            table.add_numbers(&format!("{}, {rounds}", spoken(regime)));
        }
        let mut models: Vec<&ModelId> = found.models.keys().collect();
        models.sort_by_cached_key(|id| (view.name(id).to_lowercase(), (*id).clone()));
        for id in models {
            let own = &found.models[id];
            let mut cells = vec![head(view.model_link(&page.here, id))];
            cells.extend(Regime::ALL.map(|regime| match own.get(&regime) {
                None => text(""),
                Some((rounds, gap)) => {
                    number(&format!("{} ({rounds})", signed_points(*gap)), Some(*gap))
                }
            }));
            table.row(cells);
        }
        page.body.table(&table);
    }
    page
}

fn spoken(regime: Regime) -> &'static str {
    match regime {
        Regime::SharpDown => "Sharply down",
        Regime::Down => "Down",
        Regime::Flat => "Flat",
        Regime::Up => "Up",
        Regime::SharpUp => "Sharply up",
    }
}

/// The score of every model in every set that counts a round.
pub(crate) fn sets(view: &View<'_>) -> Page {
    let mut page = Page::new(
        "boards/across-sets/",
        "Set to set",
        "The score of each model in every comparison set.",
    )
    .below("boards/", "Boards");
    page.body.say(
        "Each set has its own rounds, so scores are comparable down a column and not along a row.",
    );
    for track in TRACKS {
        page.body.section(track.as_str(), track_name(Some(track)));
        across(view, &mut page, track);
    }
    page
}

fn across(view: &View<'_>, page: &mut Page, track: Track) {
    let sets = view.publication.comparison_sets.iter().rev();
    let sets = sets.filter(|set| set.definition.track == track && !set.rows.is_empty());
    let all = sets.clone().count();
    let sets: Vec<&ComparisonSet> = sets.take(MOST_SETS).collect();
    if sets.is_empty() {
        page.body
            .say("No comparison set has a shared resolved round yet.");
        return;
    }
    let caption = format!("{} scores, newest set first", track_name(Some(track)));
    let mut table = Table::new(&caption, "Model");
    for set in &sets {
        let definition = &set.definition;
        let rounds = count(set.included.len(), "round", "rounds");
        let until = set.included.last().and_then(|id| view.window(id));
        let until = until.map_or(String::new(), |own| format!(" to {}", written(own.exit)));
        let link = page
            .here
            .link(&set_path(&definition.set_id), &format!("{rounds}{until}"));
        table.add_model(link);
    }
    let ids: BTreeSet<&ModelId> = sets
        .iter()
        .flat_map(|set| set.rows.iter().map(|row| &row.model_id))
        .collect();
    let mut ids: Vec<&ModelId> = ids.into_iter().collect();
    ids.sort_by_cached_key(|id| (view.name(id).to_lowercase(), (*id).clone()));
    for id in ids {
        let mut cells = vec![head(view.model_link(&page.here, id))];
        cells.extend(sets.iter().map(|set| {
            let row = set.rows.iter().find(|row| row.model_id == *id);
            row.map_or_else(|| text(""), |row| scored(row.score))
        }));
        table.row(cells);
    }
    page.body.table(&table.fixed()).cut("Sets", sets.len(), all);
}
