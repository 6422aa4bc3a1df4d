//! Entries from outside, apart from the models.

use capitalbench_core::publication::entrants::{EntryState, PublicEntry};
use capitalbench_core::values::ids::ModelId;

use crate::table::{Filling, Row, Table, columns};

/// One row per entry, in the order of the log.
pub const ENTRIES: Table = Table {
    name: "entries",
    about: "One row per entry of an entrant from outside: sealed by itself, or answered by an agent that the league asked. Entrants stand beside the models and never among them; what is not opened in its time or breaks a rule of its round counts as cash.",
    columns: ENTRY_COLUMNS,
    filling: Filling::Whole(|publication| publication.entries.iter().map(entry).collect()),
};

columns! {
    ENTRY_COLUMNS, pub(crate) fn entry<'a>(entry: &'a PublicEntry) -> Row<'a>;
    Always "round_id" Text "The round" => entry.round_id.as_str();
    Always "track" Text "weekly or monthly" => entry.track.as_str();
    Always "entrant" Text "Who entered" => entry.entrant.as_str();
    Always "name" Text "Its name for people" => entry.name.as_str();
    Always "kind" Text "model, agent, person or fund, as the entrant says" => entry.kind.as_str();
    Always "lane" Text "sealed: brought sealed; open: an agent was asked, which may use tools" => entry.lane.as_str();
    Maybe "model_id" Text "The model that an agent says it uses, by its id in the league" => entry.lane.model().map(ModelId::as_str);
    Maybe "key" Text "The name of the key that sealed the entry; none of an agent that was asked" => Some(entry.key.as_str()).filter(|key| !key.is_empty());
    Always "key_count" Integer "Keys of the entrant's registration" => entry.keys;
    Always "leaf" Integer "Place of the sealed entry in the log" => entry.sealed.leaf;
    Always "sealed_at_utc" Instant "When it came into the log, by the operator's clock" => entry.sealed.at;
    Always "state" Text "sealed, opened, unopened or invalid; the last two count as cash" => entry.state.as_str();
    Maybe "reason" Text "Which rule an invalid entry breaks" => reason(entry);
    Maybe "holdings" Text "Options with percentages, in their order; none while sealed, and where it counts as cash" => holdings(entry);
    Maybe "return_fraction" Real "Return of what counts, once the round is resolved" => entry.figures.map(|own| own.value.get());
    Maybe "alpha_fraction" Real "The same minus the return of the reference" => entry.figures.map(|own| own.alpha.get());
    Maybe "capitalbench_score" Real "100 × return ÷ best option; none where it is not defined" => entry.figures.and_then(|own| points(own.score));
}

fn reason(entry: &PublicEntry) -> Option<&str> {
    match &entry.state {
        EntryState::Invalid(reason) => Some(reason),
        _ => None,
    }
}

fn points(score: capitalbench_core::result::score::Score) -> Option<f64> {
    match score {
        capitalbench_core::result::score::Score::Points(points) => Some(points),
        capitalbench_core::result::score::Score::Undefined(_) => None,
    }
}

/// Options with their percentages on one line; none where nothing is shown.
pub fn holdings(entry: &PublicEntry) -> Option<String> {
    let held = entry.state.holdings().iter();
    let held = held.map(|own| format!("{} {}", own.option_id, own.weight.percent()));
    let text = held.collect::<Vec<_>>().join(", ");
    (!text.is_empty()).then_some(text)
}
