//! Open rounds with provisional figures. Models stand in order of name, because an open round has no ranks.

use std::collections::BTreeMap;

use capitalbench_core::publication::facts::InterimRow;
use capitalbench_core::publication::{OpenRound, PublicRound};
use capitalbench_core::values::ids::ModelId;
use jiff::civil::Date;

use super::view::{View, round_link, round_path, track_name};
use super::words;
use crate::charts::{Line, LineChart, Stroke};
use crate::figures::{day, signed_percent, window};
use crate::html::Html;
use crate::page::{Here, Page};
use crate::table::{Table, gap, head, percent, text, whole};

/// Rounds with a chart of their own; others are listed.
const MOST_CHARTS: usize = 10;

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
            head(round_link(&page.here, round.id())),
            text(track_name(round.track)),
            text(&window(round.manifest.window)),
            text(words::state(round)),
            text(&words::next_event(round)),
            whole(open.submissions.len()),
        ]);
    }
    page.body.table(&table);
    let tracked = open.iter().filter(|(_, open)| !open.interim.is_empty());
    let all = tracked.clone().count();
    for (round, open) in tracked.take(MOST_CHARTS) {
        section(view, &mut page, round, open);
    }
    page.body.cut("Charts", all.min(MOST_CHARTS), all);
    page
}

fn section(view: &View<'_>, page: &mut Page, round: &PublicRound, open: &OpenRound) {
    let heading = page.here.link(&round_path(round.id()), round.id().as_str());
    page.body.add(&Html::wrap("h2", "", &heading));
    interim(view, page, &open.interim, "Provisional");
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
        lines.push(Line::plain(view.name(id), Stroke::Dashed, points));
    }
    let reference = rows.iter().map(|row| (row.day, row.point.reference.get()));
    let reference: BTreeMap<Date, f64> = reference.collect();
    lines.push(Line::plain("S&P 500", Stroke::Reference, reference));
    let chart = LineChart {
        title: format!("{word} returns since the starting close, to {last}"),
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
