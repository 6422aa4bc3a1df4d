//! What models hold now, and provisional figures of open rounds. Nothing is ranked: an open round has
//! no ranks.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::publication::PublicRound;
use capitalbench_core::publication::boards::consensus::{Consensus, consensus};
use capitalbench_core::publication::facts::InterimRow;
use capitalbench_core::values::ids::ModelId;
use jiff::civil::Date;

use super::filter::{Filter, plain};
use super::view::{View, track_name};
use super::words;
use crate::charts::{Line, LineChart, Look, Steps, Stroke};
use crate::figures::{count, day, share, signed_percent};
use crate::html::Html;
use crate::page::{Here, Page};
use crate::table::{Table, bar, gap, head, number, percent, text, whole};
use crate::title::written;

/// Rounds with a chart of their own; others are listed.
const MOST_CHARTS: usize = 10;
/// Fewer days than this are a table without a chart.
const FEWEST_DAYS: usize = 3;
/// Cells of the matrix; a page stays below its budget of nodes.
const MOST_CELLS: usize = 1_000;

pub(crate) fn page(view: &View<'_>) -> Page {
    let mut page = Page::new(
        "live/",
        "Live",
        "What AI models hold now: open portfolios option by option, and provisional figures.",
    );
    page.heading = Html::text("What models hold now");
    let open = view.open_rounds();
    if open.is_empty() {
        page.body.say("No round is open.");
        return page;
    }
    matrix(view, &mut page);
    page.body.section("open", "Open rounds");
    let mut table = Table::new(
        "Open rounds by day of result",
        "Round | Track | State | Next event | #Models",
    );
    for (round, open) in &open {
        table.row(vec![
            view.round_cell(&page.here, round.id()),
            text(track_name(round.track)),
            text(words::state(round)),
            text(&words::next_event(view, round)),
            whole(open.submissions.len()),
        ]);
    }
    page.body.table(&table);
    page.body
        .section("so-far", "So far")
        .say("Provisional figures are not results. Tables have models in order of name, and all charts have one scale.");
    let tracked = open.iter();
    let tracked = tracked.map(|(round, open)| (*round, inside(round, &open.interim)));
    let tracked: Vec<(&PublicRound, Vec<InterimRow>)> =
        tracked.filter(|(_, rows)| !rows.is_empty()).collect();
    let ends = ends(tracked.iter().take(MOST_CHARTS).flat_map(|(_, rows)| rows));
    for (round, rows) in tracked.iter().take(MOST_CHARTS) {
        let heading = view.round_link(&page.here, round.id());
        page.body.heading(heading);
        provisional(view, &mut page, rows, ("Provisional", Some(ends)));
    }
    let all = tracked.len();
    page.body.cut("Charts", all.min(MOST_CHARTS), all);
    page
}

/// Options down, models across: the mean weight over each model's open decisions.
fn matrix(view: &View<'_>, page: &mut Page) {
    let found = consensus(&view.publication.rounds);
    let Some(first) = found.options.first() else {
        return;
    };
    page.body.paragraph(
        "lead",
        format!(
            "{} of {} hold {} different options. The largest is {} with {} of all weight.",
            count(found.decisions, "open decision", "open decisions"),
            count(found.models.len(), "model", "models"),
            found.options.len(),
            view.option_name(&first.option_id),
            share(first.mean_weight),
        ),
    );
    let mut models: Vec<&ModelId> = found.models.iter().collect();
    models.sort_by_cached_key(|id| (view.name(id).to_lowercase(), (*id).clone()));
    let table = weights(view, page, &found, &models);
    let classes: BTreeSet<&str> = view
        .options
        .values()
        .map(|o| o.asset_class.as_str())
        .collect();
    let names = models
        .iter()
        .map(|id| (id.to_string(), view.name(id).to_owned()));
    let names: Vec<(String, String)> = names.collect();
    let form = Filter::of("held")
        .choice("class", "class", &plain(classes))
        .choice("holder", "held by", &names)
        .words();
    page.body.add(&form.html()).table(&table);
    page.body
        .cut("Options", table.rows.len(), found.options.len());
}

fn weights(view: &View<'_>, page: &Page, found: &Consensus, models: &[&ModelId]) -> Table {
    let mut table = Table::new(
        "Mean weight over each model's open decisions",
        "Option | #All | #Decisions",
    )
    .class("matrix")
    .named("held");
    for id in models {
        table.add_model(view.model_label(id));
    }
    let most = MOST_CELLS / (models.len() + 3);
    for option in found.options.iter().take(most) {
        let held = format!("{} of {}", option.decisions, found.decisions);
        let decisions = u32::try_from(option.decisions).map(f64::from).ok();
        let mut cells = vec![
            head(view.option_link(&page.here, &option.option_id)),
            bar(Some(option.mean_weight)),
            number(&held, decisions),
        ];
        let of = |id: &&ModelId| bar(option.holders.get(*id).copied());
        cells.extend(models.iter().map(of));
        let row = table.row(cells);
        let class = view.options.get(&option.option_id);
        let holders: Vec<&str> = option.holders.keys().map(ModelId::as_str).collect();
        row.marks = vec![
            (
                "class",
                class.map_or("", |own| own.asset_class.as_str()).into(),
            ),
            ("holder", holders.join("|").into()),
        ];
    }
    table
}

/// Figures of days inside the window: the starting close itself has no return yet, and the ending
/// one belongs to the result.
pub(crate) fn inside(round: &PublicRound, rows: &[InterimRow]) -> Vec<InterimRow> {
    let window = round.manifest.window;
    let inside = |row: &&InterimRow| {
        window.is_none_or(|window| window.entry < row.day && row.day < window.exit)
    };
    rows.iter().filter(inside).cloned().collect()
}

/// The lowest and the highest of some figures.
fn ends<'a>(rows: impl Iterator<Item = &'a InterimRow>) -> (f64, f64) {
    let values = rows.flat_map(|row| [row.point.value.get(), row.point.reference.get()]);
    values.fold((0.0, 0.0), |(low, high), value| {
        (value.min(low), value.max(high))
    })
}

/// Lines of provisional figures with their table, on a scale of their own.
pub(crate) fn interim(view: &View<'_>, page: &mut Page, rows: &[InterimRow], word: &str) {
    provisional(view, page, rows, (word, None));
}
/// Lines of provisional figures, with their table; the day of the prices is part of the caption.
fn provisional(
    view: &View<'_>,
    page: &mut Page,
    rows: &[InterimRow],
    (word, ends): (&str, Option<(f64, f64)>),
) {
    let Some(last) = rows.iter().map(|row| row.day).max() else {
        return;
    };
    let mut by_model: BTreeMap<(String, &ModelId), Vec<&InterimRow>> = BTreeMap::new();
    for row in rows {
        let key = (view.name(&row.model_id).to_lowercase(), &row.model_id);
        by_model.entry(key).or_default().push(row);
    }
    let mut lines: Vec<Line> = Vec::new();
    for ((_, id), rows) in &by_model {
        let points = rows.iter().map(|row| (row.day, row.point.value.get()));
        lines.push(Line::plain(
            view.name(id),
            (Stroke::Dashed, view.look(id)),
            points,
        ));
    }
    let reference = rows.iter().map(|row| (row.day, row.point.reference.get()));
    let reference: BTreeMap<Date, f64> = reference.collect();
    lines.push(Line::plain(
        &view.reference.to_string(),
        (Stroke::Reference, Look::OTHER),
        reference,
    ));
    let days: BTreeSet<Date> = rows.iter().map(|row| row.day).collect();
    if days.len() < FEWEST_DAYS {
        let table = table(view, &page.here, &by_model);
        let words = format!(
            "{word} returns since the starting close; prices of {}.",
            written(last)
        );
        page.body.say(&words).table(&table);
        return;
    }
    let chart = LineChart {
        title: format!("{word} returns since the starting close, to {last}"),
        steps: Steps::Days,
        ends,
        lines,
        written: signed_percent,
    };
    let table = table(view, &page.here, &by_model);
    let caption = format!(
        "{word} returns since the starting close; prices of {}",
        day(last)
    );
    page.body.figure(&caption, &chart.draw(), &table);
}

fn table(
    view: &View<'_>,
    here: &Here,
    by_model: &BTreeMap<(String, &ModelId), Vec<&InterimRow>>,
) -> Table {
    let mut table = Table::new(
        "Provisional, in order of name",
        &format!(
            "Model | Prices of | #Return so far | #{} so far | #Gap so far",
            view.reference
        ),
    )
    .fixed();
    for ((_, id), rows) in by_model {
        let Some(row) = rows.iter().max_by_key(|row| row.day) else {
            continue;
        };
        let point = &row.point;
        table.row(vec![
            head(view.model_link(here, id)),
            text(&day(row.day)),
            percent(point.value.get()),
            percent(point.reference.get()),
            gap(point.alpha.get()),
        ]);
    }
    table
}
