//! What moves the models: the place of an option in the list, the twins of a question, their own mood.

use capitalbench_core::asking::lanes::Lane;
use capitalbench_core::evidence::sensitivity::{LaneFound, Moved, OrderFound, TrackSensitivity};
use capitalbench_core::evidence::twins::DRAWS;
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::ModelId;

use super::view::{View, track_name};
use crate::figures::{NONE, chance, decimal, interval, share, thousands};
use crate::page::Page;
use crate::table::{Cell, Table, head, number, text, whole};

/// Where the page of all models stands.
pub(crate) const PATH: &str = "moved/";

const COLUMNS: &str = "What differs | #Cells | #Distance | #Own noise | #Effect | #95 % interval | #p, corrected | Found";

/// The page of all models; none where nothing is known.
pub(crate) fn page(view: &View<'_>) -> Option<Page> {
    let tracks = &view.publication.statistics.sensitivity;
    if tracks.is_empty() {
        return None;
    }
    let mut page = Page::new(
        PATH,
        "What moves the models",
        "Do names, the order of a list, the briefing or the market table decide what models choose?",
    )
    .below("models/", "Models");
    page.body
        .say("Most of what a model reads is the same for all. To see what it goes by, the same frozen question is asked again after the record with one thing changed: another order of the options, masked names, no briefing, no market table. These answers count in no record and on no board.")
        .say("Models answer differently even when they are asked the very same twice. So an effect is only the distance between two lanes that is beyond the distance within them: 0 % changes nothing, 100 % another portfolio altogether.");
    for (track, found) in tracks {
        section(view, &mut page, *track, found);
    }
    limits(&mut page);
    Some(page)
}

fn section(view: &View<'_>, page: &mut Page, track: Track, found: &TrackSensitivity) {
    let name = track_name(Some(track));
    page.body.section(track.as_str(), name);
    let caption = format!("{name} rounds, all models together");
    let all = rows(Table::new(&caption, COLUMNS), &found.all);
    page.body.table(&all);
    let caption = format!("{name} rounds, model by model, in order of name");
    let columns = format!("Model | {COLUMNS}");
    let mut table = Table::new(&caption, &columns);
    let mut models: Vec<_> = found.models.iter().collect();
    models.sort_by_cached_key(|own| view.name(&own.model_id).to_lowercase());
    for own in models {
        let link = view.model_link(&page.here, &own.model_id);
        for cells in cells(&own.moved) {
            let mut row = vec![head(link.clone())];
            row.extend(cells);
            table.row(row);
        }
    }
    page.body.table(&table);
}

/// The part of a model's page; nothing where nothing is known of it.
pub(super) fn of_model(view: &View<'_>, page: &mut Page, track: Track, id: &ModelId) {
    let tracks = &view.publication.statistics.sensitivity;
    let models = tracks.get(&track).map(|found| &found.models);
    let Some(own) = models.and_then(|all| all.iter().find(|own| own.model_id == *id)) else {
        return;
    };
    page.body.heading("What moves it");
    let caption = "How far answers move when one thing about the question differs";
    page.body
        .table(&rows(Table::new(caption, COLUMNS), &own.moved));
    let more = page.here.link(PATH, "What this can and cannot show");
    page.body.paragraph("", more);
}

fn rows(mut table: Table, moved: &Moved) -> Table {
    for cells in cells(moved) {
        table.row(cells);
    }
    table
}

fn cells(moved: &Moved) -> Vec<Vec<Cell>> {
    let place = moved.order.iter().map(place_cells);
    let lanes = moved.lanes.iter().map(lane_cells);
    let mood = moved.noise.iter().map(|own| {
        let mut cells = vec![
            head("nothing: the same text again"),
            whole(own.cells),
            number(&share(own.distance), Some(own.distance)),
        ];
        cells.extend([NONE, NONE, NONE, NONE, NONE].map(text));
        cells
    });
    place.chain(lanes).chain(mood).collect()
}

fn place_cells(own: &OrderFound) -> Vec<Cell> {
    let bias = &own.bias;
    let end = if bias.lean < 0.0 { "beginning" } else { "end" };
    vec![
        head("place in the list, drawn anew each round"),
        whole(bias.rounds),
        text(NONE),
        text(NONE),
        number(&decimal(bias.lean, 3), Some(bias.lean)),
        text(&between(bias.interval, 3)),
        number(&chance(own.p_adjusted), Some(own.p_adjusted)),
        found(own.is_found(), &format!("leans to the {end}")),
    ]
}

fn lane_cells(own: &LaneFound) -> Vec<Cell> {
    let twin = &own.found;
    let range = twin.interval.map_or(NONE.to_owned(), |(low, high)| {
        format!("{} … {}", share(low), share(high))
    });
    vec![
        head(own.lane.what()),
        whole(twin.cells),
        number(&share(twin.distance), Some(twin.distance)),
        text(&twin.noise.map_or(NONE.to_owned(), share)),
        number(&share(twin.effect), Some(twin.effect)),
        text(&range),
        number(&chance(own.p_adjusted), Some(own.p_adjusted)),
        found(own.is_found(), "moves the answers"),
    ]
}

fn between(range: Option<(f64, f64)>, places: usize) -> String {
    range.map_or(NONE.to_owned(), |(low, high)| interval(low, high, places))
}

fn found(is_found: bool, words: &str) -> Cell {
    text(if is_found {
        words
    } else {
        "not told from noise"
    })
}

fn limits(page: &mut Page) {
    let masked = Lane::Masked.what();
    page.body
        .section("limits", "What this can and cannot show")
        .say(&format!(
            "It shows what answers depend on, not whether they are good. With {masked} a model may still guess an option from its figures, its group and its description. So an effect is sensitivity to names, and no proof that a model remembers prices; without an effect it may have guessed."
        ))
        .say("A row says “not told from noise” when the corrected chance is 5 % or more. That does not say that nothing moves the model: with two answers to each text it takes about 32 rounds to see five points of a portfolio for one model, and 4 rounds for eight models together.")
        .say(&format!(
            "The order is drawn from the frozen inputs of each round, the same for all models. Without a habit of place the mean lean is 0; −0.5 is all weight on the first option, 0.5 on the last. Chances come from {} drawn orders or permuted labels and are corrected for the number of models and twins of the track.",
            thousands(DRAWS as usize)
        ));
}
