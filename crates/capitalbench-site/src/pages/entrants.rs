//! Entrants from outside: their board, their entries, and what a round shows of them.

use capitalbench_core::decision::entering::times::Times;
use capitalbench_core::publication::PublicRound;
use capitalbench_core::publication::entrants::{
    EntrantLane, EntryState, PublicEntry, entrant_board, with_tools,
};
use capitalbench_core::round::manifest::Track;
use capitalbench_export::tables::entrants::holdings;

use super::view::{View, round_path, track_name};
use crate::figures::{instant, signed_percent, signed_points};
use crate::page::Page;
use crate::table::{Table, gap, head, maybe, ordinal, percent, scored, text, whole, words};

/// Entries listed on the page; the table of the export has all.
const MOST_ENTRIES: usize = 200;

/// The page of entrants; none where nobody ever entered.
pub(crate) fn pages(view: &View<'_>) -> Vec<Page> {
    let entries = &view.publication.entries;
    if entries.is_empty() {
        return Vec::new();
    }
    let mut page = Page::new(
        "entrants/",
        "Entrants",
        "Models, agents, people and funds from outside, on a board of their own kind.",
    )
    .below("method/", "Method");
    page.body.say("Entrants from outside seal a portfolio before the deadline of a round and open it after the entry close. They stand on a board of their own and never among the models, because nobody saw how they decided. An entry that is not opened in its time, or breaks a rule of its round, counts as cash and stays here for ever.");
    for lane in EntrantLane::ALL {
        for track in view.tracks() {
            board(&mut page, entries, (track, lane));
        }
    }
    page.body.section("entries", "Entries");
    let newest: Vec<&PublicEntry> = entries.iter().rev().take(MOST_ENTRIES).collect();
    page.body.table(&table(&page, &newest, Column::Round));
    page.body.cut("entries", newest.len(), entries.len());
    vec![page]
}

/// The board of a lane and a track; nothing where nobody stands on it.
fn board(page: &mut Page, entries: &[PublicEntry], (track, lane): (Track, EntrantLane)) {
    // Each score was checked when the entries were made public.
    let board = entrant_board(entries, track, lane).unwrap_or_default();
    if board.is_empty() {
        return;
    }
    let name = track_name(Some(track));
    match lane {
        EntrantLane::Sealed => {
            page.body.section(track.as_str(), name);
            page.body.say("An entrant is placed by all entries of all keys of its registration, over the rounds that it entered; different entrants may have entered different rounds.");
        }
        EntrantLane::Open => {
            page.body.section(
                &format!("open-{}", track.as_str()),
                &format!("Open lane, {name}"),
            );
            page.body.say("The league asks these agents about the frozen round before its deadline. They may use tools and search, so they stand apart from models, which may not; their answers are sealed in the log at once and shown after the entry close.");
        }
    }
    let mut table = Table::new(
        "Board of entrants",
        "#Place | Entrant | Kind | #Score | #Mean gap | #Mean return | #Entries | #As cash | #Keys",
    )
    .fixed();
    for (place, row) in board.iter().enumerate() {
        table.row(vec![
            ordinal(Some(place + 1)),
            head(row.name.as_str()),
            text(row.kind.as_str()),
            scored(row.score),
            gap(row.average_alpha),
            percent(row.average_return),
            whole(row.entries),
            whole(row.as_cash),
            whole(row.keys),
        ]);
    }
    page.body.table(&table);
}

/// The times of a round that still takes something from entrants.
pub(crate) fn times(view: &View<'_>, round: &PublicRound) -> Option<Times> {
    view.publication.league.as_ref()?;
    round.frozen.as_ref()?;
    let times = Times::of(&round.manifest)?;
    (view.publication.as_of < times.closes && round.resolved().is_none()).then_some(times)
}

/// Everything about entrants that the pages of a round follow from.
pub(crate) fn inputs(view: &View<'_>, round: &PublicRound) -> String {
    let entries = view.publication.entries.iter();
    let own: Vec<&PublicEntry> = entries.filter(|own| own.round_id == *round.id()).collect();
    let league = &view.publication.league;
    format!("{league:?} {:?} {own:?}", times(view, round))
}

/// What names an entry beside its entrant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Round,
    /// On the page of its round.
    Key,
}

/// The entries of a round, below everything about its models.
pub(super) fn of_round(view: &View<'_>, page: &mut Page, round: &PublicRound) {
    let entries = view.publication.entries.iter();
    let own: Vec<&PublicEntry> = entries.filter(|own| own.round_id == *round.id()).collect();
    if own.is_empty() {
        return;
    }
    page.body.section("entrants", "Entrants from outside");
    page.body.say("Sealed before the deadline and opened after the entry close; beside the models and never among them.");
    let table = table(page, &own, Column::Key);
    page.body.table(&table);
    tools(view, page, round);
    let links = [page.here.link("entrants/", "The board of entrants")];
    page.body.links(&links);
}

/// The same model with and without tools, where both decided.
fn tools(view: &View<'_>, page: &mut Page, round: &PublicRound) {
    let pairs = with_tools(round, &view.publication.entries);
    if pairs.is_empty() {
        return;
    }
    page.body
        .section("tools", "The same model with and without tools");
    page.body.say("The agent says that it uses this model; nobody can check it. One round says nothing about tools in general.");
    let labels = "Model | Agent | #Return alone | #Return with tools | #Difference";
    let mut table = Table::new("With and without tools", labels).fixed();
    for pair in pairs {
        table.row(vec![
            head(view.publication.name(pair.model)),
            text(&pair.entry.name),
            percent(pair.without.get()),
            percent(pair.with.get()),
            gap((pair.with - pair.without).get()),
        ]);
    }
    page.body.table(&table);
}

fn table(page: &Page, entries: &[&PublicEntry], column: Column) -> Table {
    let second = match column {
        Column::Round => "Round",
        Column::Key => "Key",
    };
    let labels = format!("Entrant | {second} | Sealed | State | Holdings | #Return | #Gap");
    let mut table = Table::new("Entries from outside", &labels).fixed();
    for own in entries {
        let state = match &own.state {
            EntryState::Unopened => "not opened: cash".to_owned(),
            EntryState::Invalid(reason) => format!("invalid, cash: {reason}"),
            EntryState::Sealed | EntryState::Opened(_) => own.state.as_str().to_owned(),
        };
        table.row(vec![
            head(own.name.as_str()),
            match column {
                Column::Round => {
                    let id = own.round_id.as_str();
                    words(page.here.link(&round_path(&own.round_id), id))
                }
                Column::Key if own.key.is_empty() => text("asked, open lane"),
                Column::Key => text(&own.key),
            },
            text(&instant(own.sealed.at)),
            words(state.as_str()),
            words(holdings(own).unwrap_or_default().as_str()),
            maybe(own.figures.map(|own| own.value.get()), signed_percent),
            maybe(own.figures.map(|own| own.alpha.get()), signed_points),
        ]);
    }
    table
}
