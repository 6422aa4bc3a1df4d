//! Models side by side, on the rounds they share and on no others.

use std::collections::BTreeMap;

use capitalbench_core::evidence::statistics::HeadToHead;
use capitalbench_core::publication::PublicRound;
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::ModelId;

use super::claims;
use super::view::{View, horizon, pair_path, track_name};
use crate::charts::{Heat, HeatColumn, strength};
use crate::figures::{
    NONE, chance, count, day, percent_interval, signed_percent, signed_points, worth,
};
use crate::html::Html;
use crate::page::Page;
use crate::table::{self, Cell, Table, gap, head, markup, maybe, percent, text, whole};
use crate::title::title;

/// Cells of a heat map; the newest rounds come first.
const MOST_CELLS: usize = 700;
/// Rounds of a heat map; few models would leave room for too many.
const MOST_COLUMNS: usize = 120;
/// Rounds listed on the page of a pair.
const MOST_ROUNDS: usize = 150;

/// The page where two to four models are chosen.
pub(crate) fn index(view: &View<'_>) -> Page {
    let mut page = Page::new(
        "compare/",
        "Compare models",
        "Any two to four models on the rounds they share.",
    )
    .below("models/", "Models");
    page.body.say("Choose two to four models; rounds that one of them did not complete disappear. Every pair has a page of its own.");
    let mut form = Html::made(
        "<form class=\"filter\" id=\"compare\" hidden><fieldset><legend>Models</legend>".to_owned(),
    );
    for id in &view.models {
        let (id, name) = (Html::text(id.as_str()), Html::text(view.name(id)));
        let input = format!("<input type=\"checkbox\" name=\"model\" value=\"{id}\">");
        form.push(&format!("<label>{input} {name}</label>"));
    }
    form.push("</fieldset><output aria-live=\"polite\"></output></form>");
    page.body.add(&form);
    for track in view.tracks() {
        page.body.section(track.as_str(), track_name(Some(track)));
        let table = pair_table(view, &page, track);
        if table.rows.is_empty() {
            page.body.say("No two models share a resolved round.");
            continue;
        }
        page.body.table(&table);
        heat_map(view, &mut page, track);
    }
    page
}

fn pair_table(view: &View<'_>, page: &Page, track: Track) -> Table {
    let mut table = Table::new(
        &format!("{} pairs on shared rounds", track_name(Some(track))),
        &format!(
            "First | Second | Verdict | #Mean difference / {0}, points | #95 % interval | #Rounds | #Windows | #First ahead | #Second ahead",
            horizon(track)
        ),
    )
    .class("pairs");
    for pair in view.pairs(track) {
        let path = pair_path(&pair.first, &pair.second);
        let row = table.row(vec![
            head(view.model_label(&pair.first)),
            markup(view.model_label(&pair.second)),
            markup(page.here.link(&path, verdict(pair))),
            maybe(view.difference(pair), signed_points),
            table::interval(pair.difference),
            whole(pair.rounds.len()),
            table::decimal(pair.effective_windows, 1),
            whole(pair.first_ahead),
            whole(pair.second_ahead),
        ]);
        row.marks = vec![("pair", format!("{} {}", pair.first, pair.second).into())];
    }
    table
}

/// Whether two models are told apart, corrected over all pairs of the track.
fn verdict(pair: &HeadToHead) -> &'static str {
    if pair.apart() {
        "separable"
    } else {
        "not separable"
    }
}

/// The gap to the reference by round and model, as a chart and as tinted numbers.
fn heat_map(view: &View<'_>, page: &mut Page, track: Track) {
    let boards = view.boards(track);
    let took = |id: &&ModelId| {
        boards.is_some_and(|boards| boards.cumulative.iter().any(|row| row.model_id == **id))
    };
    let models: Vec<&ModelId> = view.models.iter().filter(took).collect();
    let name = track_name(Some(track));
    let the = view.reference.the();
    let caption = format!("{name} gap to {the} by round, newest first");
    let mut table = Table::new(&caption, "Round | Ended").class("heat");
    for id in &models {
        table.add_model(view.model_label(id)).model = Some(id.as_str().into());
    }
    let mut gaps: Vec<Vec<Option<f64>>> = vec![Vec::new(); models.len()];
    let mut columns = Vec::new();
    let rounds = view.publication.rounds.iter().rev();
    let rounds = rounds.filter(|round| round.track == Some(track));
    let resolved = rounds.filter(|round| round.resolved().is_some());
    let all = resolved.clone().count();
    for round in resolved.take((MOST_CELLS / models.len().max(1)).min(MOST_COLUMNS)) {
        let mut cells = vec![view.round_cell(&page.here, round.id()), text(&ended(round))];
        for (id, gaps) in models.iter().zip(&mut gaps) {
            let standing = round.standing(id);
            let alpha = standing.map(|standing| standing.scored.outcome.alpha.get());
            cells.push(tinted(alpha));
            gaps.insert(0, alpha);
        }
        table.row(cells);
        columns.insert(
            0,
            HeatColumn {
                name: title(round),
                day: round.manifest.window.map(|window| window.exit),
            },
        );
    }
    let named = models.iter().map(|id| view.name(id).to_owned());
    let chart = Heat {
        title: format!("{name} gap to {the} by round and model"),
        rounds: columns,
        models: named.zip(gaps).collect(),
    };
    let caption = format!(
        "Gap to {the} by model and {} round, newest at the right",
        track.as_str()
    );
    page.body.drawing(&caption, &chart.draw());
    let shown = table.rows.len();
    page.body.table(&table).cut("Rounds", shown, all);
}

fn ended(round: &PublicRound) -> String {
    let window = round.manifest.window;
    window.map_or(NONE.to_owned(), |window| day(window.exit))
}

fn tinted(alpha: Option<f64>) -> Cell {
    let Some(alpha) = alpha else {
        return text("");
    };
    let strength = strength(alpha);
    let side = if alpha > 0.0 { 'u' } else { 'd' };
    Cell {
        class: format!("n {side}{strength}"),
        ..gap(alpha)
    }
}

/// The page of every pair with a shared round.
pub(crate) fn pairs(view: &View<'_>) -> Vec<Page> {
    let mut found: BTreeMap<(&ModelId, &ModelId), Vec<(Track, &HeadToHead)>> = BTreeMap::new();
    for track in view.tracks() {
        for pair in view.pairs(track) {
            let models = (&pair.first, &pair.second);
            found.entry(models).or_default().push((track, pair));
        }
    }
    let pages = found.into_iter();
    pages
        .map(|((first, second), found)| pair_page(view, [first, second], &found))
        .collect()
}

fn pair_page(view: &View<'_>, models: [&ModelId; 2], found: &[(Track, &HeadToHead)]) -> Page {
    let [first, second] = models;
    let [a, b] = models.map(|id| view.name(id));
    let title = format!("{a} and {b}");
    let description = format!("{title} on the rounds both completed.");
    let mut page =
        Page::new(&pair_path(first, second), &title, &description).below("compare/", "Compare");
    let links = models.map(|id| view.model_link(&page.here, id));
    page.body.links(&links);
    for (track, pair) in found {
        page.body.section(track.as_str(), track_name(Some(*track)));
        let shared = pair.rounds.len().to_string();
        let shared = worth(&shared, Some(pair.effective_windows), " windows");
        let higher = format!(
            "{a} in {}, {b} in {}, of rounds worth {:.1} effective windows",
            pair.first_ahead, pair.second_ahead, pair.effective_windows
        );
        let difference = pair.difference.map(|d| {
            if d.informative() {
                percent_interval(d.low, d.high)
            } else {
                "too few windows for an interval".to_owned()
            }
        });
        let mean = view.difference(pair).map_or(NONE.to_owned(), |mean| {
            format!("{} points a {}", signed_points(mean), horizon(*track))
        });
        let difference = difference.unwrap_or("one window tells nothing".to_owned());
        let corrected = pair.p_adjusted.map_or(NONE.to_owned(), chance);
        page.body.facts(&[
            ("Shared rounds", shared.into()),
            ("Higher return", higher.into()),
            ("Mean difference", mean.into()),
            ("95 % interval", difference.into()),
            ("p after Holm over all pairs", corrected.into()),
            ("Verdict", verdict(pair).into()),
        ]);
        rounds(view, &mut page, models, pair);
    }
    claims::of_pair(view, &mut page, models);
    page
}

fn rounds(view: &View<'_>, page: &mut Page, models: [&ModelId; 2], pair: &HeadToHead) {
    let all = pair.rounds.len();
    let caption = format!(
        "{}, newest first",
        count(all, "shared round", "shared rounds")
    );
    let mut table = Table::new(&caption, "Round | Ended");
    for id in models {
        table.add_model(view.model_label(id));
    }
    table.add_numbers(&view.reference.to_string());
    let newest = pair.rounds.iter().rev().take(MOST_ROUNDS);
    for round in newest.filter_map(|id| view.round(id)) {
        let Some(resolved) = round.resolved() else {
            continue;
        };
        let of = |id: &ModelId| {
            let standing = round.standing(id)?;
            Some(standing.scored.outcome.decision_return.get())
        };
        table.row(vec![
            view.round_cell(&page.here, round.id()),
            text(&ended(round)),
            maybe(of(models[0]), signed_percent),
            maybe(of(models[1]), signed_percent),
            percent(resolved.returns.reference().get()),
        ]);
    }
    page.body
        .table(&table)
        .cut("Rounds", all.min(MOST_ROUNDS), all);
}
