//! Entrants from outside: their board, their entries, and what a round shows of them.

use capitalbench_core::publication::PublicRound;
use capitalbench_core::publication::entrants::{EntryState, PublicEntry, entrant_board};
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
    for track in view.tracks() {
        // Each score was checked when the entries were made public.
        let board = entrant_board(entries, track).unwrap_or_default();
        if board.is_empty() {
            continue;
        }
        page.body.section(track.as_str(), track_name(Some(track)));
        page.body.say("An entrant is placed by all entries of all keys of its registration, over the rounds that it entered; different entrants may have entered different rounds.");
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
    page.body.section("entries", "Entries");
    let newest: Vec<&PublicEntry> = entries.iter().rev().take(MOST_ENTRIES).collect();
    page.body.table(&table(&page, &newest, Column::Round));
    page.body.cut("entries", newest.len(), entries.len());
    vec![page]
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
    let links = [page.here.link("entrants/", "The board of entrants")];
    page.body.links(&links);
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
