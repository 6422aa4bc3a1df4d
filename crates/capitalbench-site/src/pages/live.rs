//! Open rounds with provisional figures. Models stand in order of name, because an open round has no ranks.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::publication::PublicRound;
use capitalbench_core::publication::facts::InterimRow;
use capitalbench_core::values::ids::ModelId;
use jiff::civil::Date;

use super::view::{View, track_name};
use super::words;
use crate::charts::{Line, LineChart, Look, Steps, Stroke};
use crate::figures::{day, signed_percent, window};
use crate::html::Html;
use crate::page::{Here, Page};
use crate::table::{Table, gap, head, percent, text, whole};
use crate::title::written;

/// Rounds with a chart of their own; others are listed.
const MOST_CHARTS: usize = 10;
/// Fewer days than this are a table without a chart.
const FEWEST_DAYS: usize = 3;

pub(crate) fn page(view: &View<'_>) -> Page {
    let mut page = Page::new(
        "live/",
        "Live",
        "Rounds whose window is not over: what models hold, and provisional figures.",
    );
    let open = view.open_rounds();
    if open.is_empty() {
        page.body.say("No round is open.");
        return page;
    }
    page.body
        .say("Provisional figures are not results. Models stand in order of name.");
    let mut table = Table::new(
        "Open rounds by day of result",
        "Round | Track | Window | State | Next event | #Models",
    );
    for (round, open) in &open {
        table.row(vec![
            view.round_cell(&page.here, round.id()),
            text(track_name(round.track)),
            text(&window(round.manifest.window)),
            text(words::state(round)),
            text(&words::next_event(view, round)),
            whole(open.submissions.len()),
        ]);
    }
    page.body.table(&table);
    let tracked = open.iter();
    let tracked = tracked.map(|(round, open)| (*round, inside(round, &open.interim)));
    let tracked = tracked.filter(|(_, rows)| !rows.is_empty());
    let all = tracked.clone().count();
    for (round, rows) in tracked.take(MOST_CHARTS) {
        section(view, &mut page, round, &rows);
    }
    page.body.cut("Charts", all.min(MOST_CHARTS), all);
    page
}

fn section(view: &View<'_>, page: &mut Page, round: &PublicRound, rows: &[InterimRow]) {
    let heading = view.round_link(&page.here, round.id());
    page.body.add(&Html::wrap("h2", "", &heading));
    interim(view, page, rows, "Provisional");
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

/// Lines of provisional figures, with their table; the day of the prices is part of the caption.
pub(crate) fn interim(view: &View<'_>, page: &mut Page, rows: &[InterimRow], word: &str) {
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
        "S&P 500",
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
        "Model | Prices of | #Return so far | #S&P 500 so far | #Gap so far",
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
